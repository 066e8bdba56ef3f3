// What a configuration may not say: every mistake is found at once, at its place, with what would be right.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "sim/config/config.h"
#include "tests/support/config_texts.h"
#include "tests/support/test_broadcast.h"

namespace flitscope::config_refusal_test {
namespace {

using namespace test;

struct Case {
  std::string text;
  std::vector<Expected> expected;
};

void expect_refusals(const std::vector<Case>& cases) {
  for (const Case& each : cases) expect_refusal(refusal(each.text), each.expected, each.text);
}

TEST(ConfigRefusal, ValuesOfAnotherType_AreRefused) {
  const std::string router = kLeast + "router: ";
  expect_refusals({
      {router + "{buffer: \"eight\"}",
       {{"c.yaml:4:18", {"router.buffer", "a whole number from 1 to 16777216", "eight"}}}},
      {router + "{buffer: eight}", {{"c.yaml:4:18", {"not 'eight'"}}}},
      {router + "{buffer: \"8\"}", {{"c.yaml:4:18", {"the text '8' in quotes"}}}},
      {router + "{buffer: 3.5}", {{"c.yaml:4:18", {"whole number", "'3.5'"}}}},
      {router + "{buffer: 8.0}", {{"c.yaml:4:18", {"whole number"}}}},
      {router + "{buffer: 1e3}", {{"c.yaml:4:18", {"whole number"}}}},
      {router + "{buffer: 0x10}", {{"c.yaml:4:18", {"whole number"}}}},
      {router + "{buffer: 010}", {{"c.yaml:4:18", {"whole number"}}}},
      {router + "{buffer: +8}", {{"c.yaml:4:18", {"whole number"}}}},
      {router + "{buffer: true}", {{"c.yaml:4:18", {"whole number"}}}},
      {router + "{buffer: [8]}", {{"c.yaml:4:18", {"not a list"}}}},
      {router + "{buffer: {a: 8}}", {{"c.yaml:4:18", {"not a map"}}}},
      {router + "{buffer: }", {{"c.yaml:4:10", {"not nothing"}}}},
      {router + "{buffer: null}", {{"c.yaml:4:10", {"not nothing"}}}},
      {router + "{allow_deadlock: yes}", {{"c.yaml:4:26", {"true or false", "'yes'"}}}},
      {router + "{allow_deadlock: True}", {{"c.yaml:4:26", {"true or false"}}}},
      {router + "{allow_deadlock: 1}", {{"c.yaml:4:26", {"true or false"}}}},
      {router + "{allow_deadlock: \"true\"}", {{"c.yaml:4:26", {"true or false"}}}},
      {router + "{switching: wormhol}",
       {{"c.yaml:4:21", {"'virtual-cut-through'", "did you mean 'wormhole'?"}}}},
      {router + "{switching: [wormhole]}", {{"c.yaml:4:21", {"not a list"}}}},
      {router + "{routing: dimension_order}", {{"c.yaml:4:19", {"did you mean 'dimension-order'?"}}}},
      {router + "{virtual_channels: automatic}", {{"c.yaml:4:28", {"did you mean 'auto'?"}}}},
      {router + "5", {{"c.yaml:4:9", {"section 'router' must be a map", "'5'"}}}},
      {router + "[1]", {{"c.yaml:4:9", {"not a list"}}}},
      {router, {{"c.yaml:4:1", {"not nothing"}}}},
      {kLeast + "name: [a]", {{"c.yaml:4:7", {"name must be text"}}}},
      {kLeast + "name: \"a\\nb\"", {{"c.yaml:4:7", {"one line"}}}},
      {kLeast + "node: {ports: any}", {{"c.yaml:4:15", {"from 1 to 32", "'all'"}}}},
      {kLeast + "node: {copy_cycles_per_byte: -0.5}",
       {{"c.yaml:4:30", {"a number from 0 to 1000", "'-0.5'"}}}},
      {kLeast + "node: {flit_bytes: 8KB}", {{"c.yaml:4:20", {"KiB", "'KB' is not a unit of size"}}}},
      {kLeast + "node: {flit_bytes: [8]}", {{"c.yaml:4:20", {"not a list"}}}},
  });
}

TEST(ConfigRefusal, NumbersOutOfRange_AreRefused) {
  expect_refusals({
      {kLeast + "router: {virtual_channels: 0}", {{"c.yaml:4:28", {"from 1 to 64, or 'auto'", "not '0'"}}}},
      {kLeast + "router: {virtual_channels: 65}", {{"c.yaml:4:28", {"from 1 to 64"}}}},
      {kLeast + "router: {buffer: 0}", {{"c.yaml:4:18", {"16777216"}}}},
      {kLeast + "router: {buffer: -8}", {{"c.yaml:4:18", {"'-8'"}}}},
      {kLeast + "router: {buffer: 16777217}", {{"c.yaml:4:18", {"16777216"}}}},
      {kLeast + "router: {buffer: 99999999999999999999}", {{"c.yaml:4:18", {"99999999999999999999"}}}},
      {kLeast + "router: {delay: 0}", {{"c.yaml:4:17", {"from 1 to 65535 cycles"}}}},
      {kLeast + "link: {delay: 65536}", {{"c.yaml:4:15", {"link.delay"}}}},
      {kLeast + "node: {ports: 0}", {{"c.yaml:4:15", {"node.ports"}}}},
      {kLeast + "node: {ports: 33}", {{"c.yaml:4:15", {"node.ports"}}}},
      {kLeast + "node: {startup: -1}", {{"c.yaml:4:17", {"node.startup", "-1"}}}},
      {kLeast + "node: {startup: 1000000000001}", {{"c.yaml:4:17", {"1000000000000"}}}},
      {kLeast + "node: {injection_interval: 1025}", {{"c.yaml:4:28", {"1024"}}}},
      {kLeast + "node: {flit_bytes: 0}", {{"c.yaml:4:20", {"1 to 65536 bytes"}}}},
      {kLeast + "node: {flit_bytes: 65KiB}", {{"c.yaml:4:20", {"1 to 65536 bytes"}}}},
      {kLeast + "node: {flit_bytes: -8B}", {{"c.yaml:4:20", {"negative"}}}},
      {kLeast + "limits: {cycles: 0}", {{"c.yaml:4:18", {"limits.cycles"}}}},
      {kLeast + "limits: {cycles: 1000000000000001}", {{"c.yaml:4:18", {"limits.cycles"}}}},
  });
}

TEST(ConfigRefusal, InvalidShapes_AreRefused) {
  const auto topology = [](const std::string& map) { return kHead + "topology: " + map + "\n" + kWork; };
  expect_refusals({
      {topology("{kind: torus, shape: 7}"), {{"c.yaml:2:32", {"a list, such as [8, 8]", "not '7'"}}}},
      {topology("{kind: torus, shape: [7, x]}"), {{"c.yaml:2:36", {"topology.shape[1]", "'x'"}}}},
      {topology("{kind: torus, shape: [7, [7]]}"), {{"c.yaml:2:36", {"topology.shape[1]", "not a list"}}}},
      {topology("{kind: torus, shape: [1, 0, -3]}"),
       {{"c.yaml:2:33", {"'1'"}}, {"c.yaml:2:36", {"'0'"}}, {"c.yaml:2:39", {"'-3'"}}}},
      {topology("{kind: torus, shape: []}"), {{"c.yaml:2:32", {"an empty list"}}}},
      {topology("{kind: torus, shape: origin}"), {{"c.yaml:2:32", {"a list"}}}},
      {topology("{kind: torus, shape: [1000000, 1000000]}"), {{"c.yaml:2:32", {"1000000x1000000", "nodes"}}}},
      {topology("{kind: torus, shape: [4294967298]}"), {{"c.yaml:2:33", {"2147483648"}}}},
      {topology("{kind: mesh, shape: [2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2,2]}"),
       {{"c.yaml:2:31", {"17 dimensions"}}}},
      {topology("{kind: tours, shape: [7]}"),
       {{"c.yaml:2:18", {"'torus', 'mesh'", "did you mean 'torus'?"}}}},
      {topology("{kind: torus}"), {{"c.yaml:2:1", {"'topology.shape' is missing", "a list"}}}},
      {topology("{kind: express-cube, shape: [8], interval: 3}"),
       {{"c.yaml:2:54", {"topology.interval must divide every side"}}}},
      {topology("{kind: twisted-torus, shape: [4, 4], twist: 4}"),
       {{"c.yaml:2:55", {"topology.twist must be less than the first side, 4"}}}},
      {topology("{kind: chiplets, chiplets: [2], mesh: [2, 2]}"),
       {{"c.yaml:2:38", {"topology.chiplets must be two numbers"}}}},
      {topology("{kind: slim-fly, q: 6}"), {{"c.yaml:2:31", {"topology.q must be a power of a prime"}}}},
      {topology("{shape: [7]}"), {{"c.yaml:2:1", {"'topology.kind' is missing", "'mesh'"}}}},
      {kHead + kWork, {{"c.yaml:1:1", {"section 'topology' is missing", "it must have kind"}}}},
  });
}

TEST(ConfigRefusal, UnknownAndDuplicateKeys_AreRefused) {
  expect_refusals({
      {kLeast + "router: {virtual_chanels: 4}",
       {{"c.yaml:4:10", {"unknown key 'router.virtual_chanels'", "did you mean 'virtual_channels'?"}}}},
      {kLeast + "ruoter: {buffer: 4}", {{"c.yaml:4:1", {"unknown key 'ruoter'", "did you mean 'router'?"}}}},
      {kLeast + "buffer: 4", {{"c.yaml:4:1", {"did you mean 'router.buffer'?"}}}},
      {kLeast + "node: {message: 4}", {{"c.yaml:4:8", {"did you mean 'workload.message'?"}}}},
      {kLeast + "sweep: {workload.message: [64]}",
       {{"c.yaml:4:1", {"flitscope sweep CONFIG", "sweep=null"}}}},
      {kLeast + "sweep: {}", {{"c.yaml:4:1", {"flitscope sweep CONFIG"}}}},
      {kLeast + "optics: {reconfiguration: 8}", {{"c.yaml:4:1", {"unknown key 'optics'"}}}},
      {kLeast + "engine: {cores: auto}", {{"c.yaml:4:10", {"unknown key 'engine.cores'"}}}},
      {kLeast + "engine: {threads: 0}", {{"c.yaml:4:19", {"engine.threads"}}}},
      {kLeast + "optical: {reconfiguration: 8}",
       {{"c.yaml:4:1", {"unknown key 'optical'; it is called 'circuits' now"}}}},
      {kLeast + "optical.reconfiguration: 8",
       {{"c.yaml:4:1", {"it is called 'circuits.reconfiguration' now"}}}},
      {kLeast + "observe: {map: true}",
       {{"c.yaml:4:11",
         {"unknown key 'observe.map'; the report of every run has the map: flitscope report DIR"}}}},
      {kLeast + "power: {model: orion}",
       {{"c.yaml:4:1",
         {"unknown key 'power'; power is called energy.table in flitscope: write energy: {table: 22nm}"}}}},
      {kLeast + "temperature: {model: hotspot}",
       {{"c.yaml:4:1",
         {"unknown key 'temperature'; flitscope does not model temperature: docs/limits.md says what to use "
          "instead"}}}},
      {kLeast + "mtu: 256",
       {{"c.yaml:4:1",
         {"unknown key 'mtu'; mtu is called packet.payload in flitscope: write packet: {payload: 256}"}}}},
      {kLeast + "priority: 1",
       {{"c.yaml:4:1", {"priority is called classes in flitscope: write classes: [{name: a, vcs: [0]}"}}}},
      {kLeast + "packet: {head_flits: 1}", {{"c.yaml:4:1", {"packet has no 'payload'"}}}},
      {kLeast + "link: {wire_length: 3}",
       {{"c.yaml:4:8", {"wire_length is called link.mm in flitscope: write link: {mm: 2}"}}}},
      {kLeast + "router.buffer: 4",
       {{"c.yaml:4:1", {"unknown key 'router.buffer'; write it in its section, router: {buffer: ..}"}}}},
      {kLeast + "observe.waves.format: vcd",
       {{"c.yaml:4:1", {"write it in its section, observe: {waves: {format: ..}}"}}}},
      {kLeast + "<<: {name: x}", {{"c.yaml:4:1", {"unknown key '<<'"}}}},
      {kLeast + "topology: {kind: mesh, shape: [3]}",
       {{"c.yaml:4:1", {"duplicate key 'topology'", "c.yaml:2:1"}}}},
      {kLeast + "router:\n  buffer: 4\n  \"buffer\": 4",
       {{"c.yaml:6:3", {"duplicate key 'buffer'", "c.yaml:5:3"}}}},
      {kLeast + "? [a]\n: 1", {{"c.yaml:4:3", {"a key must be a word"}}}},
      {kLeast + "router: {buffer: 4, , delay: 1}", {{"c.yaml:4:21", {"a key must be a word"}}}},
  });
}

TEST(ConfigRefusal, ParameterOfAnotherEntry_NamesTheEntriesThatHaveIt) {
  const auto work = [](const std::string& map) { return kHead + kTorus + "workload: " + map + "\n"; };
  const auto topology = [](const std::string& map) { return kHead + "topology: " + map + "\n" + kWork; };
  expect_refusals({
      {work("{traffic: uniform, rates: rates.csv}"),
       {{"c.yaml:3:30",
         {"unknown key 'workload.rates'; it goes with traffic: matrix; possible are algorithm, "}}}},
      {work("{traffic: uniform, nodes: origin}"), {{"c.yaml:3:30", {"it goes with traffic: hotspot; "}}}},
      {work("{traffic: uniform, order: random}"),
       {{"c.yaml:3:30", {"it goes with traffic: all-to-all or algorithm: ", "test-broadcast"}}}},
      {work("{traffic: uniform, rounds: 2}"),
       {{"c.yaml:3:30", {"it goes with algorithm: test-required; possible are "}}}},
      {work("{algorithm: test-broadcast, rounds: 2}"),
       {{"c.yaml:3:39", {"it goes with algorithm: test-required; "}}}},
      {work("{schedule: s.jsonl, rates: rates.csv}"), {{"c.yaml:3:31", {"it goes with traffic: matrix; "}}}},
      {work("{classes: [{traffic: uniform, rates: rates.csv}]}"),
       {{"c.yaml:3:41", {"it goes with traffic: matrix; possible are name, traffic, "}}}},
      {work("{schedule: s.jsonl, background: {traffic: uniform, share: 0.1}}"),
       {{"c.yaml:3:62", {"it goes with traffic: hotspot; "}}}},
      {work("{protocol: request-reply, requests: {rates: rates.csv}}"),
       {{"c.yaml:3:48", {"it goes with traffic: matrix; "}}}},
      {topology("{kind: torus, shape: [7], global_delay: 2}"),
       {{"c.yaml:2:37", {"it goes with kind: dragonfly; possible are kind, "}}}},
      {topology("{kind: torus, shape: [7], concentration: 2}"),
       {{"c.yaml:2:37", {"it goes with kind: concentrated-mesh, hyperx, jellyfish, ...; "}}}},
  });
  const std::string taken = "workload.rates=null";
  expect_refusal(refusal(work("{traffic: uniform}"), {taken}),
                 {{"--set " + taken, {"it goes with traffic: matrix; "}}}, taken);
}

std::string refusal_text(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return fmt::format("{}", fmt::join(refusal(text, overrides), "\n"));
}

/// A key that other simulators have under `word`, written in any section.
void expect_synonym(const std::string& word, const std::string& wanted) {
  for (const std::string section : {"topology", "router", "link", "workload", "observe", "limits"}) {
    const std::string text = refusal_text(kLeast, {section + "." + word + "=4"});
    EXPECT_NE(text.find("unknown key '" + section + "." + word + "'; " + word + " is called " + wanted),
              text.npos)
        << text;
  }
  const std::string top_level = refusal_text(kLeast + word + ": 4\n");
  EXPECT_NE(top_level.find("c.yaml:4:1: unknown key '" + word + "'; " + word + " is called " + wanted),
            top_level.npos)
      << top_level;
}

TEST(ConfigRefusal, SynonymOfVirtualChannels_NamesTheKey) {
  const std::string wanted = "router.virtual_channels in flitscope: write router: {virtual_channels: 4}";
  expect_synonym("vcs", wanted);
  expect_synonym("num_vcs", wanted);
}

TEST(ConfigRefusal, KeyOfASweepBesideIt_NamesTheSection) {
  for (const std::string key : {"run", "slurm", "zip", "replicas", "exclude", "repeat"}) {
    const std::string wanted = "unknown key '" + key + "'; it belongs in the section sweep, as sweep." + key;
    EXPECT_NE(refusal_text(kLeast + key + ": {memory: 1GiB}\n").find("c.yaml:4:1: " + wanted),
              std::string::npos)
        << key;
    EXPECT_NE(refusal_text(kLeast, {key + ".memory=1GiB"}).find(wanted), std::string::npos) << key;
  }
}

TEST(ConfigRefusal, SynonymOfBuffer_NamesTheKey) {
  expect_synonym("buffer_depth", "router.buffer in flitscope: write router: {buffer: 8}");
  expect_synonym("vc_buf_size", "router.buffer in flitscope: write router: {buffer: 8}");
}

TEST(ConfigRefusal, PacketSize_NamesTheMessage) {
  expect_synonym("packet_size",
                 "workload.message in flitscope: write workload: {traffic: uniform, message: 64}");
}

TEST(ConfigRefusal, FlitWidth_NamesTheBytesOfAFlit) {
  expect_synonym("flit_width", "node.flit_bytes in flitscope: write node: {flit_bytes: 8}");
}

TEST(ConfigRefusal, SynonymOfShape_NamesTheKey) {
  for (const std::string word : {"k", "n", "dim"}) {
    expect_synonym(word, "topology.shape in flitscope: write topology: {kind: torus, shape: [8, 8]}");
  }
}

TEST(ConfigRefusal, RoutingOfOthersAsKey_NamesTheKey) {
  for (const std::string word : {"xy", "dor"}) {
    expect_synonym(word, "router.routing in flitscope: write router: {routing: dimension-order}");
  }
}

TEST(ConfigRefusal, RenamedKeys_NameTheirNewNames) {
  const std::vector<std::array<std::string, 2>> renamed{
      {"link.rate", "'link.cycles_per_flit'"},
      {"node.injection_rate", "'node.injection_interval'"},
      {"node.ejection_rate", "'node.ejection_interval'"},
      {"node.slowdown", "'node.injection_interval' and 'node.ejection_interval'"},
      {"node.copy", "'node.copy_cycles_per_byte'"},
      {"node.reduce", "'node.reduce_cycles_per_byte'"},
      {"router.vc_turnaround", "'router.vc_reallocation_delay'"},
      {"topology.sides", "'topology.shape'"},
  };
  for (const auto& [before, now] : renamed) {
    const std::string text = refusal_text(kLeast, {before + "=2"});
    EXPECT_NE(text.find("unknown key '" + before + "'; it is called " + now + " now"), text.npos) << text;
  }
  const std::string item = refusal_text(kLeast + "links: [{at: '[0, 0]+0', rate: 2}]\n");
  EXPECT_NE(item.find("unknown key 'links[0].rate'; it is called 'links.cycles_per_flit' now"), item.npos)
      << item;
}

TEST(ConfigRefusal, InjectionRate_NamesTheLoad) {
  const std::string wanted =
      "injection_rate is called workload.load in flitscope: write workload: {traffic: uniform, load: 0.1}";
  const std::string traffic = kHead + kTorus + "workload: {traffic: uniform, injection_rate: 0.1}\n";
  EXPECT_NE(refusal_text(traffic).find("c.yaml:3:30: unknown key 'workload.injection_rate'; " + wanted),
            traffic.npos);
  EXPECT_NE(refusal_text(kLeast + "injection_rate: 0.1\n").find(wanted), traffic.npos);
  EXPECT_NE(refusal_text(kHead + kTorus + "workload: {injection_rate: 0.1}\n").find(wanted), traffic.npos);
}

TEST(ConfigRefusal, RetiredValue_NamesItsSuccessor) {
  const std::string text = refusal_text(kLeast + "engine: {fast_forward: auto}\n");
  EXPECT_NE(text.find("not 'auto'; write fast_forward: on, which looks for repeats where it pays"), text.npos)
      << text;
}

TEST(ConfigRefusal, RoutingValuesOfOthers_NameTheRoutingFunction) {
  for (const std::string word : {"xy", "dor"}) {
    const std::string text = refusal_text(kLeast + "router: {routing: " + word + "}\n");
    EXPECT_NE(text.find("not '" + word + "'; " + word +
                        " is called dimension-order in flitscope: write routing: dimension-order"),
              text.npos)
        << text;
  }
}

TEST(ConfigRefusal, NoneOfAKeyThatTheNetworkLacks_IsAdmitted) {
  const std::string circuits = kHead + "topology: {kind: complete, nodes: 8}\n" + kWork +
                               "node: {ports: 1}\ncircuits: {reconfiguration: 0}\nobserve: ";
  EXPECT_EQ(refusal(circuits + "{trace: none}\n"), std::vector<std::string>());
  expect_refusals(
      {{circuits + "{trace: csv}\n",
        {{"c.yaml:6:11", {"observe.trace is for networks with links, not for 'kind: complete'"}}}}});
}

TEST(ConfigRefusal, OtherSchemaVersion_IsRefused) {
  expect_refusals({
      {kTorus + kWork, {{"c.yaml:1:1", {"'flitscope' is missing"}}}},
      {"flitscope: 2\nother: 1\n", {{"c.yaml:1:12", {"reads schema version 1, not 2"}}}},
      {"flitscope: one\n" + kTorus + kWork, {{"c.yaml:1:12", {"'one'"}}}},
      {"flitscope: \"1\"\n" + kTorus + kWork, {{"c.yaml:1:12", {"quotes"}}}},
      {"flitscope: 1.0\n" + kTorus + kWork, {{"c.yaml:1:12", {"'1.0'"}}}},
  });
}

TEST(ConfigRefusal, InvalidWorkloads_AreRefused) {
  const auto work = [](const std::string& map) { return kHead + kTorus + "workload: " + map + "\n"; };
  expect_refusals({
      {kHead + kTorus,
       {{"c.yaml:1:1", {"section 'workload' is missing", "algorithm, schedule, traffic or protocol"}}}},
      {work("{}"), {{"c.yaml:3:1", {"'algorithm: NAME'", "'schedule: FILE'"}}}},
      {work("{algorithm: null, advance: barrier}"), {{"c.yaml:3:1", {"'algorithm: NAME'"}}}},
      {work("{traffik: uniform}"),
       {{"c.yaml:3:1", {"'algorithm: NAME'"}}, {"c.yaml:3:12", {"did you mean 'traffic'?"}}}},
      {work("{mesage: 64}"), {{"c.yaml:3:1", {"'algorithm: NAME'"}}, {"c.yaml:3:12", {"'message'"}}}},
      {work("{message: 64}"), {{"c.yaml:3:1", {"'algorithm: NAME'"}}}},
      {work("{algorithm: test-broadcats, traffic: uniform}"),
       {{"c.yaml:3:23", {"did you mean 'test-broadcast'?"}},
        {"c.yaml:3:48", {"both 'algorithm' and 'traffic'"}}}},
      {work("{algoritm: test-broadcast}"),
       {{"c.yaml:3:1", {"'algorithm: NAME'"}}, {"c.yaml:3:12", {"did you mean 'algorithm'?"}}}},
      {work("{algorithm: test-broadcast, schedule: s.jsonl}"), {{"c.yaml:3:49", {"both", "leave one out"}}}},
      {work("{algorithm: test-broadcast, source: [0, 0], message: 8, data: 8}"),
       {{"c.yaml:3:73", {"workload.data scales a schedule's file, and there is no 'schedule'"}}}},
      {work("{algorithm: test-broadcats}"), {{"c.yaml:3:23", {"did you mean 'test-broadcast'?"}}}},
      {work("{schedule: s.jsonl, message: 64}"), {{"c.yaml:3:31", {"workload.message goes with traffic"}}}},
      {work("{schedule: \"\"}"), {{"c.yaml:3:22", {"must name a file"}}}},
      {work("{algorithm: test-required}"),
       {{"c.yaml:3:1", {"'workload.rounds' is missing", "of at least 1"}}}},
      {work("{algorithm: test-required, rounds: -99999999999999999999}"),
       {{"c.yaml:3:46", {"must be a whole number of at least 1, not '-99999999999999999999'"}}}},
      {work("{algorithm: test-required, rounds: 9223372036854775808}"),
       {{"c.yaml:3:46",
         {"must be a whole number of at least 1, not '9223372036854775808': the largest is "
          "9223372036854775807"}}}},
      {work("{algorithm: test-broadcast, advance: data-flow}"),
       {{"c.yaml:3:48", {"did you mean 'dataflow'?"}}}},
      {work("{algorithm: test-broadcast, lookahead: 0}"), {{"c.yaml:3:50", {"from 1"}}}},
      {work("{algorithm: test-broadcast, mesage: 64}"), {{"c.yaml:3:39", {"did you mean 'message'?"}}}},
      {work("{algorithm: test-broadcast, message: 0}"), {{"c.yaml:3:48", {"workload.message", "from 1"}}}},
      {work("{algorithm: test-broadcast, message: 30us}"), {{"c.yaml:3:48", {"'us' is not a unit of size"}}}},
      {work("{algorithm: test-broadcast, phases: 10}"), {{"c.yaml:3:47", {"from 1 to 9"}}}},
      {work("{algorithm: test-broadcast, order: forwards}"), {{"c.yaml:3:46", {"did you mean 'forward'?"}}}},
      {work("{algorithm: test-broadcast, share: 1.5}"), {{"c.yaml:3:46", {"a number from 0 to 1"}}}},
      {work("{algorithm: test-broadcast, share: nan}"), {{"c.yaml:3:46", {"a number"}}}},
      {work("{algorithm: test-broadcast, share: 0.5x}"), {{"c.yaml:3:46", {"a number"}}}},
      {work("{algorithm: test-broadcast, source: {x: 0}}"),
       {{"c.yaml:3:47", {"a node, such as [0, 1, 2], on a graph its name, or 'origin'"}}}},
      {work("{algorithm: test-broadcast, source: []}"), {{"c.yaml:3:47", {"an empty list"}}}},
      {work("{algorithm: test-broadcast, source: [0, -1]}"),
       {{"c.yaml:3:51", {"workload.source[1]", "from 0"}}}},
  });
}

TEST(ConfigRefusal, InvalidTimes_AreRefused) {
  expect_refusals({
      {kLeast + "node: {startup: 30us}", {{"c.yaml:4:17", {"'30us'", "clock: 1ns"}}}},
      {kLeast + "clock: 1ns\nnode: {startup: 30}\nlink: {delay: 1.5}", {{"c.yaml:6:15", {"needs a unit"}}}},
      {kLeast + "clock: 0.8ns\nnode: {startup: 2ns}",
       {{"c.yaml:5:17", {"clock of 800ps", "between 2 and 3 cycles"}}}},
      {kLeast + "clock: 1ns\nlink: {delay: 1ms}", {{"c.yaml:5:15", {"from 1 to 65535 cycles"}}}},
      {kLeast + "clock: 1ns\nlink: {delay: 0ns}", {{"c.yaml:5:15", {"from 1"}}}},
      {kLeast + "clock: 1ns\nnode: {startup: 4KiB}", {{"c.yaml:5:17", {"'KiB' is not a unit of time"}}}},
      {kLeast + "clock: 5", {{"c.yaml:4:8", {"needs a unit", "such as 1ns"}}}},
      {kLeast + "clock: 1THz\nnode: {startup: 30us}", {{"c.yaml:4:8", {"'THz' is not a unit of frequency"}}}},
      {kLeast + "clock: 0ns", {{"c.yaml:4:8", {"from 1ps to 1s"}}}},
      {kLeast + "clock: 2s", {{"c.yaml:4:8", {"from 1ps to 1s"}}}},
      {kLeast + "clock: [1ns]\nnode: {startup: 30us}", {{"c.yaml:4:8", {"clock must be"}}}},
  });
}

TEST(ConfigRefusal, BrokenYaml_IsRefused) {
  using namespace std::string_literals;
  expect_refusals({
      {"", {{"c.yaml:1:1", {"empty"}}}},
      {"# nothing\n", {{"c.yaml:1:1", {"empty"}}}},
      {"---\n", {{"c.yaml:2:1", {"empty"}}}},
      {"just text", {{"c.yaml:1:1", {"must be a map"}}}},
      {"- a\n- b\n", {{"c.yaml:1:1", {"must be a map"}}}},
      {"a: b: c", {{"c.yaml:1:5", {"broken YAML"}}}},
      {kHead + "topology: {kind: torus, shape: [7, 7\n", {{"c.yaml:2:32", {"'[' is never closed"}}}},
      {kHead + "topology: {kind: torus, shape: [7, 7}\n", {{"c.yaml:2:37", {"broken YAML"}}}},
      {kHead + "topology: {kind: torus\n", {{"c.yaml:2:11", {"'{' is never closed"}}}},
      {kHead + "name: 'x", {{"c.yaml:2:9", {"broken YAML"}}}},
      {kHead + "]", {{"c.yaml:2:1", {"broken YAML"}}}},
      {kLeast + "---\n" + kLeast, {{"c.yaml:4:1", {"second document"}}}},
      {kLeast + "...\nmore", {{"c.yaml:5:1", {"second document"}}}},
      {kHead + "na\0me: x"s, {{"c.yaml:2:3", {"byte 0x00"}}}},
      {kHead + "name: \xFF\xFE", {{"c.yaml:2:7", {"byte 0xff is not UTF-8"}}}},
      {"\x7F"
       "ELF\x02\x01\x01"s,
       {{"c.yaml:1:1", {"byte 0x7f is a control character, not text"}}}},
      {"PK\x03\x04", {{"c.yaml:1:3", {"byte 0x03 is a control character, not text"}}}},
      {std::string(100'000, '['), {{"c.yaml:1:65", {"nested too deeply"}}}},
      {std::string(100'000, '{'), {{"c.yaml:1:65", {"nested too deeply"}}}},
      {kHead + "name: " + std::string(600, '{') + std::string(600, '}'),
       {{"c.yaml:2:8", {"a key must be a word"}}, {"c.yaml:2:71", {"nested too deeply"}}}},
      {kLeast + "name: &n x", {{"c.yaml:4:7", {"anchors and aliases"}}}},
      {kLeast + "name: &n x\nrouter: {buffer: *n}", {{"c.yaml:4:7", {"anchors and aliases"}}}},
      {kLeast + "router: {buffer: !!int 8}", {{"c.yaml:4:18", {"tags", "int"}}}},
  });
}

TEST(ConfigRefusal, SeveralErrors_AreInTheOrderOfTheFile) {
  const std::string text =
      "flitscope: 1\n"
      "nmae: x\n"
      "topology: {kind: tours, shape: 7}\n"
      "workload: {algorithm: test-broadcast, phases: 0}\n"
      "router:\n"
      "  buffer: eight\n"
      "  buffer: 9\n";
  expect_refusal(refusal(text, {"link.dealy=1", "oops"}),
                 {{"c.yaml:2:1", {"name"}},
                  {"c.yaml:3:18", {"torus"}},
                  {"c.yaml:3:32", {"list"}},
                  {"c.yaml:4:47", {"phases"}},
                  {"c.yaml:6:11", {"eight"}},
                  {"c.yaml:7:3", {"duplicate"}},
                  {"--set oops", {"PATH=VALUE"}},
                  {"--set link.dealy=1", {"did you mean 'delay'?"}}},
                 text);
}

TEST(ConfigRefusal, UnreadableFiles_AreRefused) {
  const std::filesystem::path directory =
      std::filesystem::path(testing::TempDir()) / "flitscope-refusal-test";
  std::filesystem::create_directories(directory);
  const auto message = [](const std::filesystem::path& file) -> std::string {
    try {
      static_cast<void>(load_config(file, {}));
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message(directory / "absent.yaml"),
            (directory / "absent.yaml").string() + ": cannot be opened: No such file or directory");
  EXPECT_EQ(message(directory), directory.string() + ": is a directory, not a configuration file");
  const auto file = directory / "large.yaml";
  std::ofstream(file) << std::string((1 << 20) + 1, '#');
  EXPECT_NE(message(file).find("longer than 1048576 bytes"), std::string::npos);
  std::ofstream(file) << "flitscope: 2\n";
  EXPECT_EQ(message(file), file.string() + ":1:12: this flitscope reads schema version 1, not 2");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  if (geteuid() != 0) {
    EXPECT_EQ(message(file), file.string() + ": cannot be opened: Permission denied");
  }
  std::filesystem::remove_all(directory);
}

}  // namespace
}  // namespace flitscope::config_refusal_test
