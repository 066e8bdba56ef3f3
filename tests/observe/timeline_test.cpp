// The timeline is well-formed for trace processors and agrees with the flit trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/observed_run.h"

namespace flitscope::test::timeline_test {
namespace {

using Json = nlohmann::json;

TEST(Timeline, AllEvents_AgreesWithTheFlitTrace) {
  const TemporaryDirectory directory;
  std::uint32_t seed = 40;
  for (const SmallMachine& machine : {kTorus43, kMesh332, kCutThrough}) {
    const auto run =
        observe(directory, fmt::format("run{}", seed), write_random_run(directory, machine, seed),
                {"observe.trace=csv", "observe.timeline=true", "observe.messages=true"});
    ++seed;
    Timeline timeline(text_of(run / "trace.json"));
    expect_well_formed(timeline);

    // The same spans, from the trace: a VC from its grant to the tail, a stall as long as it lasted.
    std::multiset<std::string> expected;
    std::map<std::string, std::int64_t> flits;
    const Table messages = read_csv(run / "messages.csv");
    for (const Row& row : messages.rows)
      flits[row.text("step") + "." + row.text("message")] = row.number("flits");
    std::map<std::string, std::int64_t> begun;
    std::size_t hops = 0;
    for (const Row& row : read_csv(run / "trace.csv").rows) {
      const std::string message = row.text("step") + "." + row.text("message");
      const std::string place = row.text("node") + row.text("channel") + "/" + row.text("vc") + " " + message;
      const std::string& event = row.text("event");
      if (event == "vc" || (event == "inject" && row.number("flit") == 0)) begun[place] = row.number("cycle");
      if (event == "stall") {
        expected.insert(fmt::format("{} {} {} {}", message, row.number("cycle"),
                                    row.number("cycle") + row.number("stall_cycles"), row.text("cause")));
      } else if (event != "route" && event != "vc" && row.number("flit") + 1 == flits.at(message)) {
        expected.insert(fmt::format("{} {} {}", message, begun.at(place), row.number("cycle") + 1));
        if (event == "hop") ++hops;
      }
    }
    std::multiset<std::string> actual;
    for (const auto& [track, spans] : timeline.tracks) {
      if (track.first == "messages") continue;  // the critical path
      for (const Span& span : spans) {
        const std::string message = span.args.at("message");
        std::string text = fmt::format("{} {} {}", message, span.from, span.end);
        if (span.args.contains("cause")) text += " " + span.args.at("cause").get<std::string>();
        EXPECT_FALSE(span.args.contains("unfinished"));
        actual.insert(text);
      }
    }
    EXPECT_EQ(actual, expected);
    EXPECT_EQ(timeline.messages.size(), messages.rows.size());
    EXPECT_EQ(timeline.arrows.size(), messages.rows.size());
    std::size_t points = 0;
    for (const auto& [id, each] : timeline.arrows) points += each.size();
    EXPECT_EQ(points, hops + 2 * messages.rows.size());  // injection and ejection besides
    std::multiset<std::pair<std::int64_t, std::int64_t>> times;
    std::multiset<std::pair<std::int64_t, std::int64_t>> drawn;
    for (const Row& row : messages.rows)
      times.emplace(row.number("ready_cycle"), row.number("arrival_cycle"));
    for (const auto& [id, phases] : timeline.messages) {
      drawn.emplace(phases.at("b").front(), phases.at("e").front());
    }
    EXPECT_EQ(drawn, times);
  }
}

TEST(Timeline, Deadlock_WormsAndStallsLastToTheEnd) {
  const TemporaryDirectory directory;
  const auto run =
      observe(directory, "run", shipped_config("deadlock-ring.yaml"), {"observe.timeline=true"}, 3);
  const std::int64_t end = Json::parse(text_of(run / "result.json")).at("cycles").get<std::int64_t>() + 1;
  Timeline timeline(text_of(run / "trace.json"));
  expect_well_formed(timeline);
  std::size_t worms = 0;
  std::size_t stalls = 0;
  for (const auto& [track, spans] : timeline.tracks) {
    for (const Span& span : spans) {
      EXPECT_EQ(span.args.contains("unfinished"), span.end == end) << span.name;
      if (span.end == end) ++(span.args.contains("cause") ? stalls : worms);
    }
  }
  EXPECT_EQ(worms, 2U * 8);   // every worm has its injection channel and one link
  EXPECT_EQ(stalls, 2U * 8);  // and both buffers in which it waits
  EXPECT_EQ(timeline.messages.size(), 8U);
}

TEST(Timeline, Filter_HidesAllOtherSpans) {
  const TemporaryDirectory directory;
  const auto config = write_random_run(directory, kTorus43, 50);
  const auto run =
      observe(directory, "run", config,
              {"observe.timeline=true", "observe.filter={nodes: [[1, 1]], steps: [2], from: 40}"});
  Timeline timeline(text_of(run / "trace.json"));
  expect_well_formed(timeline);
  ASSERT_FALSE(timeline.tracks.empty());
  for (const auto& [track, spans] : timeline.tracks) {
    if (track.first == "messages") continue;  // the critical path
    EXPECT_EQ(track.first, "node [1, 1]");
    for (const Span& span : spans) {
      EXPECT_GT(span.end, 40);
      EXPECT_TRUE(span.args.at("message").get<std::string>().starts_with("2."));
    }
  }
}

TEST(Timeline, WithAClock_ShowsItsTimes) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "run.yaml",
      "flitscope: 1\nclock: 2GHz\ntopology: {kind: torus, shape: [4]}\n"
      "workload: {algorithm: tree-broadcast, message: 64}\nobserve: {timeline: true, trace: csv}\n");
  ASSERT_EQ(run_program({"run", config, "--quiet", "--out", directory / "run"}).exit_code, 0);
  const auto timeline = nlohmann::json::parse(text_of(directory / "run/trace.json"));
  const auto result = nlohmann::json::parse(text_of(directory / "run/result.json"));
  EXPECT_EQ(timeline["otherData"]["one cycle"], "500ps");
  double last = 0;
  for (const auto& event : timeline["traceEvents"]) last = std::max(last, event.value("ts", 0.0));
  EXPECT_DOUBLE_EQ(last * 1000, result["ns"].get<double>());  // in microseconds
  for (const Row& row : read_csv(directory / "run/trace.csv").rows) {
    EXPECT_EQ(std::stod(row.text("ns")), 0.5 * static_cast<double>(row.number("cycle")));
  }
}

