// Networks of ASTRA-sim and of InfraGraph: what they become, and what is refused where.
#include <gtest/gtest.h>

#include <string>

#include "model/error.h"
#include "params/diagnostics.h"
#include "sim/formats/foreign/format.h"
#include "sim/formats/graph_file.h"

namespace flitscope::test::machines_test {
namespace {

ImportedMachine import(const std::string& format, const std::string& text) {
  return FormatRegistry::find(format)->machine({"given.yml", text}, {".", "given.network.yaml"});
}

std::string refusal(const std::string& format, const std::string& text) {
  try {
    static_cast<void>(import(format, text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

GraphPlan graph_of(const ImportedMachine& machine) {
  Diagnostics diagnostics;
  auto plan = read_graph_yaml(machine.network, "given.network.yaml", diagnostics);
  diagnostics.throw_if_any();
  return std::move(*plan);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string astra(const std::string& blocks, const std::string& sides, const std::string& bandwidths,
                  const std::string& latencies) {
  return "topology: [" + blocks + "]\nnpus_count: [" + sides + "]\nbandwidth: [" + bandwidths +
         "]\nlatency: [" + latencies + "]\n";
}

TEST(AstraSimNetwork, Rings_AreTorus) {
  const ImportedMachine machine = import("astra-sim", astra("Ring, Ring", "4, 3", "100, 100", "20, 20"));
  EXPECT_EQ(machine.network, "");
  EXPECT_TRUE(has(machine.configuration, "topology: {kind: torus, shape: [4, 3]}\n"))
      << machine.configuration;
  // 100 GB/s of 2^30 bytes are 107.374 bytes a nanosecond: 108 bytes every 1.00583 cycles.
  EXPECT_TRUE(has(machine.configuration, "node: {flit_bytes: 108}\n")) << machine.configuration;
  EXPECT_TRUE(has(machine.configuration, "link: {delay: 20, cycles_per_flit: 863/858}\n"))
      << machine.configuration;
  EXPECT_FALSE(has(machine.configuration, "links:"));
}

TEST(AstraSimNetwork, SlowerDimension_IsOfOtherLinks) {
  const ImportedMachine machine = import("astra-sim", astra("Ring, Ring", "3, 3", "100, 50", "20, 500"));
  EXPECT_TRUE(has(machine.configuration, "  - {at: '[2, 1]+1', both: true, delay: 500, cycles_per_flit: "))
      << machine.configuration;
  EXPECT_FALSE(has(machine.configuration, "+0'"));
  // (2 (500) + 4) cycles, in which a link of 53.687 bytes a cycle takes a flit of 108 bytes every 2.0117.
  EXPECT_TRUE(has(machine.configuration, "router: {buffer: 500}")) << machine.configuration;
}

TEST(AstraSimNetwork, Blocks_HaveTheirLinks) {
  const GraphPlan plan = graph_of(
      import("astra-sim", astra("Ring, FullyConnected, Switch", "2, 4, 3", "10, 10, 10", "1, 1, 1")));
  // 24 NPUs; 8 switches of 3. Links each way: 12 pairs, 6 complete graphs of 6, 24 to switches.
  EXPECT_EQ(plan.routers.size(), 24U + 8U);
  EXPECT_EQ(plan.links.size(), 2U * (12 + 6 * 6 + 24));
  EXPECT_TRUE(plan.routers[23].node);
  EXPECT_FALSE(plan.routers[24].node);
  EXPECT_EQ(plan.routers[24].name, "switch2.0");
  // The first dimension changes fastest: NPU 0 and 1 are a pair, 0, 2, 4, 6 complete, 0, 8, 16 at a switch.
  const auto joined = [&](std::uint32_t from, std::uint32_t to) {
    return std::ranges::any_of(plan.links,
                               [&](const auto& link) { return link.from == from && link.to == to; });
  };
  EXPECT_TRUE(joined(0, 1));
  EXPECT_TRUE(joined(0, 6));
  EXPECT_TRUE(joined(16, 24));
  EXPECT_FALSE(joined(1, 2));
  EXPECT_FALSE(joined(0, 8));
}

TEST(AstraSimNetwork, Mistakes_AreRefusedWithTheirPlaces) {
  EXPECT_EQ(refusal("astra-sim", astra("Ring, Tree", "4, 4", "1, 1", "1, 1")),
            "given.yml:1:18: topology must be of Ring, FullyConnected and Switch, not 'Tree'");
  EXPECT_EQ(refusal("astra-sim", astra("Ring", "4, 4", "1", "1")),
            "given.yml:2:13: npus_count has 2 values and topology 1");
  EXPECT_EQ(refusal("astra-sim", astra("Ring", "1", "1", "1")),
            "given.yml:2:14: npus_count must be whole numbers from 2 to 1048576, not '1'");
  EXPECT_EQ(refusal("astra-sim", astra("Ring", "4", "0", "-1")),
            "given.yml:3:13: bandwidth must be numbers above 0 of GB/s, not '0'\n"
            "given.yml:4:11: latency must be numbers from 0 of nanoseconds, not '-1'");
  EXPECT_EQ(refusal("astra-sim", "topology: [Ring]\nnpus_count: [4]\nbandwidth: [1]\nlatencies: [1]\n"),
            "given.yml:1:1: latency is missing: a list, a value a dimension\n"
            "given.yml:4:1: unknown key 'latencies'; did you mean 'latency'?; keys are topology, npus_count, "
            "bandwidth and latency");
  EXPECT_EQ(refusal("astra-sim", "[Ring]"),
            "given.yml:1:1: a network of ASTRA-sim is a map of topology, npus_count, bandwidth and latency");
  EXPECT_TRUE(has(refusal("astra-sim", astra("FullyConnected", "257", "1", "1")), "joins at most 256 NPUs"));
  EXPECT_TRUE(has(refusal("astra-sim", astra("Switch", "256", "1", "1")), "more than 255 links"));
  EXPECT_TRUE(
      has(refusal("astra-sim", astra("Ring, Ring", "2000, 2000", "1, 1", "1, 1")), "more than 1048576"));
  EXPECT_TRUE(has(refusal("astra-sim", astra("Ring, Ring", "4, 4", "1000, 0.1", "1, 1")), "is the least"));
  EXPECT_TRUE(has(refusal("astra-sim", astra("Ring", "4", "1e9", "1")), "65536 GB/s at most"));
  EXPECT_TRUE(has(refusal("astra-sim", astra("Ring", "4", "1", "1e6")), "65535 ns at most"));
}

TEST(MachineFiles, NamesThatYamlMistakes_StayTexts) {
  const ImportedMachine machine =
      FormatRegistry::find("astra-sim")
          ->machine({"null.yml", astra("Switch", "4", "1", "1")}, {".", "it's \"here\".network.yaml"});
  EXPECT_TRUE(has(machine.configuration, "name: \"null\"\n")) << machine.configuration;
  EXPECT_TRUE(has(machine.configuration, R"(file: "it's \"here\".network.yaml"})")) << machine.configuration;
  EXPECT_EQ(graph_of(machine).name, "null");
}

TEST(AstraSim, SwitchWithTooManyPortsForAllOfItsNodes_HasNodesOfOnePort) {
  for (const auto& [nodes, has_one] : {std::pair("128", false), {"129", true}, {"255", true}}) {
    const ImportedMachine machine =
        FormatRegistry::find("astra-sim")
            ->machine({"rack.yml", astra("Switch", nodes, "1", "1")}, {".", "rack.network.yaml"});
    EXPECT_EQ(has(machine.configuration, ", ports: 1}"), has_one) << machine.configuration;
  }
}

/// Two servers of two xpus behind a switch with ports; `edges` are those of the whole.
std::string servers(const std::string& edges, const std::string& more = "") {
  return R"(devices:
- name: server
  components:
  - {name: gpu, choice: xpu, count: 2}
  - {name: nic, choice: device, count: 1}
  - {name: cpu, choice: cpu, count: 1}
  links:
  - {name: pcie, physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 400}, latency: {choice: ns, ns: 30}}}
  edges:
  - {ep1: {component: gpu}, ep2: {device: 'nic[0]', component: chip}, scheme: many2many, link: pcie}
  - {ep1: {component: cpu}, ep2: {component: 'nic.chip[0]'}, scheme: one2one, link: pcie}
- name: nic
  components: [{name: chip, choice: nic, count: 1}, {name: plug, choice: port, count: 1}]
  links: [{name: wire}]
  edges: [{ep1: {component: chip}, ep2: {component: plug}, scheme: one2one, link: wire}]
- name: switch
  components: [{name: asic, choice: switch, count: 1}, {name: port, choice: port, count: 8}]
  links: [{name: inside, physical: {latency: {choice: ns, ns: 5}}}]
  edges: [{ep1: {component: asic}, ep2: {component: port}, scheme: many2many, link: inside}]
instances:
- {name: host, device: server, count: 2}
- {name: leaf, device: switch, count: 1}
links:
- {name: cable, physical: {bandwidth: {choice: gigabytes_per_second, gigabytes_per_second: 25}, latency: {choice: us, us: 0.3}}}
)" + more +
         "edges:\n" + edges;
}

constexpr const char* kCables =
    "- {ep1: {instance: 'host[0:2]', component: 'server.nic.plug'}, ep2: {instance: leaf, component: "
    "'port[1:4:2]'}, "
    "scheme: one2one, link: cable}\n";

TEST(InfraGraph, DevicesOfDevices_AreRoutersWithLinks) {
  const ImportedMachine machine = import("infragraph", servers(kCables));
  const GraphPlan plan = graph_of(machine);
  std::vector<std::string> names;
  for (const auto& router : plan.routers) names.push_back(router.name + (router.node ? "" : "*"));
  // No cpu and no free ports, which lead nowhere; used ports are in their links.
  EXPECT_EQ(names,
            (std::vector<std::string>{"host.0.gpu.0", "host.0.gpu.1", "host.0.nic.0.chip.0*", "host.1.gpu.0",
                                      "host.1.gpu.1", "host.1.nic.0.chip.0*", "leaf.0.asic.0*"}));
  ASSERT_EQ(plan.links.size(), 2U * (4 + 2));
  // 50 bytes a nanosecond; plug, cable, port: 0 + 300 + 5 ns of 25 bytes each.
  EXPECT_TRUE(has(machine.configuration, "flit_bytes: 50}")) << machine.configuration;
  const auto& cable = plan.links.back();
  EXPECT_EQ(cable.delay, 305U);
  EXPECT_EQ(cable.cycles_per_flit, Ratio(2));
  EXPECT_EQ(plan.links.front().delay, 30U);
  EXPECT_EQ(plan.links.front().cycles_per_flit, Ratio(1));
}

TEST(InfraGraph, Json_IsTheSame) {
  const ImportedMachine machine = import("infragraph", R"({"devices": [{"name": "d", "components":
    [{"name": "npu", "choice": "npu", "count": 3}], "links": [{"name": "l"}], "edges": [{"ep1": {"component": "npu"},
    "ep2": {"component": "npu"}, "scheme": "many2many", "link": "l"}]}],
    "instances": [{"name": "i", "device": "d", "count": 1}]})");
  const GraphPlan plan = graph_of(machine);
  EXPECT_EQ(plan.routers.size(), 3U);
  EXPECT_EQ(plan.links.size(), 6U);
  EXPECT_TRUE(has(machine.configuration, "flit_bytes: 8}"));
}

TEST(InfraGraph, StepBeyondTheEnd_TakesTheFirst) {
  std::string cables = kCables;
  cables.replace(cables.find("instance: leaf"), 14, "instance: 'leaf[0:1:3]'");
  EXPECT_EQ(import("infragraph", servers(cables)).network, import("infragraph", servers(kCables)).network);
}

TEST(InfraGraph, LinkWithoutBandwidth_IsAsFastAsTheFastest) {
  const ImportedMachine machine = import("infragraph", R"({"devices": [{"name": "d", "components":
    [{"name": "gpu", "choice": "xpu", "count": 1}, {"name": "sw", "choice": "switch", "count": 1}],
    "links": [{"name": "l", "physical": {"bandwidth": {"gigabits_per_second": 9}}}],
    "edges": [{"ep1": {"component": "gpu"}, "ep2": {"component": "sw"}, "scheme": "one2one", "link": "l"}]}],
    "instances": [{"name": "i", "device": "d", "count": 2}], "links": [{"name": "up"}],
    "edges": [{"ep1": {"instance": "i[0]", "component": "sw"}, "ep2": {"instance": "i[1]", "component": "sw"},
    "scheme": "one2one", "link": "up"}]})");
  const GraphPlan plan = graph_of(machine);
  ASSERT_EQ(plan.links.size(), 6U);
  // A flit of 2 bytes at 1.125 bytes a nanosecond.
  for (const auto& link : plan.links) EXPECT_EQ(link.cycles_per_flit, Ratio(16, 9));
}

