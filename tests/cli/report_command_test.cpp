// Reports in a real browser: they show the numbers of the result files, load nothing, log no error, and texts
// of configurations stay texts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/browser.h"
#include "tests/support/csv.h"
#include "tests/support/program.h"

namespace flitscope::test::report_command_test {
namespace {

using Json = nlohmann::json;

Outcome require(const Arguments& arguments, int exit_code = 0) {
  Outcome outcome = run_program(arguments);
  if (outcome.exit_code != exit_code) throw std::runtime_error(arguments.front() + ": " + outcome.err);
  return outcome;
}

/// `flitscope report` of a directory: the name of the page, as it says.
std::filesystem::path report(const std::filesystem::path& directory) {
  const std::string out = require({"report", directory.string()}).out;
  EXPECT_EQ(out, (directory / "report.html").string() + "\n");
  return directory / "report.html";
}

/// The facts at the head of the page, its sections, and `more`.
Json look(const std::filesystem::path& page, const std::string& more = "null") {
  const BrowsedPage browsed = browse(
      page,
      "{ready: document.documentElement.dataset.ready ?? '', facts: Object.fromEntries([...document."
      "querySelectorAll('dd[id^=fact-]')].map(fact => [fact.id.slice(5), fact.dataset.value])), sections: "
      "[...document.querySelectorAll('section')].map(section => section.id), verdict: "
      "document.getElementById('verdict').textContent, loaded: "
      "performance.getEntriesByType('resource').length, more: " +
          more + "}");
  EXPECT_EQ(browsed.console, std::vector<std::string>());
  const Json seen = Json::parse(browsed.seen, nullptr, false);
  if (seen.is_discarded()) throw std::runtime_error("no page: " + browsed.seen);
  EXPECT_EQ(seen.at("ready"), "yes");
  EXPECT_EQ(seen.at("loaded"), 0);
  return seen;
}

std::string fact(const Json& seen, const std::string& name) {
  return seen.at("facts").at(name).get<std::string>();
}

Json result_of(const std::filesystem::path& directory) {
  return Json::parse(text_of(directory / "result.json"));
}

bool has_section(const Json& seen, const std::string& name) {
  return std::ranges::count(seen.at("sections"), Json(name)) == 1;
}

TEST(ReportPage, Broadcast_ShowsItsResult) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  require({"run", shipped_config("quickstart.yaml"), "--quiet", "--out", run.string(), "--set",
           "observe={messages: true, trace: binary}"});
  // The slider is moved to the last cycle; links, messages and terms are counted as they are drawn.
  const Json seen = look(
      report(run),
      "(() => { document.querySelectorAll('#replay button')[4].click(); const bars = id => "
      "[...document.querySelectorAll(`#${id} svg [data-mark]`)].map(mark => mark.tell()); return {steps: "
      "bars('steps'), links: document.querySelectorAll('#network svg line[data-mark]').length, key: (() => { "
      "const svg = document.querySelector('#steps svg'); for (let i = 0; i < 2; ++i) svg.dispatchEvent(new "
      "KeyboardEvent('keydown', {key: 'ArrowRight'})); return document.getElementById('tip').textContent; "
      "})(), latency: "
      "bars('latency'), sums: [...new Set(d3.range(data.channels.flits.length).map(i => "
      "d3.sum(data.channel_time, cause => "
      "cause.cycles[i])))], why: bars('why').length, cycle: "
      "document.getElementById('replay-cycle').textContent, status: "
      "document.getElementById('replay-status').textContent, chunk: (() => { const field = "
      "document.getElementById('replay-chunk'); const say = () => "
      "document.getElementById('replay-status').textContent.match(/Chunk.*/)?.[0]; field.value = '0'; "
      "field.dispatchEvent(new Event('input')); const all = say(); document.querySelectorAll('#replay "
      "button')[1].click(); const first = say(); field.value = ''; field.dispatchEvent(new Event('input')); "
      "return [first, all, say() ?? null]; })(), bytes: "
      "(data.replay.passages.bytes.length + data.replay.stalls.bytes.length) * 0.75 / data.replay.events}; "
      "})()");
  const Json result = result_of(run);
  for (const char* const key : {"cycles", "steps", "messages", "flits", "flit_hops", "nodes"}) {
    EXPECT_EQ(fact(seen, key), result.at(key).dump()) << key;
  }
  EXPECT_NE(seen.at("verdict").get<std::string>().find("verified"), std::string::npos);
  const Json& more = seen.at("more");
  ASSERT_EQ(more.at("steps").size(), 3U);
  EXPECT_NE(more.at("steps")[0].get<std::string>().find("89 cycles, from 0 to 89"), std::string::npos);
  EXPECT_EQ(more.at("key"), more.at("steps")[1]) << "the second bar, by arrow keys";
  EXPECT_EQ(more.at("links"), 343 * 6);
  EXPECT_NE(more.at("latency").dump().find("routers and links of the path"), std::string::npos);
  EXPECT_EQ(more.at("status"), "0 channels held, 0 flits move, 0 flits are stalled.") << more.dump();
  EXPECT_EQ(more.at("chunk"),
            Json::array({"Chunk 0 is at 1 of 343 nodes.", "Chunk 0 is at 343 of 343 nodes.", nullptr}));
  EXPECT_EQ(more.at("sums"), Json::array({result.at("cycles")})) << "cycles of every channel";
  EXPECT_GE(more.at("why"), 24);
  EXPECT_LT(more.at("bytes"), 6.0) << "bytes an event";
}

TEST(ReportPage, Deadlock_ShowsDependencyCycle) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  // What the configuration says stays text.
  require({"run", shipped_config("deadlock-ring.yaml"), "--quiet", "--out", run.string(), "--set",
           "observe.trace=binary", "--set", "name=</script><script>document.title=1//<b>&amp;"},
          3);
  const Json seen =
      look(report(run),
           "{worms: [...document.querySelectorAll('#deadlock circle')].map(worm => worm.tell()), title: "
           "document.querySelector('h1').textContent, bold: document.querySelectorAll('b').length, scripts: "
           "document.querySelectorAll('script').length, status: "
           "document.getElementById('replay-status').textContent}");
  EXPECT_EQ(seen.at("verdict"), "✗ deadlock");
  const Json& more = seen.at("more");
  EXPECT_EQ(more.at("title"), "</script><script>document.title=1//<b>&amp;");
  EXPECT_EQ(more.at("bold"), 0);
  const Json dependency_cycle = result_of(run).at("deadlock").at("dependency_cycle");
  ASSERT_EQ(more.at("worms").size(), dependency_cycle.size());
  for (std::size_t i = 0; i < dependency_cycle.size(); ++i) {
    const auto text = more.at("worms")[i].get<std::string>();
    EXPECT_NE(text.find("holds " + dependency_cycle[i].at("holds").at(0).at("channel").get<std::string>()),
              std::string::npos);
    EXPECT_NE(text.find(dependency_cycle[i].at("wants").at("channel").get<std::string>()), std::string::npos);
  }
  EXPECT_EQ(more.at("status"),
            "8 channels held, 0 flits move, 16 flits are stalled. The dependency cycle is deadlocked.");
}

