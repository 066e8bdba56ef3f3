// Waveforms: dumps that other programs read, which show the same flits in the same cycles as the flit trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/observed_run.h"

namespace flitscope::test::waves_test {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// "[1, 2]" is node_1_2.
std::string scope_of(const std::string& node) {
  std::string digits = std::regex_replace(node.substr(1, node.size() - 2), std::regex(", "), "_");
  return "flitscope.node_" + digits;
}

/// "[1, 2]+0" is out_plus0 of its node; "ejection 1" is ejection_1.
std::string port_of(const std::string& channel) {
  if (channel.starts_with("ejection ")) return "ejection_" + channel.substr(9);
  const std::string port = channel.substr(channel.find(']') + 1);
  return std::string("out_") + (port[0] == '+' ? "plus" : "minus") + port.substr(1);
}

const std::vector<std::string> kCauses{"",          "vc_taken", "no_credit", "switch_lost", "ejection_busy",
                                       "sink_full", "nic_full"};

/// Flits that pass: "cycle signal message flit".
std::multiset<std::string> passing(const Vcd& vcd, const std::string& suffix) {
  std::multiset<std::string> result;
  for (const auto& [name, changes] : vcd.signals()) {
    if (!name.ends_with(suffix)) continue;
    for (std::uint64_t cycle = 0; cycle < vcd.end(); ++cycle) {
      if (vcd.at(name, cycle) == 0) continue;
      result.insert(fmt::format("{} {} {}.{} {}", cycle, name, vcd.at(name + "_step", cycle),
                                vcd.at(name + "_message", cycle), vcd.at(name + "_flit", cycle)));
    }
  }
  return result;
}

struct Traced {
  std::multiset<std::string> sent;
  std::multiset<std::string> put;
  std::map<std::string, std::int64_t> stalled;  ///< "cycle node cause culprit": how many
};

Traced from_trace(const Table& trace, const std::set<std::string>& nodes) {
  Traced traced;
  for (const Row& row : trace.rows) {
    const std::string& node = row.text("node");
    if (!nodes.contains(node)) continue;
    const std::string& event = row.text("event");
    const std::string flit = fmt::format("{}.{} {}", row.text("step"), row.text("message"), row.text("flit"));
    if (event == "hop" || event == "eject") {
      traced.sent.insert(fmt::format("{} {}.{}.vc{}.sent {}", row.text("cycle"), scope_of(node),
                                     port_of(row.text("channel")), row.text("vc"), flit));
    } else if (event == "inject") {
      traced.put.insert(fmt::format("{} {}.nic_{}.put {}", row.text("cycle"), scope_of(node),
                                    row.text("channel").substr(10), flit));
    } else if (event == "stall") {
      for (std::int64_t cycle = 0; cycle < row.number("stall_cycles"); ++cycle) {
        ++traced.stalled[fmt::format("{} {} {} {}", row.number("cycle") + cycle, scope_of(node),
                                     row.text("cause"), row.text("culprit"))];
      }
    }
  }
  return traced;
}

std::map<std::string, std::int64_t> stalls_in(const Vcd& vcd, std::uint64_t end) {
  std::map<std::string, std::int64_t> stalled;
  for (const auto& [name, changes] : vcd.signals()) {
    if (!name.ends_with(".blocked")) continue;
    const std::string node = name.substr(0, name.find('.', name.find('.') + 1));
    for (std::uint64_t cycle = 0; cycle < end; ++cycle) {
      const std::uint64_t cause = vcd.at(name, cycle);
      if (cause == 0) continue;
      const std::string scope = name.substr(0, name.rfind('.'));
      const std::uint64_t step = vcd.at(scope + ".culprit_step", cycle);
      const std::uint64_t message = vcd.at(scope + ".culprit_message", cycle);
      const std::string culprit = step == 0 ? "" : fmt::format("{}.{}", step, message);
      ++stalled[fmt::format("{} {} {} {}", cycle, node, kCauses.at(cause), culprit)];
    }
  }
  return stalled;
}

TEST(Waves, AllNodes_ShowTheFlitsOfTheTrace) {
  const TemporaryDirectory directory;
  struct Case {
    SmallMachine machine;
    std::string nodes;
    std::set<std::string> names;
  };
  std::uint32_t seed = 60;
  for (const Case& one : std::vector<Case>{{kTorus43, "[[0, 0], [2, 1]]", {"[0, 0]", "[2, 1]"}},
                                           {kMesh332, "[[1, 1, 0], [0, 0, 0]]", {"[1, 1, 0]", "[0, 0, 0]"}},
                                           {kCutThrough, "[[3, 2]]", {"[3, 2]"}},
                                           {kStoreAndForward, "[[1, 0]]", {"[1, 0]"}}}) {
    SCOPED_TRACE(seed);
    const auto run = observe(
        directory, fmt::format("run{}", seed), write_random_run(directory, one.machine, seed),
        {"observe.trace=csv", "observe.waves={format: vcd, channels: none, nodes: " + one.nodes + "}"});
    ++seed;
    const Vcd vcd(text_of(run / "waves.vcd"));
    const Traced traced = from_trace(read_csv(run / "trace.csv"), one.names);
    EXPECT_EQ(vcd.timescale(), "1ns");
    EXPECT_FALSE(traced.sent.empty());
    EXPECT_EQ(passing(vcd, ".sent"), traced.sent);
    EXPECT_EQ(passing(vcd, ".put"), traced.put);
    EXPECT_FALSE(traced.stalled.empty());
    EXPECT_EQ(stalls_in(vcd, vcd.end()), traced.stalled);
  }
}

/// A flit waits in cycles in which nothing else happens.
TEST(Waves, SlowLinks_ShowEveryStalledCycle) {
  const TemporaryDirectory directory;
  for (const std::string interval : {"2", "3", "5/4", "40"}) {
    SCOPED_TRACE(interval);
    const std::string config = directory.write(
        "slow.yaml", "flitscope: 1\ntopology: {kind: mesh, shape: [3]}\nlink: {cycles_per_flit: " + interval +
                         "}\nworkload: {algorithm: all-gather-direct, message: 256}\n");
    const auto run =
        observe(directory, "slow" + std::string(1, interval[0]), config,
                {"observe={trace: csv, waves: {format: vcd, channels: none, nodes: ['[0]', '[1]', "
                 "'[2]']}}"});
    const Vcd vcd(text_of(run / "waves.vcd"));
    const Traced traced = from_trace(read_csv(run / "trace.csv"), {"[0]", "[1]", "[2]"});
    EXPECT_GT(traced.stalled.size(), 3U);
    EXPECT_EQ(stalls_in(vcd, vcd.end()), traced.stalled);
    EXPECT_EQ(passing(vcd, ".sent"), traced.sent);
  }
}

TEST(Waves, CreditsThatReturnAfterTheLastFlit_DoNotTurnTimeBack) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("c.yaml",
                      "flitscope: 1\ntopology: {kind: mesh, shape: [2]}\nrouter: {credit_delay: 9}\n"
                      "workload: {algorithm: tree-broadcast, message: 16}\n");
  const auto run = observe(directory, "credits", config,
                           {"observe={waves: {format: vcd, channels: none, nodes: ['[0]', '[1]']}}"});
  std::istringstream dump(text_of(run / "waves.vcd"));
  std::vector<std::uint64_t> times;
  for (std::string line; std::getline(dump, line);) {
    if (line.starts_with('#')) times.push_back(std::stoull(line.substr(1)));
  }
  EXPECT_GT(times.size(), 5U);
  EXPECT_TRUE(std::ranges::is_sorted(times));
}

