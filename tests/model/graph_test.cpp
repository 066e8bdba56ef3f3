// Graphs: are ports numbered so that output port p leads to input port p, and is what cannot be refused?
#include "model/graph.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "model/error.h"
#include "model/node_set.h"
#include "model/topology.h"
#include "networks/network_family.h"
#include "tests/reference/random_graph.h"
#include "tests/support/random_cases.h"

namespace flitscope::graph_test {
namespace {

GraphPlan line_of(std::uint32_t routers) {
  GraphPlan plan{.name = "line"};
  for (std::uint32_t i = 0; i < routers; ++i) plan.add_router({"r" + std::to_string(i)});
  for (std::uint32_t i = 1; i < routers; ++i) plan.join(i - 1, i);
  return plan;
}

std::string message_of(const GraphPlan& plan) {
  const auto fault = fault_of(plan);
  return fault ? fault->message : "";
}

/// A multigraph with parallel arcs, with `arcs` arcs.
std::vector<ColouredArc> random_arcs(RandomNumbers& random, std::uint32_t vertices, std::uint32_t arcs) {
  std::vector<ColouredArc> result;
  for (std::uint32_t i = 0; i < arcs; ++i) {
    result.push_back({static_cast<std::uint32_t>(random.below(vertices)),
                      static_cast<std::uint32_t>(random.below(vertices))});
  }
  return result;
}

TEST(EdgeColouring, RandomGraph_GetsAProperColouringOfMinimumSize) {
  RandomNumbers random(1);
  for (int round = 0; round < 200; ++round) {
    const auto vertices = static_cast<std::uint32_t>(1 + random.below(12));
    const auto arcs = random_arcs(random, vertices, static_cast<std::uint32_t>(1 + random.below(60)));
    std::map<std::uint32_t, unsigned> leaving;
    std::map<std::uint32_t, unsigned> entering;
    unsigned degree = 0;
    for (const ColouredArc& arc : arcs) degree = std::max({degree, ++leaving[arc.from], ++entering[arc.to]});
    if (degree > 64) continue;
    const auto colours = edge_colours(vertices, arcs);
    std::set<std::pair<std::uint32_t, unsigned>> out;
    std::set<std::pair<std::uint32_t, unsigned>> in;
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      ASSERT_LT(colours[i], degree);
      ASSERT_TRUE(out.emplace(arcs[i].from, colours[i]).second);
      ASSERT_TRUE(in.emplace(arcs[i].to, colours[i]).second);
    }
  }
}

TEST(Graph, EveryLink_HasOnePortNumberAtBothEnds) {
  RandomNumbers random(2);
  const auto between = [&](std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random.below(most - least + 1));
  };
  for (int round = 0; round < 100; ++round) {
    const GraphPlan plan = reference::random_graph(between, 10);
    const Topology topology = Topology::of(std::make_shared<const Graph>(plan));
    std::multiset<std::pair<std::string, std::string>> wanted;
    for (const auto& link : plan.links)
      wanted.emplace(plan.routers[link.from].name, plan.routers[link.to].name);
    std::multiset<std::pair<std::string, std::string>> found;
    for (NodeId router = 0; router < topology.routers(); ++router) {
      for (unsigned port = 0; port < topology.link_ports(); ++port) {
        const auto to = topology.neighbour(router, port);
        if (!to) continue;
        found.emplace(topology.node_name(router), topology.node_name(*to));
        ASSERT_EQ(topology.upstream(*to, port), router);
      }
    }
    ASSERT_EQ(found, wanted);
  }
}

TEST(Graph, Nodes_AreNumberedBeforeOtherRouters) {
  GraphPlan plan{.name = "star"};
  plan.add_router({"hub", false});
  for (const char* const name : {"a", "b", "c"}) plan.add_node(0, {name});
  const Topology topology = Topology::of(std::make_shared<const Graph>(plan));
  EXPECT_EQ(topology.nodes(), 3U);
  EXPECT_EQ(topology.routers(), 4U);
  EXPECT_EQ(topology.link_ports(), 3U);
  EXPECT_EQ(topology.node_name(0), "a");
  EXPECT_EQ(topology.node_name(3), "hub");
  EXPECT_EQ(topology.channel_ids(), 12U);
}