/// What the replay says of every cycle, forwards and then backwards; what it took to show them forwards; and
/// of some cycles the pictures, as they came forwards and when the slider jumps to them.
Json played(const std::filesystem::path& page) {
  return look(
             page,
             "(() => { const slider = document.querySelector('#replay .slider'); const status = cycle => { "
             "slider.value = cycle; slider.dispatchEvent(new Event('input')); return "
             "document.getElementById('replay-status').textContent; }; const work = "
             "document.getElementById('replay').work; const picture = () => "
             "document.querySelector('#replay canvas').toDataURL(); const end = data.replay.cycles; const "
             "some "
             "= [0.2, 0.5, 0.9].map(share => Math.floor(share * end)); const pictures = []; status(0); const "
             "before = {...work}; const there = d3.range(1, end + 1).map(cycle => { const text = "
             "status(cycle); if (some.includes(cycle)) pictures.push(picture()); return text; }); const "
             "taken "
             "= Object.fromEntries(Object.keys(work).map(key => [key, work[key] - before[key]])); const back "
             "= "
             "d3.range(end, 0, -1).map(status).reverse(); const jumped = some.map(cycle => { status(0); "
             "status(cycle); return picture(); }); return {there, back, taken, same: pictures.map((one, i) "
             "=> "
             "one === jumped[i]), differ: new Set(pictures).size, blocks: work.blocks, allBlocks: "
             "data.replay.passages.index.length + data.replay.stalls.index.length, cycles: end}; })()")
      .at("more");
}

/// Sums over all cycles of what the line below the replay says.
struct Seen {
  std::uint64_t held = 0;
  std::uint64_t moving = 0;
  std::uint64_t standing = 0;
};

Seen sums(const Json& texts) {
  Seen seen;
  for (const Json& text : texts) {
    std::string digits = text.get<std::string>();
    std::erase(digits, ',');
    std::istringstream words(digits);
    std::uint64_t number = 0;
    std::string word;
    words >> number >> word >> word;
    seen.held += number;
    words >> number >> word >> word;
    seen.moving += number;
    words >> number;
    seen.standing += number;
  }
  return seen;
}

/// Hops and stalls are as many as in the result; what a cycle takes depends on what lasts in it, and neither
/// on the cycles nor on the messages before.
TEST(ReportPage, ReplayOfCycle_CostsOnlyVisibleEvents) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto config = directory.write("all.yaml",
                                      "flitscope: 1\ntopology: {kind: torus, shape: [4, 4, 4]}\nworkload: "
                                      "{algorithm: all-to-all-direct, message: 512, advance: dataflow}\n"
                                      "observe: {trace: binary}\n");
  const auto run = directory / "run";
  require({"run", config.string(), "--quiet", "--out", run.string()});
  const Json more = played(report(run));
  const Json result = result_of(run);
  EXPECT_EQ(more.at("there"), more.at("back"));
  EXPECT_EQ(more.at("same"), Json::array({true, true, true}));
  EXPECT_EQ(more.at("differ"), 3);
  const Seen seen = sums(more.at("there"));
  std::uint64_t stalls = 0;
  for (const Json& cause : result.at("stalls")) stalls += cause.get<std::uint64_t>();
  EXPECT_EQ(seen.moving, result.at("flit_hops"));
  EXPECT_EQ(seen.standing, stalls);
  const Json& taken = more.at("taken");
  EXPECT_EQ(taken.at("cycles"), more.at("cycles"));
  EXPECT_EQ(taken.at("items"), seen.held + seen.standing);
  // A line, a dot and a square each at most, and a node whenever a message comes to it.
  EXPECT_LE(taken.at("marks").get<std::uint64_t>(),
            seen.held + seen.moving + seen.standing + result.at("messages").get<std::uint64_t>());
  EXPECT_LE(more.at("blocks"), more.at("allBlocks")) << "no block is decoded twice";
}

