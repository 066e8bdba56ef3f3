// Every cycle of a channel has one cause, in any run; in small ones it is the known one.
#include "sim/report/channel_time.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "sim/config/config_source.h"
#include "sim/run/experiment.h"
#include "tests/support/program.h"
#include "tests/support/random_cases.h"

namespace flitscope::test::channel_time_test {
namespace {

using Json = nlohmann::json;

struct RunNumbers {
  Cycle cycles = 0;
  std::vector<std::uint64_t> flits;  ///< by channel
};

/// Runs an experiment that leaves its trace in `directory`.
RunNumbers run(const ExperimentConfig& config, const TemporaryDirectory& directory) {
  const Json json = Json::parse(run_isolated([&] {
    RunOptions options;
    options.observed_files = directory.path();
    const RunResult result = run_experiment(config, options);
    Json flits = Json::object();
    for (const ChannelRecord& channel : result.links()->channels) {
      flits[std::to_string(channel.channel)] = channel.flits;
    }
    return Json{{"cycles", result.cycles}, {"flits", flits}}.dump();
  }));
  RunNumbers done{.cycles = json.at("cycles"),
                  .flits = std::vector<std::uint64_t>(config.topology.channel_ids())};
  for (const auto& [channel, flits] : json.at("flits").items()) done.flits[std::stoul(channel)] = flits;
  return done;
}

Cycle of(const ChannelTime& time, ChannelCycle cycle) {
  return time.cycles[static_cast<unsigned>(cycle)];
}

TEST(ChannelTime, RandomRuns_AddUpToTheirCycles) {
  for (std::uint64_t seed = 1; seed <= cases(12); ++seed) {
    const std::string text = fmt::format(
        "flitscope: 1\ntopology: {{kind: {}, shape: [{}, 4]}}\nrouter: {{virtual_channels: {}, buffer: {}, "
        "delay: {}}}\n"
        "link: {{delay: {}, cycles_per_flit: {}}}\nnode: {{ports: {}, injection_interval: {}, "
        "ejection_interval: {}}}\n"
        "workload: {{traffic: {}, load: 0.{}, message: 64, seed: {}, warmup: 50, measure: 300}}\n"
        "observe: {{trace: binary}}\n",
        seed % 2 == 0 ? "torus" : "mesh", 3 + seed % 3, 2 + seed % 2, 1 + seed % 7, 1 + seed % 2,
        1 + seed % 4, std::array{"1", "3/2", "4", "1"}[seed % 4], seed % 3 == 0 ? "1" : "all", 1 + seed % 2,
        1 + seed % 2, seed % 2 == 0 ? "uniform" : "neighbour", 1 + seed % 4, seed);
    const ExperimentConfig config = parse_config(text, "c.yaml", "/");
    const TemporaryDirectory directory;
    const RunNumbers done = run(config, directory);
    const ChannelTimes times = read_channel_times(directory / "trace.bin", config.topology, config.machine);
    const Cycle cycles = times.cycles_run(done.cycles);
    EXPECT_LE(cycles, done.cycles + 1);
    for (ChannelId channel = 0; channel < done.flits.size(); ++channel) {
      const ChannelTime time = times.of(channel, done.cycles);
      EXPECT_EQ(std::accumulate(time.cycles.begin(), time.cycles.end(), Cycle{0}), cycles) << text;
      EXPECT_EQ(of(time, ChannelCycle::busy), done.flits[channel]) << text << channel;
      EXPECT_EQ(of(time, ChannelCycle::unused), done.flits[channel] == 0 ? cycles : 0) << text;
      Cycle behind = 0;
      for (const auto& [other, waited] : time.behind) {
        EXPECT_NE(other, channel);
        behind += waited;
      }
      EXPECT_EQ(behind, of(time, ChannelCycle::behind_busy));
    }
  }
}

ChannelTimes times_of(const std::string& name, const TemporaryDirectory& directory, RunNumbers& done) {
  const ExperimentConfig config =
      load_config(shipped_config(name), std::vector<std::string>{"observe.trace=binary"});
  done = run(config, directory);
  return read_channel_times(directory / "trace.bin", config.topology, config.machine);
}

// Message 1.1 waits for a VC of [1, 0]+0 that 1.2 holds, which waits for [2, 0]+0, busy with 1.3 from cycle 3
// to 64.
TEST(ChannelTime, HotSpot_HasTheCauseAtItsRoot) {
  const TemporaryDirectory directory;
  RunNumbers done;
  const ChannelTimes times = times_of("hot-spot.yaml", directory, done);
  const Topology mesh(TopologyKind::mesh, {4, 4});
  const ChannelId root = mesh.channel(2, 0);
  const ChannelTime bottleneck = times.of(root, done.cycles);
  EXPECT_EQ(of(bottleneck, ChannelCycle::busy), 192U);
  EXPECT_EQ(of(bottleneck, ChannelCycle::behind_busy), 0U);
  const ChannelTime behind = times.of(mesh.channel(1, 0), done.cycles);
  EXPECT_EQ(of(behind, ChannelCycle::busy), 128U);
  ASSERT_EQ(behind.behind.size(), 1U);
  EXPECT_EQ(behind.behind.begin()->first, root);
  EXPECT_GT(behind.behind.begin()->second, 40U);
}

/// Eight flits over a link that takes one in each cycle, then over one that takes one in three, with buffers
/// of two flits.
TEST(ChannelTime, SlowLink_IsBusyBetweenItsFlitsAndTheRootOfTheLinkBefore) {
  const TemporaryDirectory directory;
  directory.write(
      "one.jsonl",
      R"({"flitscope":"schedule","version":2,"topology":{"kind":"mesh","shape":[3]},"ports":{"send":1,"receive":1},)"
      R"("routing":"dimension-order","algorithm":"one","steps":1,"messages":1,"chunks":[],"initial":[],"goal":[]})"
      "\n"
      R"({"step":1,"src":[0],"dst":[2],"path":[[0,1,2]],"control":64})"
      "\n");
  const ExperimentConfig config = parse_config(
      "flitscope: 1\ntopology: {kind: mesh, shape: [3]}\nrouter: {buffer: 2}\n"
      "links: [{at: '[1]+0', cycles_per_flit: 3}]\n"
      "workload: {schedule: one.jsonl}\nobserve: {trace: binary}\n",
      "c.yaml", directory.path());
  const RunNumbers done = run(config, directory);
  const ChannelTimes times = read_channel_times(directory / "trace.bin", config.topology, config.machine);
  const ChannelId slow = config.topology.channel(1, 0);
  const ChannelTime of_slow = times.of(slow, done.cycles);
  EXPECT_EQ(of(of_slow, ChannelCycle::busy), 8U);
  EXPECT_EQ(of(of_slow, ChannelCycle::interval), 16U);
  EXPECT_EQ(of(of_slow, ChannelCycle::arbitration), 0U);
  const ChannelTime before = times.of(config.topology.channel(0, 0), done.cycles);
  EXPECT_EQ(of(before, ChannelCycle::busy), 8U);
  EXPECT_EQ(of(before, ChannelCycle::arbitration), 0U);
  ASSERT_EQ(before.behind.size(), 1U);
  EXPECT_EQ(before.behind.begin()->first, slow);
  EXPECT_EQ(before.behind.begin()->second, 5U);
}

TEST(ChannelTime, Deadlock_IsTheDependencyCycle) {
  const TemporaryDirectory directory;
  RunNumbers done;
  const ChannelTimes times = times_of("deadlock-ring.yaml", directory, done);
  const Topology ring(TopologyKind::torus, {8});
  for (NodeId node = 0; node < 8; ++node) {
    const ChannelTime time = times.of(ring.channel(node, 0), done.cycles);
    EXPECT_EQ(of(time, ChannelCycle::busy), 4U);
    EXPECT_GE(of(time, ChannelCycle::deadlock), done.cycles - 5);
    EXPECT_EQ(of(times.of(ring.channel(node, 1), done.cycles), ChannelCycle::unused),
              times.cycles_run(done.cycles));
  }
}

// --- Passages of worms ------------------------------------------------------------------------------------

TEST(WormTracker, MessageVcAndChannel_NumberThePassage) {
  WormTracker passing(2);
  EXPECT_EQ(passing.number(1, 0, 7, 0), 0U);
  EXPECT_EQ(passing.number(1, 0, 7, 1), 0U);
  EXPECT_EQ(passing.number(1, 3, 7, 1), 1U) << "another VC";
  EXPECT_EQ(passing.number(0, 0, 7, 2), 2U) << "another channel";
}

TEST(WormTracker, GrantBeforeTheTail_KeepsBothPassages) {
  WormTracker passing(1);
  EXPECT_EQ(passing.number(0, 0, 7, 0), 0U);
  EXPECT_EQ(passing.number(0, 0, 8, 1), 1U);
  EXPECT_EQ(passing.number(0, 0, 7, 2), 0U);
  EXPECT_EQ(passing.number(0, 0, 8, 2), 1U);
  EXPECT_EQ(passing.number(0, 0, 9, 2), 2U);
  EXPECT_EQ(passing.number(0, 0, 8, 3), 1U);
}

TEST(ChannelTime, RunOfOneCycle_HasOneCycle) {
  const Topology topology(TopologyKind::mesh, {2});
  EXPECT_EQ(why_text(topology, topology.channel(0, 0), 1, {}), "channel [0]+0 in the 1 cycle of the run:\n");
  EXPECT_EQ(why_text(topology, topology.channel(0, 0), 2, {}), "channel [0]+0 in the 2 cycles of the run:\n");
}

}  // namespace
}  // namespace flitscope::test::channel_time_test