TEST(InfraGraph, NamesThatGraphFilesCannotHave_AreRefusedWhereTheyAre) {
  const auto named = [](const std::string& component, const std::string& instance) {
    return refusal("infragraph", "devices:\n- name: any one\n  components: [{name: " + component +
                                     ", choice: xpu, count: 2}]\n  links: [{name: a link}]\n  edges: [{ep1: "
                                     "{component: " +
                                     component + "}, ep2: {component: " + component +
                                     "}, scheme: many2many, link: a link}]\ninstances: [{name: " + instance +
                                     ", device: any one, count: 1}]\n");
  };
  EXPECT_EQ(named("gpu", "host"), "accepted");
  EXPECT_EQ(named("my gpu", "host"),
            "given.yml:3:23: name must be of letters, digits, '_', '-' and '.', not 'my gpu'");
  EXPECT_EQ(named("gpu", "b\xC3\xBCro"),
            "given.yml:6:20: name must be of letters, digits, '_', '-' and '.', not 'b\xC3\xBCro'");
}

TEST(InfraGraph, BandwidthOfZero_IsRefusedAndLatencyOfZeroIsNot) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = servers(kCables);
    text.replace(text.find(from), from.size(), to);
    return refusal("infragraph", text);
  };
  EXPECT_EQ(with("gigabits_per_second: 400", "gigabits_per_second: 0"),
            "given.yml:8:91: gigabits_per_second must be a number above 0, not '0'");
  EXPECT_EQ(with("ns: 30", "ns: 0"), "accepted");
}