/// 16,384 links. A cell is drawn when a worm comes or goes, or a message arrives, and not while it lasts.
TEST(ReportPage, ReplayOfManyNodes_DrawsChangedCells) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto config = directory.write("broadcast.yaml",
                                      "flitscope: 1\ntopology: {kind: torus, shape: [64, 64]}\nworkload: "
                                      "{algorithm: tsay-wang-direct, message: 256}\nobserve: {trace: "
                                      "binary}\n");
  const auto run = directory / "run";
  require({"run", config.string(), "--quiet", "--out", run.string()});
  const Json more = played(report(run));
  const Json result = result_of(run);
  EXPECT_EQ(more.at("there"), more.at("back"));
  EXPECT_EQ(more.at("same"), Json::array({true, true, true}));
  EXPECT_EQ(more.at("differ"), 3);
  const Seen seen = sums(more.at("there"));
  const auto messages = result.at("messages").get<std::uint64_t>();
  const auto hops = result.at("flit_hops").get<std::uint64_t>();
  EXPECT_EQ(seen.moving, hops);
  const std::uint64_t passages = hops * messages / result.at("flits").get<std::uint64_t>();
  const auto marks = more.at("taken").at("marks").get<std::uint64_t>();
  EXPECT_LE(marks, 2 * passages + messages);
  EXPECT_LT(4 * marks, seen.held) << "most worms last";
  EXPECT_GE(marks, messages);
}

TEST(ReportPage, Circuits_ShowSendersAndReceivers) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  require({"run", shipped_config("latency-hiding.yaml"), "--quiet", "--out", run.string(), "--set",
           "observe.messages=true"});
  const Json seen =
      look(report(run), "{pairs: document.querySelectorAll('#network rect[data-mark]').length}");
  const Json result = result_of(run);
  EXPECT_EQ(fact(seen, "cycles"), result.at("cycles").dump());
  EXPECT_EQ(fact(seen, "tunings"), result.at("circuits").at("tunings").dump());
  EXPECT_EQ(seen.at("more").at("pairs"), result.at("messages"));
  EXPECT_TRUE(has_section(seen, "ports"));
}

/// 200 runs, of which the comparison shows some as lines and as a table; small, since no data is repeated.
TEST(ReportPage, Sweep_ComparesItsRuns) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto config = directory.write("sweep.yaml",
                                      "flitscope: 1\nname: sweep\ntopology: {kind: torus, shape: [3, 3]}\n"
                                      "node: {ports: 1}\nworkload: {algorithm: binomial-torus}\nsweep:\n"
                                      "  workload.message: {from: 8, to: 400, step: 8}\n"
                                      "  workload.algorithm: [binomial-torus, tsay-wang-direct]\n"
                                      "  router.buffer: [4, 8]\n");
  const auto sweep = directory / "out";
  require({"sweep", config.string(), "--quiet", "--out", sweep.string()});
  const auto page = report(sweep);
  EXPECT_LT(std::filesystem::file_size(page), 5U << 20);
  const Json seen =
      look(page,
           "{lines: [...document.querySelectorAll('#comparison svg path[data-mark]')].map(mark => "
           "mark.tell()), best: document.querySelectorAll('#comparison td.best').length}");
  EXPECT_EQ(fact(seen, "runs"), "200");
  EXPECT_EQ(fact(seen, "status-completed"), "200");
  const Table pivot = read_csv(
      directory.write("pivot.csv", require({"results", sweep.string(), "--where", "algorithm=binomial-torus",
                                            "--columns", "message,buffer,cycles", "--format", "csv"})
                                       .out));
  const auto shown = seen.at("more").at("lines").dump();
  std::size_t found = 0;
  for (const Row& row : pivot.rows) {
    const std::string text = "workload.message " + std::to_string(row.number("workload.message")) +
                             "\\nrouter.buffer " + std::to_string(row.number("router.buffer")) +
                             "\\ncycles " + std::to_string(row.number("cycles")) + "\"";
    found += shown.find(text) == std::string::npos ? 0 : 1;
  }
  EXPECT_EQ(found, 100U) << shown.substr(0, 500);
  EXPECT_GE(seen.at("more").at("best"), 50);
}

