// Links that differ: what the keys say, how they are printed, and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/graph.h"
#include "tests/support/config_texts.h"

namespace flitscope::link_keys_test {
namespace {

using namespace test;

ChannelId channel(const Topology& topology, std::vector<std::uint32_t> node, unsigned port) {
  return topology.channel(topology.node(node), port);
}

TEST(LinkKeys, SingleDelay_IsThatOfAllLinks) {
  const auto config = parse(kLeast + "link: {delay: 4, cycles_per_flit: 3}\n");
  EXPECT_TRUE(config.machine.links.none());
  EXPECT_EQ(config.machine.link(config.topology, 17), (LinkTime{4, 3}));
}

TEST(LinkKeys, ListOfDelays_HasOneForEachDimension) {
  const auto config = parse(kLeast + "link: {delay: [4, 8]}\n");
  const Topology& torus = config.topology;
  EXPECT_EQ(config.machine.link(torus, channel(torus, {3, 2}, 1)).delay, 4U);
  EXPECT_EQ(config.machine.link(torus, channel(torus, {3, 2}, 2)).delay, 8U);
  EXPECT_EQ(config.machine.longest_link().delay, 8U);
  EXPECT_NE(resolve(config).find("delay: [4, 8]"), std::string::npos);
}

TEST(LinkKeys, SingleLink_OverridesWhatItsItemGives) {
  const auto config =
      parse(kLeast +
            "link: {delay: [4, 8], cycles_per_flit: 2}\n"
            "links: [{at: '[1, 0]+0', delay: 6}, {at: '[2,2]-1', cycles_per_flit: 5, both: true}]\n");
  const Topology& torus = config.topology;
  const MachineConfig& machine = config.machine;
  EXPECT_EQ(machine.link(torus, channel(torus, {1, 0}, 0)), (LinkTime{6, 2}));
  EXPECT_EQ(machine.link(torus, channel(torus, {2, 0}, 1)), (LinkTime{4, 2})) << "the link back is another";
  EXPECT_EQ(machine.link(torus, channel(torus, {2, 2}, 3)), (LinkTime{8, 5}));
  EXPECT_EQ(machine.link(torus, channel(torus, {2, 1}, 2)), (LinkTime{8, 5})) << "the link back";
  EXPECT_EQ(machine.longest_link(), (LinkTime{8, 5}));
}

TEST(LinkKeys, DelayOfASingleLinkInTime_IsThatInCycles) {
  const auto config = parse(kLeast + "links: [{at: '[1, 0]+0', delay: 6ns}]\nclock: 2ns\n");
  EXPECT_EQ(config.machine.link(config.topology, channel(config.topology, {1, 0}, 0)).delay, 3U);
}

/// A parameter without a value.
TEST(LinkKeys, GlobalDelayOfADragonfly_IsThatOfItsGlobalLinks) {
  for (const bool given : {false, true}) {
    const auto config = parse(fmt::format(
        "flitscope: 1\ntopology: {{kind: dragonfly, p: 1, a: 4, h: 2, groups: 9{}}}\nlink: {{delay: 2}}\n"
        "node: {{ports: 1}}\nworkload: {{traffic: uniform, load: 0.1}}\n",
        given ? ", global_delay: 10" : ""));
    const Graph& graph = *config.topology.graph();
    const auto delay = [&](const char* one, const char* other) {
      const std::string name = fmt::format("{}>{}", one, other);
      return config.machine.link(config.topology, parse_channel(name, config.topology)).delay;
    };
    EXPECT_EQ(delay("r0.0", "r0.3"), 2U);
    EXPECT_EQ(delay("r0.3", "r1.0"), given ? 10U : 2U);
    EXPECT_EQ(graph.parameters().has("global_delay"), given);
    EXPECT_EQ(resolve(config).find("global_delay: 10") != std::string::npos, given);
  }
}

const std::string kDragonfly =
    "flitscope: 1\ntopology: {kind: dragonfly, p: 1, a: 4, h: 2, groups: 9}\nlink: {delay: 2}\n"
    "node: {ports: 1}\nworkload: {traffic: uniform, load: 0.1}\n";

TEST(LinkKeys, KindOfLinks_IsSetForAllOfThemButWhatALinkSaysItself) {
  const auto config = parse(kDragonfly +
                            "links: [{at: 'r0.3>r1.0', cycles_per_flit: 8}, {kind: global, delay: 20, "
                            "cycles_per_flit: 4}, {at: 'r0.0>r0.3', cycles_per_flit: 3}]\n");
  const Topology& topology = config.topology;
  const auto time = [&](const char* name) {
    return config.machine.link(topology, parse_channel(name, topology));
  };
  unsigned global = 0;
  topology.for_each_link([&](NodeId router, unsigned port, NodeId) {
    if (std::string_view(topology.graph()->link(router, port).kind) != "global") return;
    EXPECT_EQ(config.machine.link(topology, topology.channel(router, port)).delay, 20U);
    ++global;
  });
  EXPECT_EQ(global, 72U);
  EXPECT_EQ(time("r1.0>r0.3"), (LinkTime{20, 4}));
  EXPECT_EQ(time("r0.3>r1.0"), (LinkTime{20, 8}));
  EXPECT_EQ(time("r0.0>r0.3"), (LinkTime{2, 3}));
  EXPECT_EQ(time("r0.3>r0.0"), (LinkTime{2, 1}));
  EXPECT_EQ(parse(resolve(config)).machine.links, config.machine.links);
}

TEST(LinkKeys, LinksOfAKindThatAreAlike_AreOneItemOfTheResolvedConfiguration) {
  const auto config =
      parse(kDragonfly + "links: [{kind: global, delay: 20}, {kind: node, cycles_per_flit: 2}]\n");
  const std::string text = resolve(config);
  EXPECT_NE(text.find("links: [{kind: global, delay: 20}, {kind: node, cycles_per_flit: 2}]"),
            std::string::npos)
      << text;
  EXPECT_EQ(parse(text).machine.links, config.machine.links);
}

TEST(LinkKeys, KindOfATorus_IsADimension) {
  const auto config = parse(kLeast + "links: [{kind: dimension 1, delay: 9}]\n");
  const Topology& torus = config.topology;
  EXPECT_EQ(config.machine.link(torus, channel(torus, {3, 2}, 1)).delay, 1U);
  EXPECT_EQ(config.machine.link(torus, channel(torus, {3, 2}, 2)).delay, 9U);
  EXPECT_EQ(config.machine.link(torus, channel(torus, {3, 2}, 3)).delay, 9U);
}

TEST(LinkKeys, KindOfLinksOfSeveralNetworks_IsThatInAll) {
  const auto config = parse(
      "flitscope: 1\ntopology: {kind: mesh, shape: [3, 3], networks: 2}\nclasses: [{name: a, vcs: 1}, {name: "
      "b, "
      "vcs: 1, network: 1}]\nlinks: [{kind: dimension 0, delay: 5}]\nworkload: {classes: [{name: x, traffic: "
      "uniform, load: 0.1, message_class: a}, {name: y, traffic: uniform, load: 0.1, message_class: b}]}\n");
  const Topology& mesh = config.topology;
  mesh.for_each_link([&](NodeId node, unsigned port, NodeId) {
    EXPECT_EQ(config.machine.link(mesh, mesh.channel(node, port)).delay, mesh.dimension(port) == 0 ? 5U : 1U);
  });
}

TEST(LinkKeys, InjectionAndEjection_HaveIntervalsOfTheirOwn) {
  const auto config = parse(kLeast + "node: {injection_interval: 2, ejection_interval: 3}\n");
  EXPECT_EQ(config.machine.injection_interval, 2U);
  EXPECT_EQ(config.machine.ejection_interval, 3U);
}

TEST(LinkKeys, SingleLinks_AreInTheResolvedConfiguration) {
  const auto config =
      parse(kLeast +
            "link: {delay: [4, 8], cycles_per_flit: 2}\n"
            "links: [{at: '[2, 2]-1', cycles_per_flit: 5, both: true}, {at: '[1, 0]+0', delay: 6}]\n"
            "node: {ejection_interval: 7}\n");
  const std::string text = resolve(config);
  const auto again = parse(text);
  EXPECT_EQ(resolve(again), text);
  EXPECT_EQ(again.machine.links, config.machine.links);
  EXPECT_EQ(again.machine.ejection_interval, 7U);
}

TEST(LinkKeys, SingleLinks_CanBeSetByAnOverride) {
  const auto config = parse(kLeast, {"links=[{at: '[1, 0]+0', delay: 6}]", "link.delay=[2, 3]"});
  EXPECT_EQ(config.machine.link(config.topology, channel(config.topology, {1, 0}, 0)).delay, 6U);
  EXPECT_EQ(config.machine.link_delay, 2U);
}

TEST(LinkKeys, InvalidItems_AreRefusedAtTheirPlaces) {
  const struct {
    std::string text;
    Expected expected;
  } cases[] = {
      {"link: {delay: [4, 8, 2]}\n", {"c.yaml:4:15", {"link.delay", "2 numbers", "are 3"}}},
      {"link: {delay: [4, 0]}\n", {"c.yaml:4:19", {"link.delay[1]", "from 1 to 65535"}}},
      {"link: {cycles_per_flit: 0}\n", {"c.yaml:4:25", {"link.cycles_per_flit", "from 1 to 1024"}}},
      {"links: 4\n", {"c.yaml:4:8", {"links", "a list of links", "at: '[1, 0]+0'"}}},
      {"links: [{delay: 6}]\n", {"c.yaml:4:9", {"links[0]", "'at'"}}},
      {"links: [{at: '[1, 0]+0', kind: dimension 0, delay: 6}]\n",
       {"c.yaml:4:9", {"links[0]", "'at'", "'kind'"}}},
      {"links: [{kind: dimension 0, missing: true}]\n", {"c.yaml:4:9", {"links[0]", "'missing'", "'at'"}}},
      {"links: [{kind: dimension 0, both: true, delay: 2}]\n",
       {"c.yaml:4:9", {"links[0]", "'both'", "'at'"}}},
      {"links: [{kind: global, delay: 6}]\n",
       {"c.yaml:4:9", {"links[0]", "kind 'global'", "dimension 0, dimension 1"}}},
      {"links: [{kind: dimension 0, delay: 6}, {kind: dimension 0, delay: 7}]\n",
       {"c.yaml:4:40", {"links[1]", "[0, 0]+0 already"}}},
      {"links: [{at: '[1, 0]+0'}]\n", {"c.yaml:4:9", {"links[0]", "'missing: true'"}}},
      {"links: [{kind: dimension 0}]\n",
       {"c.yaml:4:9", {"links[0]", "of the links: 'delay', 'cycles_per_flit' or 'bandwidth'"}}},
      {"links: [{kind: '', delay: 6}]\n", {"c.yaml:4:16", {"links[0].kind", "dimension 0"}}},
      {"links:\n  - {at: '[1, 0]+0', delay: 6}\n  - {at: '[1, 9]+0', delay: 6}\n",
       {"c.yaml:6:5", {"links[1]", "[1, 9]+0", "no channel of the 7x7 torus"}}},
      {"links: [{at: '[1, 0]+0', delay: 70000}]\n", {"c.yaml:4:33", {"links[0].delay", "65535"}}},
      {"links: [{at: '[1, 0]+0', delay: 6, dely: 7}]\n", {"c.yaml:4:36", {"links[0].dely", "delay"}}},
      {"links: [{at: '[1, 0]+0', cycles_per_flit: 2}, {at: '[2, 0]-0', both: true, cycles_per_flit: 3}]\n",
       {"c.yaml:4:47", {"links[1]", "[1, 0]+0 already"}}},
      {"node: {injection_interval: none}\n", {"c.yaml:4:28", {"node.injection_interval", "'none'"}}},
  };
  for (const auto& each : cases) {
    expect_refusal(refusal(kLeast + each.text), {each.expected}, each.text);
  }
}

TEST(LinkKeys, CompleteNetwork_RefusesLinkKeys) {
  const auto lines = refusal(
      "flitscope: 1\ntopology: {kind: complete, nodes: 4}\nnode: {ports: 1}\ncircuits: {reconfiguration: 1}\n"
      "links: [{at: '[1, 0]+0', delay: 6}]\nworkload: {schedule: s.jsonl}\n");
  expect_refusal(lines, {{"c.yaml:5:1", {"links", "networks with links"}}}, "links of a complete network");
}

}  // namespace
}  // namespace flitscope::link_keys_test