TEST(Graph, Links_AreNamedByPortOrByEnds) {
  GraphPlan plan = line_of(2);
  plan.join(0, 1);
  plan.links.push_back({0, 1, "east"});
  const Topology topology = Topology::of(std::make_shared<const Graph>(plan));
  std::set<std::string> names;
  for (unsigned port = 0; port < topology.link_ports(); ++port) {
    if (topology.has_link(0, port)) names.insert(topology.channel_name(topology.channel(0, port)));
  }
  EXPECT_EQ(names, (std::set<std::string>{"r0>r1", "r0>r1#2", "r0:east"}));
}

/// One name for a router and one for a link: what is printed is what is read.
TEST(Graph, Names_AreReadAsTheyArePrinted) {
  GraphPlan plan = line_of(3);
  plan.routers[2].node = false;
  plan.add_node(2, {"0"});
  plan.links.push_back({0, 1, "east"});
  const Topology topology = Topology::of(std::make_shared<const Graph>(plan));
  for (NodeId router = 0; router < topology.routers(); ++router) {
    EXPECT_EQ(parse_node(topology.node_name(router), topology), router);
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const ChannelId channel = topology.channel(router, port);
      if (topology.has_link(router, port)) {
        EXPECT_EQ(parse_channel(topology.channel_name(channel), topology), channel);
      }
    }
  }
  EXPECT_EQ(topology.node_name(parse_node("0", topology)), "0") << "a name, not a number";
  EXPECT_THROW(static_cast<void>(parse_node("1", topology)), InputError);
  EXPECT_EQ(parse_node("origin", topology), 0U);
  plan.add_node(2, {"origin"});
  const Topology named = Topology::of(std::make_shared<const Graph>(plan));
  EXPECT_EQ(named.node_name(parse_node("origin", named)), "origin") << "a name wins";
  EXPECT_THROW(static_cast<void>(node_named({"r2"}, topology, "workload.source")), Inadmissible);
}

TEST(Graph, EqualNamesAndLinks_MakeEqualGraphs) {
  const auto topology = [](const GraphPlan& plan) {
    return Topology::of(std::make_shared<const Graph>(plan));
  };
  GraphPlan other = line_of(3);
  EXPECT_EQ(topology(line_of(3)), topology(other));
  other.links.front().delay = 3;
  EXPECT_NE(topology(line_of(3)), topology(other));
  EXPECT_NE(topology(line_of(3)), Topology(TopologyKind::mesh, {3}));
}

TEST(GraphFaults, FaultyPlan_IsRefusedWithItsPart) {
  GraphPlan twice = line_of(3);
  twice.routers[2].name = "r0";
  EXPECT_NE(message_of(twice).find("a router 'r0' already"), std::string::npos);
  GraphPlan loop = line_of(3);
  loop.links.push_back({1, 1});
  EXPECT_NE(message_of(loop).find("from 'r1' to itself"), std::string::npos);
  EXPECT_EQ(fault_of(loop)->index, 4U);
  GraphPlan ports = line_of(3);
  ports.links.push_back({1, 0, "east"});
  ports.links.push_back({1, 2, "east"});
  EXPECT_NE(message_of(ports).find("port 'east' of 'r1' has a link already"), std::string::npos);
  GraphPlan apart = line_of(3);
  apart.links.resize(3);
  EXPECT_NE(message_of(apart).find("no path leads from 'r2' to 'r0'"), std::string::npos);
  GraphPlan wide = line_of(2);
  for (int i = 0; i < 255; ++i) wide.links.push_back({0, 1});
  EXPECT_NE(message_of(wide).find("more than 255 links leave 'r0'"), std::string::npos);
  GraphPlan alone = line_of(2);
  alone.routers[1].node = false;
  EXPECT_NE(message_of(alone).find("one node only"), std::string::npos);
  EXPECT_THROW(Graph{alone}, Inadmissible);
}

TEST(Faults, MissingLinksAndNodes_KeepTheOtherNumbers) {
  const Topology whole(TopologyKind::torus, {4, 3});
  const ChannelId link = whole.channel(5, port_of(0, Sign::minus));
  const Topology rest = whole.without({{link}, {0}});
  EXPECT_EQ(rest.name(), "4x3 torus without 1 node and 1 directed link");
  EXPECT_FALSE(rest.is_fault_free_grid());
  EXPECT_TRUE(rest.is_grid());
  EXPECT_NE(rest, whole);
  for (NodeId node = 0; node < whole.nodes(); ++node) {
    EXPECT_EQ(rest.is_missing(node), node == 0);
    for (unsigned port = 0; port < whole.link_ports(); ++port) {
      const auto there = whole.neighbour(node, port);
      const bool gone = whole.channel(node, port) == link || node == 0 || *there == 0;
      EXPECT_EQ(rest.neighbour(node, port), gone ? std::nullopt : there);
    }
  }
  EXPECT_EQ(whole.without({}), whole);
}