/// Which of the routings is faster changes between the shapes: no crossover, since between names there is no
/// value.
TEST(ReportPage, SweepOverShapes_HasTheirNamesOnTheAxis) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto config = directory.write("sweep.yaml",
                                      "flitscope: 1\nname: sweep\ntopology: {kind: mesh, shape: [3, 3]}\n"
                                      "workload: {traffic: uniform, warmup: 100, measure: 500}\nsweep:\n"
                                      "  topology.shape: [[3, 3], [4, 4], [2, 8]]\n"
                                      "  router.routing: [dimension-order, odd-even]\n");
  const auto sweep = directory / "out";
  require({"sweep", config.string(), "--quiet", "--out", sweep.string()});
  const Json more =
      look(report(sweep),
           "(() => { const axis = document.querySelector('#comparison svg .axis'); return {names: "
           "[...axis.querySelectorAll('text')].map(text => text.textContent), places: "
           "[...axis.querySelectorAll('.tick')].map(tick => Number(tick.getAttribute("
           "'transform').match(/[0-9.]+/)[0])), rings: document.querySelectorAll('#comparison svg "
           "circle').length}; })()")
          .at("more");
  EXPECT_EQ(more.at("names"), Json::array({"[3,3]", "[4,4]", "[2,8]"}));
  const auto places = more.at("places").get<std::vector<double>>();
  ASSERT_EQ(places.size(), 3U);
  EXPECT_NEAR(places[1] - places[0], places[2] - places[1], 1.5);
  EXPECT_EQ(more.at("rings"), 0);
}

TEST(ReportPage, FailedRunOfASweep_IsNamedByItsStatus) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto config = directory.write("sweep.yaml",
                                      "flitscope: 1\nname: sweep\ntopology: {kind: torus, shape: [8]}\n"
                                      "workload: {algorithm: all-gather-ring, message: 512}\nsweep:\n"
                                      "  replicas: {short: {limits.cycles: 20}, complete: {}}\n"
                                      "  link.delay: [1, 2]\n");
  const auto sweep = directory / "out";
  EXPECT_EQ(run_program({"sweep", config.string(), "--quiet", "--out", sweep.string()}).exit_code, 5);
  const Json more =
      look(report(sweep),
           "{points: document.querySelectorAll('#comparison svg path[data-mark]').length, cells: "
           "[...document.querySelectorAll('#comparison tbody td')].map(each => each.textContent), best: "
           "document.querySelectorAll('#comparison td.best').length}")
          .at("more");
  EXPECT_EQ(more.at("points"), 2) << more;
  EXPECT_EQ(std::ranges::count(more.at("cells"), Json("limit")), 2) << more;
  EXPECT_EQ(more.at("best"), 2) << more;
}

TEST(ReportPage, SweepWithSaturatedRuns_HasNoFailure) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto config = directory.write(
      "sweep.yaml",
      "flitscope: 1\nname: sweep\ntopology: {kind: mesh, shape: [4, 4]}\n"
      "workload: {traffic: bit-complement, message: 32, warmup: 1000, measure: 2000}\nsweep:\n"
      "  workload.load: [0.1, 0.9]\n");
  const auto sweep = directory / "out";
  require({"sweep", config.string(), "--quiet", "--out", sweep.string()});
  const Json seen = look(report(sweep), "document.body.textContent.includes('none failed')");
  EXPECT_EQ(seen.at("more"), true);
  EXPECT_EQ(fact(seen, "status-saturated"), "1");
}

TEST(ReportPage, LinksOfSeveralNetworks_LieSideBySide) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto config = directory.write(
      "networks.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [3, 2], networks: 2}\nrouter: {virtual_channels: 2}\n"
      "classes: [{name: one, vcs: [0]}, {name: two, vcs: [1], network: 1}]\nworkload: {measure: 500, "
      "classes: "
      "[{traffic: uniform, load: 0.1, message_class: one}, {traffic: uniform, load: 0.1, message_class: "
      "two}]}\n");
  const auto run = directory / "run";
  require({"run", config.string(), "--quiet", "--out", run.string()});
  const Json more =
      look(report(run),
           "(() => { const lines = [...document.querySelectorAll('#network svg line[data-mark]')]; "
           "return {links: lines.length, places: new Set(lines.map(line => ['x1', 'y1', 'x2', "
           "'y2'].map(key => line.getAttribute(key)).join())).size}; })()")
          .at("more");
  EXPECT_EQ(more.at("links"), 28);
  EXPECT_EQ(more.at("places"), 28);
}

TEST(ReportPage, SmallMesh_UsesTheWidth) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  require({"run", shipped_config("hot-spot.yaml"), "--quiet", "--out", run.string(), "--set",
           "observe.trace=binary"});
  const Json more =
      look(
          report(run),
          "{map: document.querySelector('#network svg g').getBBox().width, replay: "
          "document.querySelector('#replay canvas').clientWidth, steps: document.querySelector('#steps .axis "
          "path').getBBox().width, machine: document.getElementById('machine').textContent}")
          .at("more");
  EXPECT_GT(more.at("map"), 500);
  EXPECT_GT(more.at("replay"), 600);
  EXPECT_GT(more.at("steps"), 800);
  EXPECT_EQ(more.at("machine"), "routing dimension-order · 1 VC · buffers of 8 flits");
}