TEST(InfraGraph, Mistakes_AreRefusedWithTheirPlaces) {
  const auto with_edge = [](const std::string& one, const std::string& other, const std::string& rest) {
    return refusal("infragraph", servers("- {ep1: {" + one + "}, ep2: {" + other + "}, " + rest + "}\n"));
  };
  const std::string host = "instance: host, component: nic.plug";
  const std::string leaf = "instance: leaf, component: port";
  const std::string rest = "scheme: one2one, link: cable";
  EXPECT_EQ(with_edge("instance: hst, component: gpu", leaf, rest),
            "given.yml:26:9: there is no instance 'hst'; did you mean 'host'?");
  EXPECT_EQ(with_edge("instance: host, component: gpus", leaf, rest),
            "given.yml:26:9: the device has no component 'gpus'; did you mean 'gpu'?");
  EXPECT_EQ(with_edge("instance: host, component: 'gpu[0:3]'", leaf, rest),
            "given.yml:26:9: 'gpu[0:3]' must have indices below 2, such as gpu[0] or gpu[0:2]");
  EXPECT_EQ(with_edge("instance: host, component: 'gpu[]'", leaf, rest),
            "given.yml:26:9: 'gpu[]' must have indices below 2, such as gpu[0] or gpu[0:2]");
  EXPECT_EQ(with_edge("instance: host, component: 'gpu[1:1]'", leaf, rest),
            "given.yml:26:9: 'gpu[1:1]' has no indices: its end must be above its start");
  EXPECT_EQ(with_edge("instance: host, component: nic", leaf, rest),
            "given.yml:26:9: 'nic' is a device; an edge ends at a component of it");
  EXPECT_EQ(with_edge(host, leaf, "scheme: ring, link: cable"),
            "given.yml:26:96: scheme must be one2one or many2many, not 'ring'");
  EXPECT_EQ(with_edge(host, leaf, "scheme: one2one, link: rope"),
            "given.yml:26:111: there is no link 'rope'");
  EXPECT_TRUE(has(with_edge("instance: 'host[1]', component: nic.plug", leaf, rest), "no path leads from"));
  EXPECT_EQ(refusal("infragraph", servers(kCables, "connections: [a]\n")),
            "given.yml:25:14: connections are of an early InfraGraph; edges are read");
  EXPECT_EQ(refusal("infragraph", "devices: []\ninstances: []\n"),
            "given.yml: has neither xpu nor cpu, which are the nodes");
  EXPECT_EQ(refusal("infragraph", "instances: []\n"), "given.yml:1:1: devices is missing");
  EXPECT_EQ(refusal("infragraph", servers(kCables, "- {name: cable}\n")),
            "given.yml:25:3: there is a link 'cable' already");
  EXPECT_TRUE(has(refusal("infragraph",
                          "devices: [{name: d, components: [{name: d, choice: device, count: 2}]}]\n"
                          "instances: [{name: i, device: d, count: 1}]\n"),
                  "the device contains itself"));
  EXPECT_TRUE(has(refusal("infragraph",
                          "devices: [{name: d, components: [{name: x, choice: xpu, count: 1000000}]}]\n"
                          "instances: [{name: i, device: d, count: 1000000}]\n"),
                  "there are more than 1048576 components"));
  EXPECT_TRUE(has(refusal("infragraph",
                          "devices: [{name: d, links: [{name: l, physical: {bandwidth: {choice: "
                          "gigatransfers_per_second, gigatransfers_per_second: 8}}}]}]\n"
                          "instances: [{name: i, device: d, count: 1}]\n"),
                  "the bytes of a transfer are not known"));
}

}  // namespace
}  // namespace flitscope::test::machines_test