TEST(Timeline, BackgroundMessages_EndWhenTheyArrive) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("beside.yaml",
                                             "flitscope: 1\ntopology: {kind: mesh, shape: [3]}\nworkload: "
                                             "{algorithm: all-reduce-ring, message: 256, "
                                             "background: {traffic: uniform, load: 0.1, message: 8}}\n");
  const auto run = observe(directory, "beside", config, {"observe.timeline=true"});
  const std::string text = text_of(run / "trace.json");
  EXPECT_NE(text.find("\"message 0.1\""), std::string::npos);
  EXPECT_EQ(text.find("message 0.1 (unfinished)"), std::string::npos);
}

/// The injectors of a channel, one for each class, put flits in turn: a track for each.
TEST(Timeline, ClassesWithQueues_HaveTracksOfTheirOwn) {
  const TemporaryDirectory directory;
  const auto config = directory.write(
      "classes.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 3]}\nrouter: {virtual_channels: 2}\n"
      "node: {ports: 1}\nclasses: [{name: request, vcs: 1}, {name: reply, vcs: 1}]\n"
      "workload: {protocol: request-reply, requests: {traffic: uniform, load: 0.3}, outstanding: unlimited, "
      "request: 64, reply: 64, warmup: 0, measure: 300}\n");
  const auto tracks_of = [&](const std::string& queues) {
    const auto run = observe(directory, queues, config, {"observe.timeline=true", "node.queues=" + queues});
    Timeline timeline(text_of(run / "trace.json"));
    expect_well_formed(timeline);
    std::set<std::string> names;
    for (const auto& [track, spans] : timeline.tracks) {
      if (track.second.starts_with("injection")) names.insert(track.second);
    }
    return names;
  };
  EXPECT_EQ(tracks_of("separate"),
            (std::set<std::string>{"injection 0 of class reply", "injection 0 of class request"}));
  EXPECT_EQ(tracks_of("shared"), std::set<std::string>{"injection 0"});
}

/// With messages of three packets.
TEST(Timeline, PacketsOfClasses_AreOnTheTracksOfTheirMessages_AndArrive) {
  const TemporaryDirectory directory;
  const auto config = directory.write(
      "packets.yaml",
      "flitscope: 1\ntopology: {kind: mesh, shape: [4, 3]}\nrouter: {virtual_channels: 2}\n"
      "node: {ports: 1}\nclasses: [{name: request, vcs: 1}, {name: reply, vcs: 1}]\n"
      "packet: {payload: 32, head_flits: 1}\n"
      "workload: {protocol: request-reply, outstanding: 1, request: 96, reply: 96, batch: 3}\n");
  const std::string text =
      text_of(observe(directory, "packets", config, {"observe.timeline=true"}) / "trace.json");
  Timeline timeline(text);
  expect_well_formed(timeline);
  EXPECT_EQ(text.find("injection 0\""), text.npos);
  EXPECT_NE(text.find("injection 0 of class reply"), text.npos);
  EXPECT_EQ(text.find("unfinished"), text.npos);
}

}  // namespace
}  // namespace flitscope::test::timeline_test