TEST(ReportPage, NarrowPage_HasAxesWhoseNumbersDoNotTouch) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto traffic = directory / "traffic";
  require({"run", shipped_config("uniform-mesh-8x8.yaml"), "--quiet", "--out", traffic.string(), "--set",
           "observe.messages=true"});
  const auto circuits = directory / "circuits";
  require({"run", shipped_config("latency-hiding.yaml"), "--quiet", "--out", circuits.string()});
  for (const auto& run : {traffic, circuits}) {
    const Json more =
        look(
            report(run),
            "(() => { document.body.style.width = '400px'; redraws.forEach(redraw => redraw()); const meet = "
            "(a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom; return "
            "[...document.querySelectorAll('svg')].flatMap(svg => { const texts = "
            "[...svg.querySelectorAll('text')]; const boxes = texts.map(text => "
            "text.getBoundingClientRect()); return texts.filter((_, i) => boxes.slice(0, i).some(other => "
            "meet(boxes[i], other))).map(text => text.textContent); }); })()")
            .at("more");
    EXPECT_EQ(more, Json::array()) << run;
  }
}

TEST(ReportPage, DeadlockOnANarrowPage_HasNamesThatDoNotTouch) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  require({"run", shipped_config("deadlock-ring.yaml"), "--quiet", "--out", run.string()}, 3);
  const Json more =
      look(report(run),
           "(() => { document.body.style.width = '400px'; redraws.forEach(redraw => redraw()); const "
           "shapes = [...document.querySelectorAll('#deadlock text, #deadlock circle')]; const boxes = "
           "shapes.map(shape => shape.getBBox()); const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + "
           "a.width && a.y < b.y + b.height && b.y < a.y + a.height; return {texts: shapes.filter(shape => "
           "shape.tagName === 'text').map(text => text.textContent), touching: d3.sum(boxes, (box, i) => "
           "boxes.slice(0, i).filter(other => meet(box, other)).length)}; })()")
          .at("more");
  EXPECT_EQ(more.at("touching"), 0) << more.dump();
  EXPECT_GE(more.at("texts").size(), 8U) << more.dump();
}

TEST(ReportPage, SaturatedTraffic_HeadStatesMachineAndOneVerdict) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto config = directory.write("traffic.yaml",
                                      "flitscope: 1\nclock: 1GHz\ntopology: {kind: mesh, shape: [4, 4]}\n"
                                      "router: {virtual_channels: 2, buffer: 6}\n"
                                      "workload: {traffic: uniform, load: 0.9, seed: 7, measure: 2us}\n");
  const auto run = directory / "run";
  require({"run", config.string(), "--quiet", "--out", run.string()});
  const Json seen = look(report(run),
                         "{what: document.getElementById('what').textContent, machine: "
                         "document.getElementById('machine').textContent, badges: "
                         "[...document.querySelectorAll('.badge')].map(badge => badge.textContent)}");
  EXPECT_EQ(seen.at("more").at("what"), "uniform · 4x4 mesh · load 0.9 flits/node/cycle");
  EXPECT_EQ(seen.at("more").at("machine"),
            "routing dimension-order · 2 VCs · buffers of 6 flits · seed 7 · clock 1ns");
  EXPECT_EQ(seen.at("more").at("badges"), Json::array({"✗ saturated"}));
}

TEST(ReportPage, ClassesOfTraffic_HaveTheirResults) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  require({"run", shipped_config("two-classes-8x8.yaml"), "--quiet", "--out", run.string(), "--set",
           "clock=2GHz", "--set", "workload.warmup=100", "--set", "workload.measure=300"});
  const Json rows = look(report(run),
                         "[...document.querySelectorAll('#classes tr')].map(row => "
                         "[...row.children].map(cell => cell.textContent))")
                        .at("more");
  const Json classes = result_of(run).at("traffic").at("classes");
  ASSERT_EQ(rows.size(), 1 + classes.size());
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::ranges::find(rows[0], Json(name)) - rows[0].begin());
  };
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const Json& row = rows.at(i + 1);
    EXPECT_EQ(row.at(0), classes[i].at("name"));
    const auto number = [&](const char* name) { return std::stod(row.at(column(name)).get<std::string>()); };
    EXPECT_NEAR(number("accepted"), classes[i].at("accepted").get<double>(), 1e-4);
    EXPECT_NEAR(number("mean"), classes[i].at("latency").at("mean").get<double>(), 1e-2);
    EXPECT_NEAR(number("mean, ns"), classes[i].at("latency").at("mean_ns").get<double>(), 1e-2);
  }
}