/// A message is prepared for 30 cycles, crosses a link, and its credits return late.
TEST(Waves, DumpThatBeginsLate_EqualsTheRestOfAWholeOne) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("c.yaml",
                                             "flitscope: 1\ntopology: {kind: mesh, shape: [3]}\n"
                                             "router: {credit_delay: 9, buffer: 5}\nnode: {startup: 30}\n"
                                             "workload: {algorithm: tree-broadcast, message: 160}\n");
  const auto dump_from = [&](Cycle from) {
    const auto run = observe(
        directory, fmt::format("from-{}", from), config,
        {fmt::format("observe={{waves: {{format: vcd, channels: none, nodes: ['[0]', '[1]'], from: {}}}}}",
                     from)});
    return Vcd(text_of(run / "waves.vcd"));
  };
  const Vcd whole = dump_from(0);
  EXPECT_EQ(whole.at("flitscope.node_0.out_plus0.vc0.credits", 10), 5U) << "nothing was sent yet";
  for (const Cycle from : {1, 29, 30, 31, 36, 40, 45, 50, 55, 70, 80}) {
    const Vcd late = dump_from(from);
    EXPECT_EQ(late.end(), whole.end());
    for (const auto& [name, changes] : late.signals()) {
      EXPECT_EQ(changes.begin()->first, from) << name;
      for (Cycle cycle = from; cycle <= whole.end(); ++cycle) {
        EXPECT_EQ(late.at(name, cycle), whole.at(name, cycle))
            << name << " in cycle " << cycle << ", from " << from;
      }
    }
  }
}

