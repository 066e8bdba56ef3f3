// What --set changes, what it may not, and where diagnostics are said to be.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/config/config.h"
#include "sim/config/config_source.h"
#include "tests/support/config_texts.h"
#include "tests/support/test_broadcast.h"

namespace flitscope::config_override_test {
namespace {

using namespace test;

TEST(Override, ExistingKey_IsReplaced) {
  const auto config = parse(kEverything, {"topology.shape=[5,5,5]", "workload.message=1KiB", "name=other",
                                          "workload.source=[1, 2, 3]", "node.startup=2us"});
  EXPECT_EQ(config.topology, Topology(TopologyKind::mesh, {5, 5, 5}));
  EXPECT_EQ(config.workload.parameters.bytes("message"), 1024U);
  EXPECT_EQ(config.name, "other");
  EXPECT_EQ(config.machine.startup, 4000U);
  EXPECT_EQ(config.machine.buffer, 16U);
}

TEST(Override, MissingSection_IsAddedAndTheLastOverrideCounts) {
  const auto config = parse(kLeast, {"router.buffer=4", "router.buffer=2", "link={delay: 5}"});
  EXPECT_EQ(config.machine.buffer, 2U);
  EXPECT_EQ(config.machine.link_delay, 5U);
}

TEST(Override, Null_RemovesAKey) {
  const auto config =
      parse(kEverything, {"router=null", "workload.source=~", "clock=null", "node.startup=null",
                          "link.delay=null", "limits=null", "workload.pause=null"});
  EXPECT_EQ(config.machine.buffer, 8U);
  EXPECT_EQ(config.workload.parameters.node("source").text, "origin");
  EXPECT_EQ(config.clock, std::nullopt);
  // What was not there need not be taken away.
  EXPECT_EQ(parse(kLeast, {"router.buffer=null", "workload.phases=null", "link=null"}).machine.buffer, 8U);
}

TEST(Override, NullOfASweep_RemovesItAndDoesNothingWithoutOne) {
  const std::string sweep = "sweep: {workload.message: [64]}\n";
  EXPECT_EQ(resolve(parse(kLeast + sweep, {"sweep=null"})), resolve(parse(kLeast)));
  EXPECT_EQ(resolve(parse(kLeast, {"sweep=null"})), resolve(parse(kLeast)));
}

TEST(Override, AlgorithmAndNull_CanBecomeASchedule) {
  const auto config = parse(kLeast, {"workload.algorithm=null", "workload.schedule=steps.jsonl"});
  EXPECT_EQ(config.workload.algorithm, nullptr);
  EXPECT_EQ(config.workload.schedule_file, "/experiments/steps.jsonl");
}

TEST(Override, OtherAlgorithm_HasItsOwnParameters) {
  const auto config = parse(
      "flitscope: 1\ntopology: {kind: torus, shape: [4]}\n"
      "workload: {algorithm: test-broadcast, phases: 3}\n",
      {"workload.algorithm=test-required", "workload.rounds=5", "workload.phases=null"});
  EXPECT_EQ(config.workload.parameters.integer("rounds"), 5);
  EXPECT_FALSE(config.workload.parameters.has("phases"));
}

TEST(OverrideRefusal, InvalidOverride_IsNamedInTheError) {
  const std::vector<std::pair<std::vector<std::string>, std::vector<Expected>>> cases{
      {{"router.bufer=4"},
       {{"--set router.bufer=4", {"unknown key 'router.bufer'", "did you mean 'buffer'?"}}}},
      {{"ruoter.buffer=4"}, {{"--set ruoter.buffer=4", {"unknown key 'ruoter'", "did you mean 'router'?"}}}},
      {{"router.bufer=null"}, {{"--set router.bufer=null", {"did you mean 'buffer'?"}}}},
      {{"ruoter.buffer=null"}, {{"--set ruoter.buffer=null", {"did you mean 'router'?"}}}},
      {{"swep=null"}, {{"--set swep=null", {"unknown key 'swep'", "did you mean 'sweep'?"}}}},
      {{"workload.mesage=null"}, {{"--set workload.mesage=null", {"did you mean 'message'?"}}}},
      {{"buffer=4"}, {{"--set buffer=4", {"did you mean 'router.buffer'?"}}}},
      {{"router.buffer=eight"}, {{"--set router.buffer=eight", {"whole number", "'eight'"}}}},
      {{"topology.shape=[7, x]"}, {{"--set topology.shape=[7, x]", {"topology.shape[1]"}}}},
      {{"topology.shape=[7"}, {{"--set topology.shape=[7", {"'[' is never closed"}}}},
      {{"topology.shape=[1000000,1000000]"}, {{"--set topology.shape=[1000000,1000000]", {"nodes"}}}},
      {{"topology=null"}, {{"c.yaml:1:1", {"section 'topology' is missing"}}}},
      {{"router=8"}, {{"--set router=8", {"must be a map"}}}},
      {{"links=[{at: '[1, 0]+0', delay: 6}]", "links[x].cycles_per_flit=null"},
       {{"--set links[x].cycles_per_flit=null", {"unknown key 'links[x]'"}}}},
      {{"links=[{at: '[1, 0]+0', delay: 6}]", "links[1].delay=3"},
       {{"--set links[1].delay=3", {"there is no links[1]; its items are counted from 0"}}}},
      {{"links=[{at: '[1, 0]+0', delay: 6}]", "links[1].delay=null"},
       {{"--set links[1].delay=null", {"there is no links[1]; its items are counted from 0"}}}},
      {{"classes[0].vcs=2"}, {{"--set classes[0].vcs=2", {"there is no classes[0]"}}}},
      {{"links[0].at=[1, 0]+0"},
       {{"--set links[0].at=[1, 0]+0", {"the value ends before '+0'", "write it in quotes, '[1, 0]+0'"}}}},
      {{"link={dealy: 1}"}, {{"--set link={dealy: 1}", {"did you mean 'delay'?"}}}},
      {{"link={delay: 1, delay: 2}"}, {{"--set link={delay: 1, delay: 2}", {"duplicate key 'delay'"}}}},
      {{"name.first=x"}, {{"--set name.first=x", {"'name' is a key, not a section"}}}},
      {{"topology.shape.x=4"}, {{"--set topology.shape.x=4", {"too deep"}}}},
      {{"router.buffer"}, {{"--set router.buffer", {"PATH=VALUE"}}}},
      {{"=4"}, {{"--set =4", {"PATH=VALUE"}}}},
      {{".buffer=4"}, {{"--set .buffer=4", {"PATH=VALUE"}}}},
      {{"router.=4"}, {{"--set router.=4", {"PATH=VALUE"}}}},
      {{""}, {{"--set ", {"PATH=VALUE"}}}},
      {{"router.buffer="}, {{"--set router.buffer=", {"a value must follow"}}}},
      {{"name=a: b: c"}, {{"--set name=a: b: c", {"broken YAML"}}}},
      {{"name=\xFF"}, {{"--set name=\\xff", {"0xff"}}}},
      {{"flitscope=2"}, {{"--set flitscope=2", {"schema version 1"}}}},
      {{"workload.schedule=s.jsonl"},
       {{"--set workload.schedule=s.jsonl", {"both", "workload.algorithm=null"}}}},
      {{"workload.algorithm=null"}, {{"c.yaml:3:1", {"'algorithm: NAME'"}}}},
  };
  for (const auto& [overrides, expected] : cases) {
    expect_refusal(refusal(kLeast, overrides), expected, overrides.front());
  }
}

TEST(OverrideRefusal, ParametersOfTheReplacedAlgorithm_AreUnknown) {
  expect_refusal(refusal(kHead + kTorus + "workload: {algorithm: test-broadcast, phases: 3}\n",
                         {"workload.algorithm=test-required", "workload.rounds=1"}),
                 {{"c.yaml:3:39", {"unknown key 'workload.phases'"}}}, "");
}

TEST(Located, LaterRefusal_HasThePlaceOfItsKey) {
  const std::string text = kHead + kTorus +
                           "workload:\n"
                           "  algorithm: test-broadcast\n"
                           "  source: [1, 2]\n"
                           "router: {buffer: 4}\n";
  const std::vector<std::string> overrides{"workload.message=4KiB"};
  const auto config = parse_config(text, "c.yaml", "", overrides);
  const auto at = [&](const std::string& key) {
    return std::string(located(config, {key, "is wrong"}).what());
  };
  EXPECT_EQ(at("workload.source"), "c.yaml:5:11: is wrong");
  EXPECT_EQ(at("topology.shape"), "c.yaml:2:32: is wrong");
  EXPECT_EQ(at("workload.message"), "--set workload.message=4KiB: is wrong");
  EXPECT_EQ(at("router.virtual_channels"), "c.yaml:6:1: router.virtual_channels: is wrong");  // its section
  EXPECT_EQ(at("node.ports"), "c.yaml:1:1: node.ports: is wrong");                            // the file
  EXPECT_EQ(at("workload"), "c.yaml:3:1: is wrong");
}

}  // namespace
}  // namespace flitscope::config_override_test