TEST(ReportPage, EnergyOfARun_HasTheFiguresOfItsText) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  const std::string text = require({"run", shipped_config("quickstart.yaml"), "--out", run.string(), "--set",
                                    "energy.table=22nm", "--set", "clock=1GHz"})
                               .out;
  const Json seen =
      look(report(run), "[...document.querySelectorAll('#energy svg [data-mark]')].map(mark => mark.tell())");
  ASSERT_TRUE(has_section(seen, "energy"));
  const auto in_text = [&](const std::string& words) { return text.find(words) != std::string::npos; };
  EXPECT_TRUE(in_text("  energy      " + fact(seen, "energy") + ", by neighbouring tables ")) << text;
  EXPECT_TRUE(in_text(fact(seen, "energy_per_byte") + " a byte delivered")) << text;
  EXPECT_TRUE(in_text(fact(seen, "energy_per_bit_hop") + " a bit and hop")) << text;
  EXPECT_TRUE(in_text(", detours " + fact(seen, "energy_of_detours"))) << text;
  EXPECT_TRUE(in_text(", " + fact(seen, "power") + "\n")) << text;
  // "leakage: 1.234 uJ, 12.3%" of the bars is "leakage 1.234 uJ" of the text.
  ASSERT_GE(seen.at("more").size(), 4U);
  for (const Json& bar : seen.at("more")) {
    std::string words = bar.get<std::string>();
    words.erase(words.find(':'), 1);
    EXPECT_TRUE(in_text(words.substr(0, words.find(',')))) << words << "\n" << text;
  }
  const auto without = directory / "without";
  require({"run", shipped_config("quickstart.yaml"), "--quiet", "--out", without.string()});
  EXPECT_FALSE(has_section(look(report(without)), "energy"));
}

TEST(ReportPage, SweepOverNetworks_HasOneAxisForThem) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto config = directory.write(
      "networks.yaml",
      "flitscope: 1\nnode: {ports: 1}\nrouter: {virtual_channels: 2}\n"
      "workload: {traffic: uniform, load: 0.1, measure: 2000}\nsweep:\n"
      "  topology: [{kind: torus, shape: [4, 4]}, {kind: dragonfly, p: 2, a: 4, h: 2, groups: 3}]\n"
      "  workload.load: [0.05, 0.1]\n");
  const auto sweep = directory / "out";
  require({"sweep", config.string(), "--quiet", "--out", sweep.string()});
  const Json seen = look(report(sweep),
                         "{chosen: [...document.querySelectorAll('#comparison select')].map(each => "
                         "each.value), lines: [...document.querySelectorAll('#comparison .legend "
                         "span')].map(each => each.textContent), config: "
                         "document.querySelector('#configuration pre').textContent.slice(0, 12)}");
  EXPECT_EQ(seen.at("more").at("chosen"), Json::array({"traffic.latency.mean", "workload.load", "topology"}));
  EXPECT_EQ(seen.at("more").at("lines"), Json::array({"4x4 torus", "dragonfly of 3 groups and 24 nodes"}));
  EXPECT_EQ(seen.at("more").at("config"), "flitscope: 1");
}

TEST(ReportPage, LoadCurve_ShowsItsPoints) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto curve = directory / "curve";
  require({"load", shipped_config("uniform-mesh-8x8.yaml"), "--rates", "0.05,0.1", "--quiet", "--out",
           curve.string(), "--set", "topology.shape=[4, 4]", "--set", "workload.measure=2000"});
  const Json seen =
      look(report(curve),
           "[...document.querySelectorAll('#accepted svg path[data-mark]')].map(mark => mark.tell())");
  const Json points = Json::parse(text_of(curve / "load.json")).at("points");
  EXPECT_EQ(fact(seen, "points"), "2");
  ASSERT_EQ(seen.at("more").size(), points.size());
  EXPECT_TRUE(has_section(seen, "latency"));
}

TEST(ReportPage, LoadCurveWithAClock_HasBandwidthsAtItsAxesAndPoints) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto curve = directory / "curve";
  require({"load", shipped_config("uniform-mesh-8x8.yaml"), "--rates", "0.05", "--quiet", "--out",
           curve.string(), "--set", "topology.shape=[4, 4]", "--set", "workload.measure=2000", "--set",
           "clock=2GHz"});
  const Json more =
      look(report(curve),
           "{labels: [...document.querySelectorAll('#latency svg text.label, #accepted svg text.label')]"
           ".map(label => label.textContent).filter(text => text.includes('(')), tip: "
           "document.querySelector('#accepted svg path[data-mark]')"
           ".tell(), ideal: document.querySelector('#fact-ideal').textContent, "
           "saturation: document.querySelector('#fact-saturation').textContent}")
          .at("more");
  EXPECT_EQ(more.at("labels"),
            Json::array({"offered load (flits/node/cycle; 1 is 16 GB/s)", "latency (cycles)",
                         "offered load (flits/node/cycle; 1 is 16 GB/s)",
                         "accepted (flits/node/cycle; 1 is 16 GB/s)"}));
  EXPECT_NE(more.at("tip").get<std::string>().find(" GB/s), accepted "), std::string::npos) << more;
  EXPECT_NE(more.at("ideal").get<std::string>().find(" GB/s); then a link"), std::string::npos) << more;
  EXPECT_EQ(more.at("saturation").get<std::string>().find("GB/s"), std::string::npos) << more;
}