TEST(Faults, MissingLinksOfAGraph_KeepNumbersPortsAndNames) {
  GraphPlan plan = line_of(4);
  plan.links.push_back({1, 2});  // beside the first one
  plan.links.push_back({3, 0, "back"});
  plan.routing = "up-down";
  const Topology whole = Topology::of(std::make_shared<const Graph>(plan));
  const ChannelId first = parse_channel("r1>r2", whole);
  const ChannelId back = parse_channel("r3:back", whole);
  const Topology rest = whole.without({{first, back, first}, {}});
  EXPECT_NE(rest, whole);
  EXPECT_EQ(rest.whole(), whole);
  EXPECT_EQ(rest.without({}), whole);
  EXPECT_EQ(rest.default_routing(), "layered");
  EXPECT_EQ(rest.graph()->links(), whole.graph()->links() - 2);
  EXPECT_EQ(parse_channel("r1>r2#2", rest), parse_channel("r1>r2#2", whole));
  EXPECT_THROW(static_cast<void>(parse_channel("r1>r2", rest)), InputError);
  for (NodeId router = 0; router < whole.routers(); ++router) {
    for (unsigned port = 0; port < whole.link_ports(); ++port) {
      const ChannelId channel = whole.channel(router, port);
      const bool gone = channel == first || channel == back;
      EXPECT_EQ(rest.neighbour(router, port), gone ? std::nullopt : whole.neighbour(router, port));
      EXPECT_EQ(rest.channel_name(channel), whole.channel_name(channel));
      if (!rest.has_link(router, port)) continue;
      EXPECT_EQ(rest.upstream(*rest.neighbour(router, port), port), router);
      EXPECT_EQ(rest.graph()->link(router, port).port, whole.graph()->link(router, port).port);
    }
  }
  EXPECT_THROW(static_cast<void>(whole.without({{first, parse_channel("r1>r2#2", whole)}, {}})),
               Inadmissible);
}

TEST(Faults, DisconnectedNetwork_IsRefused) {
  const Topology line(TopologyKind::mesh, {3});
  EXPECT_THROW(static_cast<void>(line.without({{line.channel(0, port_of(0, Sign::plus))}, {}})),
               Inadmissible);
  EXPECT_THROW(static_cast<void>(line.without({{}, {1}})), Inadmissible);
}

TEST(Families, KAryNTree_HasItsNodesSwitchesAndLinks) {
  const NetworkFamily& family = *FamilyRegistry::find("k-ary-n-tree");
  for (const auto& [k, n] : {std::pair{2, 2}, {2, 4}, {4, 3}, {3, 3}}) {
    ParameterValues values;
    values.set("k", std::int64_t{k});
    values.set("n", std::int64_t{n});
    const Topology tree = Topology::of(make_graph(family, values));
    const auto power = [k = k](int exponent) {
      std::uint64_t result = 1;
      for (int i = 0; i < exponent; ++i) result *= static_cast<std::uint64_t>(k);
      return result;
    };
    EXPECT_EQ(tree.nodes(), power(n));
    EXPECT_EQ(tree.routers() - tree.nodes(), n * power(n - 1));
    EXPECT_EQ(tree.graph()->links(), 2 * n * power(n));
    EXPECT_EQ(tree.link_ports(), 2U * k);
    EXPECT_EQ(tree.graph()->family(), "k-ary-n-tree");
    EXPECT_EQ(tree.graph()->coordinates(0).size(), n + 1U);
  }
}

/// Outputs 0 to 2, inputs 3 and 4. The last link finds port 1 taken at its output and port 0 at its input, so
/// the one from 2 to 4 changes to port 1.
TEST(Graph, Ports_AreTheLowestFreeOnes) {
  const std::vector<ColouredArc> arcs{{0, 3}, {1, 3}, {2, 4}, {1, 4}};
  EXPECT_EQ(edge_colours(5, arcs), (std::vector<unsigned>{0, 1, 1, 0}));
}

}  // namespace
}  // namespace flitscope::graph_test
