// What a configuration says, and that the resolved one says the same. Refusals: config_refusal_test.cpp,
// overrides: config_override_test.cpp.
#include "sim/config/config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "model/schedule.h"
#include "sim/config/config_source.h"
#include "sim/config/keys.h"
#include "sim/formats/value_reader.h"
#include "sim/observe/flits/flit_event.h"
#include "sim/observe/observer.h"
#include "tests/support/config_texts.h"
#include "tests/support/test_broadcast.h"

namespace flitscope::config_test {
namespace {

using namespace test;

/// The value of a key as the resolved configuration has it.
std::string shown(const ExperimentConfig& config, const std::string& path) {
  return value_text(resolved_values(config).at(path));
}

TEST(Config, MemoryWithAnyKey_IsThere) {
  for (const char* const key :
       {"latency: 1", "latency: 0", "self_latency: 100", "flit_by_flit: true", "controller_latency: 3"}) {
    EXPECT_NE(resolve(parse(kLeast + "memory: {" + key + "}\n")).find(std::string("  ") + key),
              std::string::npos)
        << key;
  }
  EXPECT_NE(resolve(parse(kLeast + "memory: {}\n")).find("memory:"), std::string::npos);
  EXPECT_EQ(resolve(parse(kLeast)).find("memory:"), std::string::npos);
}

TEST(Config, RequiredKeysAlone_GiveTheDefaults) {
  const auto config = parse(kLeast);
  EXPECT_EQ(config.name, "unnamed");
  EXPECT_EQ(config.clock, std::nullopt);
  EXPECT_EQ(config.topology, Topology(TopologyKind::torus, {7, 7}));
  EXPECT_EQ(config.machine.switching, Switching::wormhole);
  EXPECT_EQ(config.routing, std::nullopt);           // what the schedule needs
  EXPECT_EQ(config.virtual_channels, std::nullopt);  // as many as that needs
  EXPECT_EQ(config.machine.buffer, 8U);
  EXPECT_EQ(config.machine.router_delay, 1U);
  EXPECT_EQ(config.machine.link_delay, 1U);
  EXPECT_FALSE(config.machine.allow_deadlock);
  EXPECT_EQ(config.machine.ports, std::nullopt);
  EXPECT_EQ(config.machine.startup, 0U);
  EXPECT_EQ(config.machine.injection_interval, 1U);
  EXPECT_EQ(config.machine.ejection_interval, 1U);
  EXPECT_EQ(config.machine.flit_bytes, 8U);
  EXPECT_EQ(config.cycle_limit, 1'000'000'000U);
  EXPECT_TRUE(wanted_observers(config.settings).empty());
  EXPECT_EQ(config.workload.algorithm, AlgorithmRegistry::find("test-broadcast"));
  EXPECT_TRUE(config.workload.schedule_file.empty());
  EXPECT_EQ(config.workload.advance, Advance::barrier);
  EXPECT_EQ(config.workload.lookahead, 1'000'000U);
  EXPECT_EQ(config.workload.parameters.node("source").text, "origin");
  EXPECT_EQ(config.workload.parameters.bytes("message"), 64U);
  EXPECT_EQ(config.workload.parameters.integer("phases"), 2);
  EXPECT_EQ(config.workload.parameters.text("order"), "forward");
  EXPECT_EQ(config.workload.parameters.number("share").text(), "0.25");
}

TEST(Config, EveryKey_IsRead) {
  const auto config = parse(kEverything);
  EXPECT_EQ(config.name, "broadcast: 7x7");
  EXPECT_EQ(config.clock, ClockPeriod(500));
  EXPECT_EQ(config.topology, Topology(TopologyKind::mesh, {7, 5}));
  EXPECT_EQ(config.machine.switching, Switching::virtual_cut_through);
  EXPECT_EQ(config.routing, "cyclic-dimension-order");
  EXPECT_EQ(config.virtual_channels, 4U);
  EXPECT_EQ(config.machine.buffer, 16U);
  EXPECT_EQ(config.machine.router_delay, 2U);
  EXPECT_EQ(config.machine.link_delay, 3U);
  EXPECT_TRUE(config.machine.allow_deadlock);
  EXPECT_EQ(config.machine.ports, 3U);
  EXPECT_EQ(config.machine.startup, 60'000U);
  EXPECT_EQ(config.machine.injection_interval, 4U);
  EXPECT_EQ(config.machine.ejection_interval, 4U);
  EXPECT_EQ(config.machine.flit_bytes, 16U);
  EXPECT_EQ(config.machine.copy_cycles_per_byte.text(), "0.125");
  EXPECT_EQ(config.cycle_limit, 2'000'000U);
  EXPECT_EQ(shown(config, "observe.messages"), "true");
  EXPECT_EQ(shown(config, "observe.trace"), "binary");
  EXPECT_EQ(shown(config, "observe.timeline"), "true");
  const auto& filter = config.settings.get<FlitFilter>();
  EXPECT_EQ(filter.messages, (std::vector<std::uint64_t>{message_id(1, 1), message_id(30, 3)}));
  EXPECT_EQ(filter.steps, (std::vector<std::uint64_t>{1, 30}));
  EXPECT_EQ(filter.from, 2'000U);
  EXPECT_EQ(filter.to, 4'000U);
  EXPECT_EQ(shown(config, "observe.waves.format"), "fst");
  EXPECT_EQ(shown(config, "observe.waves.nodes"), "none");
  EXPECT_EQ(shown(config, "observe.waves.channels"), "congested");
  EXPECT_EQ(shown(config, "observe.waves.from"), "3");
  EXPECT_EQ(shown(config, "observe.waves.to"), "4");
  EXPECT_EQ(config.workload.advance, Advance::dataflow);
  EXPECT_EQ(config.workload.lookahead, 10U);
  const auto& parameters = config.workload.parameters;
  EXPECT_EQ(parameters.node("source").text, "[3, 4]");
  EXPECT_EQ(parameters.bytes("message"), 4096U);
  EXPECT_EQ(parameters.integer("phases"), 7);
  EXPECT_EQ(parameters.text("order"), "backward");
  EXPECT_EQ(parameters.number("share").text(), "0.125");
  EXPECT_EQ(parameters.integer("pause"), 2000);
  EXPECT_TRUE(parameters.boolean("echo"));
  EXPECT_EQ(parameters.text("label"), "a text");
}

TEST(Config, ObservedNodes_AreCoordinates) {
  const std::string text = kLeast +
                           "clock: 0.5ns\n"
                           "observe:\n"
                           "  filter: {nodes: [[1, 2], [6, 4]], channels: ['[1, 2]-1'], from: 1us, to: 2us}\n"
                           "  waves: {format: vcd, nodes: [origin, [0, 4]], channels: ['[0,0]+0']}\n";
  for (const auto& config : {parse(text), parse(resolve(parse(text)))}) {
    const auto& filter = config.settings.get<FlitFilter>();
    EXPECT_EQ(filter.nodes, (std::vector<NodeId>{1 + 2 * 7, 6 + 4 * 7}));
    EXPECT_EQ(filter.channels, (std::vector<ChannelId>{(1 + 2 * 7) * 4 + 3}));
    EXPECT_EQ(filter.from, 2'000U);
    EXPECT_EQ(filter.to, 4'000U);
    EXPECT_EQ(shown(config, "observe.waves.nodes"), R"(["[0, 0]", "[0, 4]"])");
    EXPECT_EQ(shown(config, "observe.waves.channels"), R"(["[0, 0]+0"])");
  }
}

TEST(Config, NestedSections_CanBeSetKeyByKey) {
  const auto config = parse(kLeast, {"observe.waves.format=vcd", "observe.waves.nodes=[[1, 1]]",
                                     "observe.filter={steps: [2]}", "observe.filter.from=7"});
  EXPECT_EQ(shown(config, "observe.waves.format"), "vcd");
  EXPECT_EQ(shown(config, "observe.waves.nodes"), R"(["[1, 1]"])");
  EXPECT_EQ(config.settings.get<FlitFilter>().steps, (std::vector<std::uint64_t>{2}));
  EXPECT_EQ(config.settings.get<FlitFilter>().from, 7U);
  const auto taken_away = parse(kLeast, {"observe.waves.format=vcd", "observe.waves.format=null"});
  EXPECT_EQ(shown(taken_away, "observe.waves.format"), "none");
}

TEST(Config, ErrorsInNestedSections_HaveTheirPlaces) {
  const auto refusal = [](const std::string& observe) {
    try {
      static_cast<void>(parse(kLeast + "observe: " + observe + "\n"));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal("{waves: {formt: vcd}}"),
            "c.yaml:4:19: unknown key 'observe.waves.formt'; did you mean 'format'?");
  EXPECT_EQ(refusal("{wave: {format: vcd}}"),
            "c.yaml:4:11: unknown key 'observe.wave'; did you mean 'waves'?");
  EXPECT_EQ(refusal("{waves: vcd}"),
            "c.yaml:4:18: section 'observe.waves' must be a map with keys such as format, not 'vcd'");
  EXPECT_EQ(
      refusal("{filter: {nodes: [[7, 0]]}}"),
      "c.yaml:4:27: observe.filter.nodes: [7, 0] lies outside the 7x7 torus: coordinate 0 must be 0 to 6");
  EXPECT_EQ(
      refusal("{filter: {messages: ['7']}}"),
      "c.yaml:4:30: observe.filter.messages: '7' is no message; message 5 of step 3 is '3.5', both count "
      "from 1; step 0 is background traffic");
}

TEST(Config, EmptySelectionOfWaves_IsRefused) {
  const std::vector<std::pair<std::string, std::string>> refused{
      {"observe.filter={from: 5, to: 3}",
       "no event can pass observe.filter: it begins in cycle 5 and ends in cycle 3"},
      {"observe.filter={steps: ['-1']}", "observe.filter.steps: '-1' is no step; steps count from 1"},
      {"observe.filter={steps: [x]}", "observe.filter.steps: 'x' is no step; steps count from 1"},
      {"observe.filter={messages: ['0.0']}", "observe.filter.messages: '0.0' is no message"},
      {"observe.filter={messages: ['1.0']}", "observe.filter.messages: '1.0' is no message"},
      {"observe.filter={messages: ['3.5'], steps: [1, 2]}",
       "no event can pass observe.filter: none of its messages belongs to one of its steps"},
      {"observe.filter={nodes: [[0, 1]], channels: ['[0, 0]+0']}",
       "no event can pass observe.filter: none of its links leaves one of its nodes"},
      {"observe.filter={nodes: []}", "observe.filter.nodes must be a list"},
      {"observe.waves={format: vcd, from: 9, to: 3}",
       "observe.waves shows no cycle: it begins in cycle 9 and ends in cycle 3"},
      {"observe.waves={format: vcd, nodes: none, channels: none}",
       "observe.waves has neither nodes nor channels to show"}};
  for (const auto& [setting, words] : refused) {
    expect_refusal(refusal(kLeast, {setting}), {{"--set " + setting, {words}}}, setting);
  }
  for (const std::string fine :
       {"observe.filter={from: 3, to: 3}", "observe.filter={messages: ['3.5', '1.1'], steps: [3]}",
        "observe.filter={nodes: [[0, 0]], channels: ['[0, 0]+0', '[1, 0]+0']}",
        "observe.filter={from: 3, to: end}"}) {
    EXPECT_EQ(refusal(kLeast, {fine}), std::vector<std::string>()) << fine;
  }
}

const std::string kComplete =
    "topology: {kind: complete, nodes: 5}\nnode: {ports: 1}\ncircuits: {reconfiguration: 0}\n"
    "workload: {schedule: events.jsonl}\n";

TEST(Config, CompleteNetwork_RefusesWavesOfLinks) {
  for (const std::string key : {"trace=csv", "filter.channels=['[0]+0']", "waves.channels=none"}) {
    try {
      static_cast<void>(parse(kHead + kComplete, {"observe." + key}));
      ADD_FAILURE() << key << " is accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what())
                    .find("observe." + key.substr(0, key.find('=')) + " is for networks with links"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(Config, CompleteNetwork_NamesNodesByNumber) {
  const auto config = parse(kHead + kComplete, {"observe={messages: true, timeline: true}",
                                                "observe.filter={nodes: [4, 0], steps: [2], from: 7}",
                                                "observe.waves={format: vcd, nodes: [3, 1], to: 9}"});
  for (const ExperimentConfig& each : {config, parse(resolve(config))}) {
    EXPECT_EQ(shown(each, "observe.messages"), "true");
    EXPECT_EQ(shown(each, "observe.timeline"), "true");
    const auto& filter = each.settings.get<FlitFilter>();
    EXPECT_EQ(filter.nodes, (std::vector<NodeId>{4, 0}));
    EXPECT_EQ(filter.steps, (std::vector<std::uint64_t>{2}));
    EXPECT_EQ(filter.from, 7U);
    EXPECT_EQ(shown(each, "observe.waves.nodes"), R"(["3", "1"])");
    EXPECT_EQ(shown(each, "observe.waves.to"), "9");
  }
  EXPECT_EQ(shown(parse(kHead + kComplete), "observe.waves.nodes"), "busiest");
  EXPECT_EQ(shown(parse(kLeast), "observe.waves.nodes"), "deadlock");
}

TEST(Config, CompleteNetwork_RefusesWavesOfMissingNodes) {
  const std::vector<std::pair<std::string, std::string>> refused{
      {"[5]", "'5' is no node of the complete network of 5 nodes; its nodes are 0 to 4"},
      {"[[1, 2]]", "'[1, 2]' is no node"},
      {"deadlock", "a complete network has no deadlocks; name nodes, such as [0, 5], or 'busiest'"},
      {"none", "observe.waves has no nodes to show"}};
  for (const auto& [nodes, words] : refused) {
    const std::string setting = "observe.waves={format: vcd, nodes: " + nodes + "}";
    expect_refusal(refusal(kHead + kComplete, {setting}), {{"--set " + setting, {words}}}, nodes);
  }
}

TEST(Config, WordsForDefaults_AreAccepted) {
  const auto config =
      parse(kLeast + "clock: null\nrouter: {routing: auto, virtual_channels: auto}\nnode: {ports: all}\n");
  EXPECT_EQ(config.routing, std::nullopt);
  EXPECT_EQ(config.virtual_channels, std::nullopt);
  EXPECT_EQ(config.machine.ports, std::nullopt);
}

TEST(Config, EndsOfRanges_AreIncluded) {
  const auto config =
      parse(kLeast +
            "router: {virtual_channels: 64, buffer: 16777216, delay: 65535}\nlink: {delay: 65535}\n"
            "node: {ports: 32, startup: 1000000000000, injection_interval: 1024, ejection_interval: 1024, "
            "flit_bytes: 64KiB}\n"
            "limits: {cycles: 1000000000000000}\n");
  EXPECT_EQ(config.virtual_channels, 64U);
  EXPECT_EQ(config.machine.startup, 1'000'000'000'000U);
  EXPECT_EQ(config.cycle_limit, 1'000'000'000'000'000U);
}

TEST(Config, RelativeScheduleFile_StartsAtTheConfigurationsDirectory) {
  const std::string text =
      "flitscope: 1\ntopology: {kind: mesh, shape: [4]}\nworkload: {schedule: ../steps.jsonl}\n";
  EXPECT_EQ(parse(text).workload.schedule_file, "/steps.jsonl");
  EXPECT_EQ(parse(text).workload.algorithm, nullptr);
  EXPECT_EQ(parse(text, {"workload.schedule=/data/x.jsonl"}).workload.schedule_file, "/data/x.jsonl");
}

TEST(Config, ByteOrderMarkAndCarriageReturns_AreAccepted) {
  const auto config = parse(
      "\xEF\xBB\xBF"
      "flitscope: 1\r\ntopology: {kind: torus, shape: [3, 3]}\r\nworkload: {algorithm: test-broadcast}\r\n");
  EXPECT_EQ(config.topology, Topology(TopologyKind::torus, {3, 3}));
}

TEST(Config, ConfigurationFile_IsRead) {
  const std::filesystem::path directory = std::filesystem::path(testing::TempDir()) / "flitscope-config-test";
  std::filesystem::create_directories(directory);
  const auto file = directory / "c.yaml";
  std::ofstream(file) << "flitscope: 1\ntopology: {kind: mesh, shape: [4]}\nworkload: {schedule: s.jsonl}\n";
  const auto config = load_config(file, {});
  EXPECT_EQ(config.workload.schedule_file, std::filesystem::absolute(directory / "s.jsonl"));
  EXPECT_EQ(config.file, file.string());
  std::filesystem::remove_all(directory);
}

TEST(Resolve, Resolved_HasAllKeysInCanonicalOrder) {
  EXPECT_EQ(resolve(parse(kLeast)), R"(flitscope: 1
name: unnamed
topology:
  kind: torus
  shape: [7, 7]
router:
  switching: wormhole
  routing: auto
  selection: first-free
  virtual_channels: auto
  vc_allocation: non-atomic
  vc_allocator: circular
  switch_allocator: separable-input-first
  switch_iterations: 1
  arbiter: round-robin
  speculation: none
  bypass: false
  hold: false
  input_speedup: 1
  output_speedup: 1
  output_queue: 0
  buffers: of-vcs
  buffer_reserve: 1
  credits: counts
  routing_delay: 0
  injection_credit_delay: 0
  early_credits: false
  flow: credit
  buffer: 8
  delay: 1
  vc_reallocation_delay: 1
  vc_delay: 0
  starvation_limit: 64
  credit_delay: 0
  allow_deadlock: false
link:
  delay: 1
  cycles_per_flit: 1
node:
  ports: all
  vcs: 1
  queues: separate
  banks: 0
  bank_hold: 16
  startup: 0
  injection_interval: 1
  ejection_interval: 1
  flit_bytes: 8
  copy_cycles_per_byte: 0
  reduce_cycles_per_byte: 0
workload:
  algorithm: test-broadcast
  source: origin
  message: 64
  phases: 2
  order: forward
  share: 0.25
  pause: 0
  echo: false
  label: none
  advance: barrier
  lookahead: 1000000
observe:
  messages: false
  trace: none
  timeline: false
  windows: 0
  filter:
    nodes: all
    channels: all
    messages: all
    steps: all
    from: 0
    to: end
  waves:
    format: none
    nodes: deadlock
    channels: busiest
    from: 0
    to: end
engine:
  modules: auto
  fast_forward: on
  threads: auto
limits:
  cycles: 1000000000
)");
}

TEST(Resolve, Resolved_ReadsBackAsTheSameConfiguration) {
  const std::string schedule =
      "flitscope: 1\ntopology: {kind: mesh, shape: [4]}\nworkload: {schedule: a b#.jsonl, data: 3KiB}\n";
  EXPECT_EQ(parse(schedule).workload.data, 3072U);
  for (const std::string& text : {kLeast, kEverything, schedule}) {
    const std::string once = resolve(parse(text));
    const auto again = parse_config(once, "resolved.yaml", "/elsewhere", {});
    EXPECT_EQ(resolve(again), once);
    EXPECT_EQ(again.topology, parse(text).topology);
    EXPECT_EQ(again.workload.parameters.all(), parse(text).workload.parameters.all());
    EXPECT_EQ(again.workload.schedule_file, parse(text).workload.schedule_file);
    EXPECT_EQ(again.workload.data, parse(text).workload.data);
  }
}

TEST(Resolve, TextLikeYaml_ReadsBackUnchanged) {
  for (const std::string name :
       {"null", "~", "true", "12", "",   " x ", "- a", "a: b", "#",   "'",   "\"",   "\\n",
        "[1]",  "{", "&a",   "*a", "!t", "%",   "@",   "`",    "é €", "? x", "a #b", ">"}) {
    auto config = parse(kLeast);
    config.name = name;
    EXPECT_EQ(parse(resolve(config)).name, name);
  }
}

TEST(Resolve, ValuesFilledInLater_ArePrinted) {
  auto config = parse(kLeast);
  config.routing = "dimension-order";
  config.virtual_channels = 2;
  const auto again = parse(resolve(config));
  EXPECT_EQ(again.routing, "dimension-order");
  EXPECT_EQ(again.virtual_channels, 2U);
}

TEST(Yaml, PlainText_IsWhatTheParserReads) {
  for (const std::string text : {"torus", "64", "1e9", "a.b/c-d_e+f", "/x/y.yaml", "0x10", "true", "8..8",
                                 "null", "Null", "NULL", "nULL", "~", "-1", "a b", "a:b", "1.", ".5"}) {
    Diagnostics diagnostics;
    const auto alone = parse_yaml(text, {"--set"}, diagnostics);
    const auto in_map = parse_yaml("x: " + text, {"--set"}, diagnostics);
    ASSERT_TRUE(alone && in_map && diagnostics.none()) << text;
    EXPECT_EQ(alone->kind, in_map->items.at(0).kind) << text;
    EXPECT_EQ(alone->text, in_map->items.at(0).text) << text;
    EXPECT_EQ(alone->quoted, in_map->items.at(0).quoted) << text;
  }
}

TEST(Keys, EveryDeclaration_HasASummaryAndAValidDefault) {
  const auto check = [](const Key& key, const std::string& path) {
    EXPECT_FALSE(key.summary.empty()) << path;
    EXPECT_FALSE(expected(key).empty()) << path;
    if (key.fallback.empty()) return;
    EXPECT_EQ(default_value(key).has_value(), key.fallback != "null") << path;
  };
  for (const ConfigSection& section : config_sections()) {
    EXPECT_FALSE(section.summary.empty()) << section.name;
    for (const Key& key : section.rows) check(key, path_of(section.name, key.name));
  }
  const auto& workload = config_section("workload").rows;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
    for (const Parameter& parameter : algorithm.parameters) {
      check({parameter}, algorithm.name + "." + parameter.name);
      for (const Key& key : workload) {
        if (!applies(key, KeyWork::schedules)) continue;
        EXPECT_NE(key.name, parameter.name) << algorithm.name;
      }
    }
  }
  for (const Traffic& pattern : TrafficRegistry::all()) {
    for (const Parameter& parameter : pattern.parameters) {
      check({parameter}, pattern.name + "." + parameter.name);
      for (const Key& key : workload) {
        if (!applies(key, KeyWork::one_class)) continue;
        EXPECT_NE(key.name, parameter.name) << pattern.name;
      }
    }
  }
}

TEST(Keys, InvalidDefault_IsAnErrorOfTheProgram) {
  const Key wrong{{.name = "phases",
                   .type = ParameterType::integer,
                   .summary = "a count",
                   .fallback = "20",
                   .maximum = 9}};
  EXPECT_THROW(static_cast<void>(default_value(wrong)), std::logic_error);
}

}  // namespace
}  // namespace flitscope::config_test