TEST(ReportPage, OtherCurvesWithAClock_HaveBandwidthsAtAxesOfRates) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const std::string machine =
      "flitscope: 1\nclock: 2GHz\ntopology: {kind: torus, shape: [4, 4]}\nnode: {flit_bytes: 8}\nworkload: ";
  const auto labels = [&](const std::string& workload, const std::string& part) {
    const auto curve = directory / part;
    require({"load", directory.write(part + ".yaml", machine + workload + "\n"), "--quiet", "--out", curve});
    return look(
               report(curve),
               "[...document.querySelectorAll('#" + part +
                   " svg text.label')].map(label => label.textContent).filter(text => text.includes('GB/s'))")
        .at("more");
  };
  EXPECT_EQ(labels("{algorithm: all-gather-ring, message: 64, background: {traffic: uniform, load: 0.1}}",
                   "slowdown"),
            Json::array({"load beside the schedule (flits/node/cycle; 1 is 16 GB/s)"}));
  EXPECT_EQ(
      labels("{protocol: request-reply, request: 8, reply: 72, outstanding: 1, warmup: 100, measure: 1000}",
             "throughput"),
      Json::array({"requests per cycle; 1 is 160 GB/s"}));
}

TEST(ReportPage, SlowdownCurves_HaveNoColumnOfTheMissingBackground) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "beside.yaml",
      "flitscope: 1\nname: beside\ntopology: {kind: torus, shape: [4, 4]}\nworkload: {algorithm: "
      "all-gather-ring, message: 1KiB, background: {traffic: uniform, load: 0.1}}\n");
  const auto curves = directory / "curves";
  require({"load", config, "--vary", "router.buffer=4,16", "--rates", "0.1", "--quiet", "--out",
           curves.string()});
  const Json names =
      look(report(curves), "[...document.querySelectorAll('#points th')].map(cell => cell.textContent)")
          .at("more");
  EXPECT_EQ(names.dump().find("\"background\""), std::string::npos) << names;
  EXPECT_NE(names.dump().find("background.offered"), std::string::npos) << names;
}

TEST(ReportPage, RunWithoutFlits_DrawsLinksWithWidths) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("none.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 4]}\n"
                      "workload: {traffic: uniform, load: 0.0001, warmup: 0, measure: 20}\n");
  const auto run = directory / "run";
  require({"run", config, "--quiet", "--out", run.string()});
  EXPECT_EQ(result_of(run).at("flits"), 0);
  const Json widths = look(report(run),
                           "[...document.querySelectorAll('#network line[data-mark]')].map(line => "
                           "Number(line.getAttribute('stroke-width')))")
                          .at("more");
  ASSERT_EQ(widths.size(), 48U);
  for (const Json& width : widths) EXPECT_TRUE(width.is_number() && width > 0) << widths;
}

// The policy is what keeps a page from loading anything; this is what the other tests would see.
TEST(ReportPage, AnyPage_LoadsNothing) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  require({"run", shipped_config("hot-spot.yaml"), "--quiet", "--out", run.string()});
  const BrowsedPage browsed =
      browse(report(run),
             "(document.body.append(Object.assign(new Image(), {src: 'http://localhost:9/x.png'})), 1)");
  ASSERT_FALSE(browsed.console.empty());
  EXPECT_NE(browsed.console.front().find("Content Security Policy"), std::string::npos);
}

/// Six runs, three of each algorithm; the lines cross once.
TEST(ResultsPlot, Pivot_IsDrawnAsLines) {
  const TemporaryDirectory directory;
  const auto config = directory.write("sweep.yaml",
                                      "flitscope: 1\nname: sweep\ntopology: {kind: torus, shape: [9, 9]}\n"
                                      "node: {ports: 1}\nworkload: {algorithm: binomial-torus}\nsweep:\n"
                                      "  workload.message: [64, 128, 256]\n"
                                      "  workload.algorithm: [binomial-torus, tsay-wang-direct]\n");
  const auto sweep = directory / "out";
  require({"sweep", config.string(), "--quiet", "--out", sweep.string()});
  const auto file = directory / "plot.svg";
  const Arguments words{"results", sweep.string(), "--pivot", "message,workload.algorithm,cycles",
                        "--plot",  file.string()};
  require(words);
  const std::string svg = text_of(file);
  const auto count = [&](const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count("<polyline"), 2U);
  EXPECT_EQ(count("r=\"3\""), 6U) << "points";
  EXPECT_EQ(count("r=\"7\""), 1U) << "crossover";
  EXPECT_EQ(run_program(words).exit_code, 6) << "the file is there";
  EXPECT_EQ(run_program({"results", sweep.string(), "--plot", file.string()}).exit_code, 2)
      << "without --pivot";
  Arguments none = words;
  none.back() = (directory / "none.svg").string();
  none.insert(none.end(), {"--where", "cycles<0"});
  const Outcome empty = run_program(none);
  EXPECT_EQ(empty.exit_code, 0);
  EXPECT_EQ(empty.out, "workload.message \\ workload.algorithm\n");
  EXPECT_EQ(empty.err, "flitscope results: no run has a value to draw: " + none[5] + " is not written\n");
  EXPECT_FALSE(std::filesystem::exists(none[5]));
  Arguments other = words;
  other.back() = (directory / "plot.pdf").string();
  const Outcome refused = run_program(other);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("name a file .svg or .png"), std::string::npos) << refused.err;
  Arguments raster = words;
  raster.back() = (directory / "plot.png").string();
  const Outcome drawn = run_program(raster);
  if (drawn.err.find("librsvg2-bin") != std::string::npos) GTEST_SKIP() << "rsvg-convert is not installed";
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_EQ(text_of(directory / "plot.png").substr(0, 8), "\x89PNG\r\n\x1a\n");
}

