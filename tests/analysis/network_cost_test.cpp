// What networks cost: closed forms of textbooks, and cuts against all bisections of small networks.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <random>

#include "model/graph.h"
#include "model/random.h"
#include "sim/analysis/network_cost.h"
#include "tests/support/families.h"
#include "tests/support/random_cases.h"

namespace flitscope::test::network_cost_test {
namespace {

NetworkCost cost_of(const Topology& topology, MachineConfig machine = {}, std::vector<Decimal> mm = {}) {
  machine.ports = machine.ports.value_or(1);
  return network_cost(topology, machine, mm, 5e7);
}

Topology grid(TopologyKind kind, std::vector<std::uint32_t> sides) {
  return {kind, std::move(sides)};
}

std::map<std::string, std::uint64_t> kinds_of(const NetworkCost& cost) {
  std::map<std::string, std::uint64_t> kinds;
  for (const LinkKind& kind : cost.kinds) kinds[kind.name] = kind.links;
  return kinds;
}

/// The least cut of all partitions of the nodes into halves, routers without a node on whichever side is
/// better.
std::uint64_t least_cut(const Topology& topology) {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  const NodeId routers = topology.routers();
  for (std::uint32_t side = 0; side < 1U << routers; ++side) {
    const auto nodes = static_cast<unsigned>(std::popcount(side & ((1U << topology.nodes()) - 1)));
    if (nodes != topology.nodes() / 2) continue;
    std::uint64_t cut = 0;
    for (NodeId router = 0; router < routers; ++router) {
      for (unsigned port = 0; port < topology.link_ports(); ++port) {
        const auto to = topology.neighbour(router, port);
        if (to && (side >> router & 1) != 0 && (side >> *to & 1) == 0) ++cut;
      }
    }
    least = std::min(least, cut);
  }
  return least;
}

void expect_least_cut(const Topology& topology) {
  const Bisection bisection = cost_of(topology).bisection;
  EXPECT_TRUE(bisection.is_exact) << topology.name();
  EXPECT_EQ(bisection.flits_per_cycle, least_cut(topology)) << topology.name();
}

TEST(NetworkCost, Torus_HasTheClosedForms) {
  const NetworkCost cost = cost_of(grid(TopologyKind::torus, {8, 8, 8}));
  EXPECT_EQ(cost.routers, 512U);
  EXPECT_EQ(cost.links, 6U * 512);
  EXPECT_EQ(kinds_of(cost), (std::map<std::string, std::uint64_t>{
                                {"dimension 0", 1024}, {"dimension 1", 1024}, {"dimension 2", 1024}}));
  EXPECT_EQ(cost.bisection.flits_per_cycle, 2 * 64);  // 2 k^(n-1) each way
  EXPECT_TRUE(cost.bisection.is_exact);
  EXPECT_EQ(cost.diameter, 12U);
  EXPECT_DOUBLE_EQ(*cost.hops_mean, 3 * 2.0 * 512 / 511);  // n k/4, without a node itself
  EXPECT_EQ(cost.radix, 7U);
  EXPECT_EQ(cost.wire_mm, std::nullopt);
}

TEST(NetworkCost, Mesh_HasTheClosedForms) {
  const NetworkCost cost = cost_of(grid(TopologyKind::mesh, {8, 8}));
  EXPECT_EQ(cost.links, 4U * 8 * 7);
  EXPECT_EQ(cost.bisection.flits_per_cycle, 8);
  EXPECT_EQ(cost.diameter, 14U);
  EXPECT_DOUBLE_EQ(*cost.hops_mean, 2 * (8 - 1.0 / 8) / 3 * 64 / 63);
  EXPECT_EQ(cost.radix, 5U);
}

TEST(NetworkCost, Ring_HasTheClosedForms) {
  const NetworkCost cost = cost_of(grid(TopologyKind::torus, {9}));
  EXPECT_EQ(cost.links, 18U);
  EXPECT_EQ(cost.bisection.flits_per_cycle, 2);
  EXPECT_EQ(cost.diameter, 4U);
  EXPECT_DOUBLE_EQ(*cost.hops_mean, 2.5);  // (1 + 2 + 3 + 4) / 4
}

TEST(NetworkCost, OneWayTorus_HasTheClosedForms) {
  const Topology topology(TopologyKind::torus, {10, 12}, LinkDirections::plus);
  const NetworkCost cost = cost_of(topology);
  EXPECT_EQ(cost.links, 2U * 120);
  EXPECT_EQ(cost.diameter, 9U + 11);
  // A round trip to another node goes once round every ring in which the two differ.
  EXPECT_DOUBLE_EQ(*cost.hops_mean, (4.5 + 5.5) * 120 / 119);
  EXPECT_EQ(cost.bisection.flits_per_cycle, 10U);
}

TEST(NetworkCost, Hypercube_HasTheClosedForms) {
  const NetworkCost cost = cost_of(grid(TopologyKind::mesh, {2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(cost.links, 6U * 64);
  EXPECT_EQ(cost.bisection.flits_per_cycle, 32);  // N/2
  EXPECT_EQ(cost.diameter, 6U);
  EXPECT_DOUBLE_EQ(*cost.hops_mean, 3.0 * 64 / 63);  // n/2
  EXPECT_EQ(cost.radix, 7U);
}

TEST(NetworkCost, FatTree_HasTheClosedForms) {
  const NetworkCost cost = cost_of(network("k-ary-n-tree", {number("k", 4), number("n", 3)}));
  EXPECT_EQ(cost.nodes, 64U);
  EXPECT_EQ(cost.routers, 3U * 16);
  EXPECT_EQ(kinds_of(cost), (std::map<std::string, std::uint64_t>{{"switch", 2 * 2 * 64}, {"node", 2 * 64}}));
  EXPECT_EQ(cost.bisection.flits_per_cycle, 32);  // N/2: full
  EXPECT_TRUE(cost.bisection.is_exact);
  EXPECT_EQ(cost.diameter, 6U);
  EXPECT_DOUBLE_EQ(*cost.hops_mean, (3 * 2.0 + 12 * 4 + 48 * 6) / 63);
  EXPECT_EQ(cost.radix, 8U);
}

TEST(NetworkCost, Dragonfly_HasTheClosedFormsAndABoundOfItsBisection) {
  const Topology topology =
      network("dragonfly", {number("p", 2), number("a", 4), number("h", 2), number("groups", 8)});
  const NetworkCost cost = cost_of(topology);
  EXPECT_EQ(cost.nodes, 64U);
  EXPECT_EQ(cost.routers, 32U);
  EXPECT_EQ(kinds_of(cost), (std::map<std::string, std::uint64_t>{
                                {"local", 8 * 4 * 3}, {"global", 8 * 7}, {"node", 2 * 64}}));
  EXPECT_EQ(cost.diameter, 5U);  // local, global, local, and the links of both nodes
  EXPECT_EQ(cost.radix, 7U);
  EXPECT_FALSE(cost.bisection.is_exact);
  EXPECT_LE(cost.bisection.flits_per_cycle, 16);  // between groups: 4 * 4
  EXPECT_NE(cost.bisection.found_by, "");
}

TEST(NetworkCost, Hyperx_HasTheClosedForms) {
  const Topology topology = network("hyperx", {list("shape", {4, 8}), number("concentration", 4)});
  const NetworkCost cost = cost_of(topology, {}, {Decimal(2), Decimal(1)});
  EXPECT_EQ(cost.routers, 32U);
  EXPECT_EQ(kinds_of(cost), (std::map<std::string, std::uint64_t>{{"router", 32 * 10}, {"node", 2 * 128}}));
  EXPECT_EQ(cost.bisection.flits_per_cycle, 32 * 4 / 4);  // R S/4 across the shortest side
  EXPECT_TRUE(cost.bisection.is_exact);
  EXPECT_EQ(cost.diameter, 4U);
  EXPECT_EQ(cost.radix, 14U);
  // A row of k routers has links of 1 to k-1 places, k (k^2 - 1) / 3 places in both directions: 20 of 4, 168
  // of 8.
  EXPECT_DOUBLE_EQ(*cost.wire_mm, 2 * (8 * 20.0 + 4 * 168) + 256);
}

TEST(NetworkCost, Bisection_IsTheLeastOfAllCuts) {
  for (const TopologyKind kind : {TopologyKind::torus, TopologyKind::mesh}) {
    for (const auto& sides : std::vector<std::vector<std::uint32_t>>{{2},
                                                                     {5},
                                                                     {6},
                                                                     {2, 2},
                                                                     {3, 3},
                                                                     {4, 3},
                                                                     {3, 5},
                                                                     {4, 4},
                                                                     {2, 7},
                                                                     {2, 2, 3},
                                                                     {3, 2, 2},
                                                                     {2, 2, 2, 2}}) {
      expect_least_cut(grid(kind, sides));
      if (kind == TopologyKind::torus) expect_least_cut({kind, sides, LinkDirections::minus});
      expect_least_cut(grid(kind, sides).in_networks({{}, {}}));
    }
  }
  for (const LinkDirections second : {LinkDirections::plus, LinkDirections::minus}) {
    const Topology ring(TopologyKind::torus, {3, 3});
    expect_least_cut(ring.in_networks({{LinkDirections::plus, 0}, {second, 0}}));
  }
  expect_least_cut(network("k-ary-n-tree", {number("k", 2), number("n", 3)}));
  expect_least_cut(network("k-ary-n-tree", {number("k", 3), number("n", 2)}));
  for (const auto& shape : std::vector<std::vector<std::uint32_t>>{{4}, {5}, {2, 3}, {3, 3}}) {
    expect_least_cut(network("hyperx", {list("shape", shape), number("concentration", 1)}));
  }
  expect_least_cut(network("hyperx", {list("shape", {6}), number("concentration", 2)}));
  expect_least_cut(network("concentrated-mesh", {list("shape", {4}), number("concentration", 4)}));
  expect_least_cut(network("concentrated-mesh", {list("shape", {2, 2}), number("concentration", 4)}));
}

TEST(NetworkCost, BisectionOfOtherGraphs_IsTheLeastCutOfSmallOnes) {
  for (const Topology& topology :
       {network("dragonfly", {number("p", 1), number("a", 2), number("h", 1), number("groups", 3)}),
        network("twisted-torus", {list("shape", {4, 4}), number("twist", 2)}),
        network("chiplets", {list("chiplets", {2, 1}), list("mesh", {2, 3}), number("inner_delay", 1),
                             number("outer_delay", 4), ratio("outer_cycles_per_flit", 1)}),
        grid(TopologyKind::torus, {4, 4}).without({.links = {0, 5}, .nodes = {}})}) {
    const Bisection bisection = cost_of(topology).bisection;
    EXPECT_FALSE(bisection.is_exact);
    EXPECT_EQ(bisection.flits_per_cycle, least_cut(topology)) << topology.name();
  }
}

TEST(NetworkCost, RouterWithOneNeighbour_IsARouter) {
  GraphPlan line{.name = "line"};
  for (const char* const name : {"a", "b", "c"}) line.add_router({.name = name});
  line.join(0, 1);
  line.join(1, 2);
  const NetworkCost cost = cost_of(Topology::of(std::make_shared<const Graph>(line)));
  EXPECT_EQ(cost.routers, 3U);
  EXPECT_EQ(kinds_of(cost), (std::map<std::string, std::uint64_t>{{"link", 4}}));
  const Topology chiplets =
      network("chiplets", {list("chiplets", {2, 1}), list("mesh", {2, 1}), number("inner_delay", 1),
                           number("outer_delay", 4), ratio("outer_cycles_per_flit", Ratio(1))});
  EXPECT_EQ(cost_of(chiplets).routers, 4U);
  EXPECT_EQ(kinds_of(cost_of(chiplets)), (std::map<std::string, std::uint64_t>{{"inner", 4}, {"outer", 2}}));
  EXPECT_EQ(LinkKinds(chiplets).names(), (std::vector<std::string>{"inner", "outer"}));
  const ParameterValues::Value row = false;
  EXPECT_EQ(
      cost_of(
          network("express-cube",
                  {list("shape", {6}), number("interval", 3), {"wraps", row}, number("express_delay", 1)}))
          .routers,
      6U);
}

/// Routers of which some have nodes of their own, nodes attached to them, and one-way links.
Topology random_graph(std::mt19937_64& random) {
  GraphPlan plan{.name = "random"};
  const auto routers = static_cast<std::uint32_t>(1 + random_below(random, 7));
  for (std::uint32_t router = 0; router < routers; ++router) {
    plan.add_router({.name = "r" + std::to_string(router), .node = random_below(random, 2) == 0});
    if (router != 0) plan.join(router, static_cast<std::uint32_t>(random_below(random, router)));
  }
  for (std::uint64_t left = random_below(random, 4); routers > 2 && left > 0; --left) {
    const auto from = static_cast<std::uint32_t>(random_below(random, routers));
    const auto to = static_cast<std::uint32_t>(random_below(random, routers));
    if (from != to) plan.links.push_back({.from = from, .to = to, .port = "p" + std::to_string(left)});
  }
  const std::uint64_t nodes = 2 + random_below(random, 5);
  for (std::uint64_t node = 0; node < nodes; ++node) {
    plan.add_node(static_cast<std::uint32_t>(random_below(random, routers)),
                  {.name = "n" + std::to_string(node)});
  }
  return Topology::of(std::make_shared<const Graph>(plan));
}

void expect_distances_of_searches(const Topology& topology) {
  std::uint32_t farthest = 0;
  std::uint64_t sum = 0;
  for (NodeId source = 0; source < topology.nodes(); ++source) {
    const std::vector<std::uint32_t> links = links_from(topology, std::span(&source, 1));
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      farthest = std::max(farthest, links[node]);
      sum += links[node];
    }
  }
  const NetworkCost cost = cost_of(topology);
  const double nodes = topology.nodes();
  EXPECT_EQ(cost.diameter, farthest) << topology.name();
  EXPECT_EQ(cost.hops_mean, static_cast<double>(sum) / (nodes * (nodes - 1))) << topology.name();
}

TEST(NetworkCost, DistancesOfGraphs_AreThoseOfSearchesFromEachNode) {
  expect_distances_of_searches(network("hyperx", {list("shape", {3, 2}), number("concentration", 3)}));
  expect_distances_of_searches(network("k-ary-n-tree", {number("k", 2), number("n", 3)}));
  expect_distances_of_searches(network("butterfly", {number("k", 2), number("n", 3)}));
  expect_distances_of_searches(
      network("dragonfly", {number("p", 1), number("a", 3), number("h", 1), number("groups", 4)}));
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < cases(200); ++i) expect_distances_of_searches(random_graph(random));
}

TEST(NetworkCost, NodesOfAButterfly_AreNoRouters) {
  const NetworkCost cost = cost_of(network("butterfly", {number("k", 2), number("n", 2)}));
  EXPECT_EQ(cost.nodes, 4U);
  EXPECT_EQ(cost.routers, 4U);
  EXPECT_EQ(cost.radix, 2U);
  EXPECT_EQ(kinds_of(cost), (std::map<std::string, std::uint64_t>{{"switch", 4}, {"node", 8}}));
}

TEST(NetworkCost, NodeAttachedToARouterWithANode_IsNoRouter) {
  GraphPlan plan{.name = "two"};
  const std::uint32_t router = plan.add_router({.name = "r"});
  plan.add_node(router, {.name = "n"});
  EXPECT_EQ(cost_of(Topology::of(std::make_shared<const Graph>(plan))).routers, 1U);
  plan.add_node(router, {.name = "m"});
  EXPECT_EQ(cost_of(Topology::of(std::make_shared<const Graph>(plan))).routers, 1U);
}

TEST(NetworkCost, WiresOfAList_AreThoseOfTheKindsInTheirOrder) {
  const Topology topology =
      network("dragonfly", {number("p", 2), number("a", 4), number("h", 2), number("groups", 9)});
  EXPECT_EQ(LinkKinds(topology).names(), (std::vector<std::string>{"local", "global", "node"}));
  const NetworkCost cost = cost_of(topology, {}, {Decimal(1), Decimal(10), Decimal(100)});
  EXPECT_EQ(cost.wire_mm, 9 * 4 * 3 * 1 + 9 * 8 * 10 + 2 * 72 * 100);
}

TEST(NetworkCost, SlowerLinks_NarrowTheBisection) {
  MachineConfig machine;
  machine.link_cycles_per_flit = 2;
  EXPECT_EQ(cost_of(grid(TopologyKind::torus, {8, 8}), machine).bisection.flits_per_cycle, 8);
  machine.links.single[0].cycles_per_flit = 4;
  const NetworkCost cost = cost_of(grid(TopologyKind::torus, {8, 8}), machine);
  EXPECT_FALSE(cost.bisection.is_exact);
  EXPECT_LE(cost.bisection.flits_per_cycle, 8);
}

TEST(NetworkCost, Buffers_AreThoseOfAllInputs) {
  MachineConfig machine;
  machine.virtual_channels = 2;
  machine.buffer = 8;
  machine.flit_bytes = 16;
  machine.node_vcs = 3;
  // 8 links and 4 injection channels.
  EXPECT_EQ(cost_of(grid(TopologyKind::mesh, {2, 2}), machine).buffer_bits, (8U * 2 + 4 * 3) * 8 * 16 * 8);
}

TEST(NetworkCost, ClassesInNetworksOfTheirOwn_HaveTheBuffersOfClassesInOneNetwork) {
  const Topology mesh = grid(TopologyKind::mesh, {3, 3});
  MachineConfig machine;
  machine.ports = 1;
  machine.virtual_channels = 2;
  machine.classes = {{.name = "request", .vcs = 0b01}, {.name = "reply", .vcs = 0b10}};
  const std::uint64_t one = cost_of(mesh, machine).buffer_bits;
  machine.virtual_channels = 1;
  machine.classes = {{.name = "request", .vcs = 1}, {.name = "reply", .vcs = 1, .network = 1}};
  EXPECT_EQ(cost_of(mesh.in_networks({{}, {}}), machine).buffer_bits, one);
}

TEST(NetworkCost, NetworksOfUnequalLinks_HaveTheBuffersOfTheirClasses) {
  // A ring in both directions, and one in one: 3 x (2 + 1) links. A node has an injection channel for each
  // port: two for class a, and two for classes b and c.
  const Topology ring =
      grid(TopologyKind::torus, {3}).in_networks({{LinkDirections::both}, {LinkDirections::plus}});
  MachineConfig machine;
  machine.buffer = 1;
  machine.flit_bytes = 1;
  machine.virtual_channels = 2;
  machine.classes = {
      {.name = "a", .vcs = 1}, {.name = "b", .vcs = 1, .network = 1}, {.name = "c", .vcs = 2, .network = 1}};
  EXPECT_EQ(network_cost(ring, machine, {}, 1e6).buffer_bits, (9U * 2 + 3 * (2 * 1 + 2 * 2)) * 8);
}

TEST(NetworkCost, MissingNodesAndLinks_DoNotCount) {
  const Topology topology = grid(TopologyKind::mesh, {3, 3}).without({.links = {}, .nodes = {4}});
  const NetworkCost cost = cost_of(topology, {}, {Decimal(2), Decimal(3)});
  EXPECT_EQ(cost.nodes, 8U);
  EXPECT_EQ(cost.routers, 8U);
  EXPECT_EQ(cost.links, 16U);  // a ring of 8
  EXPECT_EQ(cost.wire_mm, 8 * 2 + 8 * 3);
  EXPECT_EQ(cost.diameter, 4U);
  EXPECT_DOUBLE_EQ(*cost.hops_mean, 16.0 / 7);
  EXPECT_EQ(cost.bisection.flits_per_cycle, 2);
}

}  // namespace
}  // namespace flitscope::test::network_cost_test