/// What a wire of the machine must be like, whatever runs.
TEST(Waves, AnyRun_SignalsAreConsistent) {
  const TemporaryDirectory directory;
  const auto run = observe(directory, "run", write_random_run(directory, kMesh332, 70),
                           {"observe.waves={format: vcd, channels: ['[0, 1, 0]+0'], nodes: none}"});
  const Vcd vcd(text_of(run / "waves.vcd"));
  const std::string out = "flitscope.node_0_1_0.out_plus0.vc0.";
  const std::string in = "flitscope.node_1_1_0.in_plus0.vc0.";
  ASSERT_TRUE(vcd.has(out + "credits") && vcd.has(in + "occupancy"));
  EXPECT_FALSE(vcd.has("flitscope.node_0_1_0.out_plus1.vc0.sent")) << "not asked for";
  const std::uint64_t buffer = 3;
  const std::uint64_t link_delay = 3;
  std::set<std::uint64_t> occupancies;
  for (std::uint64_t cycle = link_delay; cycle < vcd.end(); ++cycle) {
    const std::uint64_t occupied = vcd.at(in + "occupancy", cycle);
    occupancies.insert(occupied);
    // A slot is full, or free, or its credit is on its way.
    EXPECT_LE(vcd.at(out + "credits", cycle) + occupied, buffer);
    const std::uint64_t state = vcd.at(in + "state", cycle);
    EXPECT_TRUE(vcd.at(in + "front", cycle) == 0 || occupied > 0);
    EXPECT_TRUE(state != 0 || occupied == 0);
    EXPECT_TRUE(vcd.at(in + "blocked", cycle) == 0 || state >= 2);
    EXPECT_TRUE(vcd.at(out + "sent", cycle) != 2 || vcd.at(out + "held", cycle) == 1)
        << "a body has a holder";
  }
  EXPECT_EQ(occupancies, (std::set<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(vcd.at(out + "credits", vcd.end()), buffer) << "all credits are back at the end";
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* const pipe = popen(command.c_str(), "r");
  std::array<char, 65536> part{};
  for (std::size_t size = 0; (size = fread(part.data(), 1, part.size(), pipe)) > 0;)
    text.append(part.data(), size);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

/// Changes without those that change nothing.
std::map<std::string, Vcd::Changes> real_changes(const Vcd& vcd) {
  std::map<std::string, Vcd::Changes> result;
  for (const auto& [name, changes] : vcd.signals()) {
    std::uint64_t last = ~std::uint64_t{0};
    for (const auto& [time, value] : changes) {
      if (value != last) result[name][time] = value;
      last = value;
    }
  }
  return result;
}

TEST(Waves, Fst_EqualsVcd) {
  const TemporaryDirectory directory;
  const auto config = write_random_run(directory, kTorus43, 80);
  const std::string scope = "nodes: [[1, 1]], channels: congested, from: 10, to: 150}";
  const auto vcd_run = observe(directory, "vcd", config, {"observe.waves={format: vcd, " + scope});
  const auto fst_run = observe(directory, "fst", config, {"observe.waves={format: fst, " + scope});
  EXPECT_FALSE(fs::exists(fst_run / "waves.vcd")) << "no dump of full size on the disk";
  const Vcd direct(text_of(vcd_run / "waves.vcd"));
  const Vcd through_fst(output_of("fst2vcd " + (fst_run / "waves.fst").string()));
  EXPECT_EQ(real_changes(through_fst), real_changes(direct));
  EXPECT_GT(direct.signals().size(), 50U);
  // Nothing but the chosen time.
  for (const auto& [name, changes] : direct.signals()) {
    for (const auto& [time, value] : changes) EXPECT_TRUE(time >= 10 && time <= 151);
  }
}

/// The channels of the first group of a save file, each with the signals that it has there.
std::vector<std::pair<std::string, std::size_t>> channels_of_the_cycle(const fs::path& run) {
  std::vector<std::pair<std::string, std::size_t>> channels;
  std::istringstream lines(text_of(run / "waves.gtkw"));
  for (std::string line; std::getline(lines, line) && line != "@1000200";) {
    if (line.starts_with("-worm")) channels.emplace_back(line.substr(line.find(": ") + 2), 0);
    if (line.starts_with("flitscope.")) ++channels.back().second;
  }
  return channels;
}

/// All channels that the worms of the dependency cycle hold, in its order; where one ends the next begins.
std::vector<std::string> held_channels(const fs::path& run) {
  const Json result = Json::parse(text_of(run / "result.json"));
  std::vector<std::string> channels;
  for (const Json& worm : result.at("deadlock").at("dependency_cycle")) {
    for (const Json& held : worm.at("holds")) {
      channels.push_back(
          fmt::format("{} VC {}", held.at("channel").get<std::string>(), held.at("vc").get<unsigned>()));
    }
  }
  return channels;
}

void expect_all_held(const fs::path& run) {
  const auto shown = channels_of_the_cycle(run);
  const auto held = held_channels(run);
  ASSERT_EQ(shown.size(), held.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    EXPECT_EQ(shown[i], std::pair(held[i], std::size_t{3 + 7}));
  }
}

/// Four worms, each over two links of a ring.
TEST(Waves, WormsOverSeveralLinks_ShowEveryLink) {
  const TemporaryDirectory directory;
  std::string schedule =
      R"({"flitscope":"schedule","version":1,"topology":{"kind":"torus","shape":[8]},"ports":{"send":2,)"
      R"("receive":2},"routing":"dimension-order","algorithm":"by-hand","steps":1,"messages":4,)"
      R"("chunks":[256,256,256,256],"initial":[[[0],[0]],[[2],[1]],[[4],[2]],[[6],[3]]],)"
      R"("goal":[[[4],[0]],[[6],[1]],[[0],[2]],[[2],[3]]]})"
      "\n";
  for (int i = 0; i < 4; ++i) {
    schedule += fmt::format(R"({{"step":1,"src":[{}],"dst":[{}],"path":[[0,1,4]],"chunks":[{}]}})"
                            "\n",
                            2 * i, (2 * i + 4) % 8, i);
  }
  static_cast<void>(directory.write("four.jsonl", schedule));
  const auto config = directory.write(
      "four.yaml",
      "flitscope: 1\ntopology: {kind: torus, shape: [8]}\nrouter: {routing: dimension-order, "
      "virtual_channels: 1, allow_deadlock: true, buffer: 4}\nworkload: {schedule: four.jsonl}\n");
  const auto run = observe(directory, "run", config, {"observe.waves={format: vcd, channels: none}"}, 3);
  std::vector<std::string> ring;
  for (int i = 0; i < 8; ++i) ring.push_back(fmt::format("[{}]+0 VC 0", i));
  std::vector<std::string> held = held_channels(run);
  const auto first = std::ranges::find(held, ring.front());
  ASSERT_NE(first, held.end());
  std::ranges::rotate(held, first);
  EXPECT_EQ(held, ring) << "the cycle closes";
  expect_all_held(run);
}

TEST(Waves, DeadlockOfGraph_NamesItsLinks) {
  const TemporaryDirectory directory;
  const auto run = observe(directory, "run", shipped_config("networks/ring-anynet.yaml"),
                           {"observe.waves={format: vcd, channels: none}"}, 3);
  expect_all_held(run);
  const std::string save = text_of(run / "waves.gtkw");
  EXPECT_NE(save.find("-r1 in r0>r1 VC 0"), std::string::npos) << save;
  EXPECT_NE(save.find("flitscope.node_r1.in_r0_to_r1.vc0.state"), std::string::npos) << save;
  EXPECT_NE(text_of(run / "waves-wants-r1.txt").find(" r1>r2\n"), std::string::npos);
  EXPECT_EQ(save.find(" p1"), std::string::npos) << save;
}

TEST(Waves, EjectionAtARouterOf255Links_FitsTheBitsOfWants) {
  const TemporaryDirectory directory;
  const auto run = observe(directory, "run", shipped_config("networks/switch-72.yaml"),
                           {"topology.k=255", "node.ejection_interval=4",
                            "workload={traffic: uniform, load: 0.2, message: 32, warmup: 0, measure: 200}",
                            "observe.waves={format: vcd, nodes: [n3], channels: none}"});
  const std::string waves = text_of(run / "waves.vcd");
  EXPECT_NE(waves.find(" wants [8:0] "), std::string::npos);
  EXPECT_NE(waves.find("\nb100000000 "), std::string::npos) << "port 255, and 1";
  EXPECT_NE(text_of(run / "waves-wants-n3.txt").find("100 ejection 0\n"), std::string::npos);
}

TEST(Waves, NamesThatDifferInMarksOnly_HaveScopesAndWordsOfTheirOwn) {
  const TemporaryDirectory directory;
  directory.write("net.yaml",
                  "graph: 1\nrouters: [{name: a-b}, {name: a_b}, {name: a.b}]\n"
                  "links: [{between: [a-b, a_b]}, {between: [a_b, a.b]}, {between: [a-b, a.b]}]\n");
  const auto run = observe(directory, "run",
                           directory.write("config.yaml",
                                           "flitscope: 1\ntopology: {kind: graph, file: net.yaml}\n"
                                           "workload: {algorithm: all-to-all-direct, message: 64}\n"),
                           {"observe.waves={format: vcd, channels: none, nodes: [a-b, a_b, a.b]}"});
  const Vcd vcd(text_of(run / "waves.vcd"));
  std::vector<std::string> nodes;
  std::vector<std::string> outputs;
  for (const auto& [name, changes] : vcd.signals()) {
    if (name.ends_with(".stalled_vcs")) nodes.push_back(name);
    if (name.starts_with("flitscope.node_a_b.out_") && name.ends_with(".vc0.held")) outputs.push_back(name);
  }
  EXPECT_EQ(nodes,
            (std::vector<std::string>{"flitscope.node_a_b.stalled_vcs", "flitscope.node_a_b_2.stalled_vcs",
                                      "flitscope.node_a_b_3.stalled_vcs"}));
  EXPECT_EQ(outputs, (std::vector<std::string>{"flitscope.node_a_b.out_a_b_to_a_b.vc0.held",
                                               "flitscope.node_a_b.out_a_b_to_a_b_2.vc0.held"}));
  EXPECT_NE(text_of(run / "waves-wants-a_b.txt").find(" a-b>a_b\n"), std::string::npos);
  EXPECT_NE(text_of(run / "waves-wants-a_b_2.txt").find(" a_b>a.b\n"), std::string::npos);
  EXPECT_NE(text_of(run / "waves-wants-a_b_3.txt").find(" a.b>a-b\n"), std::string::npos);
}

TEST(Waves, Deadlock_ShowsItsCycleWhenItForms) {
  const TemporaryDirectory directory;
  const auto run = observe(directory, "run", shipped_config("deadlock-ring.yaml"),
                           {"observe.waves={format: vcd, channels: none}"}, 3);
  const Vcd vcd(text_of(run / "waves.vcd"));
  const Json deadlock = Json::parse(text_of(run / "result.json")).at("deadlock");
  const std::uint64_t standstill = deadlock.at("deadlocked_since_cycle");
  for (const Json& worm : deadlock.at("dependency_cycle")) {
    const int node = worm.at("node").at(0);
    const std::string in = fmt::format("flitscope.node_{}.in_plus0.vc0.", node);
    const std::uint64_t since = worm.at("stalled_since_cycle");
    EXPECT_EQ(vcd.at(in + "state", since), 2U) << "waiting for a VC";
    EXPECT_EQ(vcd.at(in + "blocked", since - 1), 0U);
    for (std::uint64_t cycle = since; cycle <= vcd.end(); ++cycle) {
      EXPECT_EQ(vcd.at(in + "blocked", cycle), 1U) << "vc_taken";
      EXPECT_EQ(vcd.at(in + "message", cycle), worm.at("message"));
      EXPECT_EQ(vcd.at(in + "culprit_message", cycle), worm.at("message").get<unsigned>() % 8 + 1);
    }
  }
  // The save file names signals that are there, files that are there, and marks the two events.
  const std::string save = text_of(run / "waves.gtkw");
  std::istringstream lines(save);
  std::string markers;
  std::size_t signals = 0;
  std::size_t of_the_cycle = 0;
  std::vector<std::string> worms;
  std::string group;
  int depth = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("-") && line.size() > 1)
      (line.starts_with("-worm") ? worms.emplace_back() : group) = line;
    if (line.starts_with("*")) markers = line;
    EXPECT_TRUE(!line.starts_with("^1 ") || fs::exists(run / line.substr(3))) << line;
    if (line == "@800200") ++depth;
    if (line == "@1000200") --depth;
    EXPECT_TRUE(depth == 0 || depth == 1);
    if (!line.starts_with("flitscope.")) continue;
    ++(group == "-the dependency cycle of the deadlock" ? of_the_cycle : signals);
    EXPECT_TRUE(vcd.has(line.substr(0, line.find('[')))) << line;
  }
  EXPECT_EQ(depth, 0);
  EXPECT_EQ(signals, vcd.signals().size());
  // The first group is the dependency cycle alone, worm after worm.
  EXPECT_LT(save.find("-the dependency cycle of the deadlock"), save.find("-[0] router"));
  EXPECT_EQ(of_the_cycle, 8U * (3 + 7));
  const Json& dependency_cycle = deadlock.at("dependency_cycle");
  ASSERT_EQ(worms.size(), dependency_cycle.size());
  for (std::size_t i = 0; i < worms.size(); ++i) {
    EXPECT_TRUE(
        worms[i].starts_with(fmt::format("-worm 1.{}: ", dependency_cycle[i].at("message").get<int>())))
        << worms[i];
  }
  // Every name can be read.
  std::size_t longest = 0;
  for (const auto& [name, changes] : vcd.signals()) longest = std::max(longest, name.size());
  const auto width = std::stoul(save.substr(save.find("[signals_width] ") + 16));
  EXPECT_GE(width, 7 * longest);
  std::istringstream fields(markers);
  std::string zoom;
  std::uint64_t primary = 0;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  fields >> zoom >> primary >> first >> second;
  EXPECT_EQ(primary, 3U);
  EXPECT_EQ(first, 3U) << "the first stall";
  EXPECT_EQ(second, standstill);
  EXPECT_NE(text_of(run / "waves-blocked.txt").find("1 vc_taken\n"), std::string::npos);
}

TEST(Waves, NothingToShow_WritesNoFile) {
  const TemporaryDirectory directory;
  const auto config = write_random_run(directory, kTorus43, 90);
  const auto run = observe(directory, "run", config, {"observe.waves={format: vcd, channels: none}"});
  EXPECT_FALSE(fs::exists(run / "waves.vcd")) << "there is no deadlock to show";
  const Outcome nothing =
      run_program({"run", config, "--set", "observe.waves={format: vcd, nodes: none, channels: none}"});
  EXPECT_EQ(nothing.exit_code, 2);
  EXPECT_NE(nothing.err.find("neither nodes nor channels"), std::string::npos);
}

TEST(Waves, FstWithoutVcd2fst_IsRefused) {
  const TemporaryDirectory directory;
  const auto config = write_random_run(directory, kTorus43, 91);
  const std::string command =
      fmt::format("PATH=/nowhere {} run {} --quiet --waves --out {} 2> {}", FLITSCOPE_PROGRAM,
                  config.string(), (directory / "run").string(), (directory / "errors").string());
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 6);
  const std::string errors = text_of(directory / "errors");
  EXPECT_NE(errors.find("Debian package gtkwave"), std::string::npos) << errors;
  EXPECT_FALSE(fs::exists(directory / "run"));
}

TEST(Waves, AllObservers_DoNotChangeTheRun) {
  const TemporaryDirectory directory;
  const auto config = write_random_run(directory, kMesh332, 95);
  const auto comparable = [](const fs::path& run) {
    Json result = Json::parse(text_of(run / "result.json"));
    result.erase("host");
    return result.dump() + text_of(run / "channels.csv") + text_of(run / "steps.csv");
  };
  const auto plain = observe(directory, "plain", config, {});
  const auto watched =
      observe(directory, "watched", config,
              {"observe={messages: true, trace: binary, timeline: true, waves: {format: fst}}"});
  EXPECT_EQ(comparable(plain), comparable(watched));
}

}  // namespace
}  // namespace flitscope::test::waves_test