TEST(Report, ExistingFile_IsKept) {
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  require({"run", shipped_config("hot-spot.yaml"), "--quiet", "--out", run.string()});
  const auto page = directory.write("page.html", "mine");
  const Arguments words{"report", run.string(), "--out", page.string()};
  const Outcome refused = run_program(words);
  if (refused.err.find("node-d3") != std::string::npos) GTEST_SKIP() << "built without D3";
  EXPECT_EQ(refused.exit_code, 6);
  EXPECT_EQ(text_of(page), "mine");
  Arguments forced = words;
  forced.emplace_back("--force");
  EXPECT_EQ(run_program(forced).exit_code, 0);
  EXPECT_NE(text_of(page).find("</html>"), std::string::npos);
}

TEST(Report, RunOnAGraph_DrawsEveryChannel) {
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  require({"run", shipped_config("networks/dragonfly.yaml"), "--quiet", "--out", run.string()});
  const Outcome made = run_program({"report", run.string()});
  if (made.err.find("node-d3") != std::string::npos) GTEST_SKIP() << "built without D3";
  ASSERT_EQ(made.exit_code, 0) << made.err;
  if (!has_browser()) return;  // the drawing needs one
  const Json seen = look(run / "report.html", "document.querySelectorAll('#network line[data-mark]').length");
  EXPECT_EQ(seen.at("more"), std::ranges::count(text_of(run / "channels.csv"), '\n') - 1);
}

/// Every link with its numbers as a title, as in channels.csv, and colours that need no style sheet.
TEST(ReportPage, SavedPicture_HasEveryChannelWithItsNumbers) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto run = directory / "run";
  require({"run", shipped_config("hot-spot.yaml"), "--quiet", "--out", run.string()});
  const std::string svg =
      look(report(run), "svgText(document.querySelector('#network svg'))").at("more").get<std::string>();
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"")) << svg.substr(0, 100);
  EXPECT_EQ(svg.find("var(--"), std::string::npos);
  for (const Row& row : read_csv(run / "channels.csv").rows) {
    const std::string title = fmt::format(
        "<title>{}\nbusy (share of all cycles): {:.1f}%\nflits waited for it (flit-cycles): {}\n",
        row.text("channel"), 100 * std::stod(row.text("utilisation")), row.text("stalled_flit_cycles"));
    EXPECT_NE(svg.find(title), std::string::npos) << title;
  }
}

/// The 40 links of a 4x5 torus are on two cycles; column 3 of the two-packet algorithm gets 8 streams over
/// links of its own.
TEST(ReportPage, RoutingTable_DrawsItsCycles) {
  if (!has_browser()) GTEST_SKIP() << kNoBrowser;
  const TemporaryDirectory directory;
  const auto lines = [&](const std::string& algorithm) {
    const auto config = directory.write(
        "gossip.yaml", "flitscope: 1\ntopology: {kind: torus, shape: [4, 5]}\nworkload: {algorithm: " +
                           algorithm + ", message: 9}\n");
    const auto run = directory / algorithm;
    require({"run", config.string(), "--quiet", "--out", run.string()});
    return look(report(run),
                "Object.fromEntries(['3', '1'].map(width => [width, document.querySelectorAll(`#table "
                "line[stroke-width=\"${width}\"]`).length]))")
        .at("more");
  };
  EXPECT_EQ(lines("hamiltonian-cycles"), (Json{{"3", 80}, {"1", 0}})) << "both directions of 40 links";
  EXPECT_EQ(lines("meyer-sibeyn-two-packet").at("1"), 8);
}

TEST(Report, DirectoryWithoutResult_IsRefused) {
  const TemporaryDirectory directory;
  const Outcome nothing = run_program({"report", directory.path().string()});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_NE(nothing.err.find("holds no run, sweep, load curve or comparison"), std::string::npos)
      << nothing.err;

  const auto run = directory / "run";
  require({"run", shipped_config("hot-spot.yaml"), "--quiet", "--out", run.string()});
  std::filesystem::resize_file(run / "result.json", 100);
  const Outcome cut = run_program({"report", run.string()});
  EXPECT_EQ(cut.exit_code, 2);
  EXPECT_NE(cut.err.find("result.json: is no JSON object"), std::string::npos) << cut.err;

  std::string deep;
  for (int depth = 0; depth < 65'000; ++depth) deep += R"({"a":)";
  directory.write("run/result.json", deep + "1" + std::string(65'000, '}'));
  EXPECT_EQ(run_program({"report", run.string()}).exit_code, 2);

  directory.write("run/result.json", "{}");
  directory.write("run/channels.csv", "node\n1\n");
  EXPECT_EQ(run_program({"report", run.string()}).exit_code, 2);
}

}  // namespace
}  // namespace flitscope::test::report_command_test
