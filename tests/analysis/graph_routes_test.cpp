// Routing functions for any network: destinations, path lengths, freedom of deadlock.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <queue>
#include <set>
#include <tuple>

#include "model/error.h"
#include "model/graph.h"
#include "model/route_table.h"
#include "networks/network_family.h"
#include "routers/routing/paths.h"
#include "sim/analysis/deadlock_verdict.h"
#include "tests/reference/random_graph.h"
#include "tests/support/random_cases.h"

namespace flitscope::graph_routes_test {
namespace {

Topology graph_of(GraphPlan plan) {
  return Topology::of(std::make_shared<const Graph>(std::move(plan)));
}

Topology ring_of(std::uint32_t routers, bool both_ways = true) {
  GraphPlan plan{.name = "ring"};
  for (std::uint32_t i = 0; i < routers; ++i) plan.add_router({"r" + std::to_string(i)});
  for (std::uint32_t i = 0; i < routers; ++i) {
    plan.links.push_back({i, (i + 1) % routers});
    if (both_ways) plan.links.push_back({(i + 1) % routers, i});
  }
  return graph_of(std::move(plan));
}

std::vector<Topology> networks() {
  RandomNumbers random(7);
  const auto between = [&](std::uint32_t least, std::uint32_t most) {
    return least + random.below(most - least + 1);
  };
  std::vector<Topology> list;
  for (int i = 0; i < 40; ++i) list.push_back(graph_of(reference::random_graph(between, 12)));
  const Topology mesh(TopologyKind::mesh, {4, 4});
  list.push_back(mesh);
  list.push_back(mesh.without({{mesh.channel(5, 0), mesh.channel(6, 1)}, {}}));
  const Topology torus(TopologyKind::torus, {4, 3});
  list.push_back(torus);
  list.push_back(torus.without({{torus.channel(2, 2)}, {5}}));
  return list;
}

/// Links of a shortest path from every router to `to`.
std::vector<std::uint32_t> distances(const Topology& topology, NodeId to) {
  constexpr std::uint32_t kFar = 0xFFFFFFFF;
  std::vector<std::uint32_t> distance(topology.routers(), kFar);
  std::queue<NodeId> open({to});
  distance[to] = 0;
  for (; !open.empty(); open.pop()) {
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const auto from = topology.upstream(open.front(), port);
      if (!from || distance[*from] != kFar) continue;
      distance[*from] = distance[open.front()] + 1;
      open.push(*from);
    }
  }
  return distance;
}

MachineConfig machine_of(const std::string& routing, unsigned virtual_channels) {
  MachineConfig machine;
  machine.routing = routing;
  machine.virtual_channels = virtual_channels;
  machine.allow_deadlock = true;
  return machine;
}

unsigned classes_of(const std::string& routing, const Topology& topology) {
  return RoutingRegistry::find(routing)->make(topology)->classes();
}

DeadlockAnalysis verdict_of(const std::string& routing, const Topology& topology, unsigned virtual_channels) {
  DeadlockAnalyzer judge(topology, machine_of(routing, virtual_channels));
  return judge.analyze(every_pair(topology, judge.paths().routing()));
}

template <typename Check>
void for_each_pair(const Topology& topology, Check check) {
  for (NodeId to = 0; to < topology.nodes(); ++to) {
    const auto distance = distances(topology, to);
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      if (from != to && !topology.is_missing(from) && !topology.is_missing(to))
        check(from, to, distance[from]);
    }
  }
}

TEST(AnyNetwork, ShortestAndLayered_TakeShortestPaths) {
  for (const char* const routing : {"shortest", "layered"}) {
    for (const Topology& topology : networks()) {
      SCOPED_TRACE(std::string(routing) + " on a " + topology.name());
      const Paths paths(topology, routing);
      for_each_pair(topology, [&](NodeId from, NodeId to, std::uint32_t distance) {
        ASSERT_EQ(paths.length(from, to, {}), distance);
      });
    }
  }
}

/// The ties of `shortest` as docs/networks.md has them, for a network whose routers are all nodes: the port
/// of each router towards each destination.
std::vector<std::vector<unsigned>> balanced_ports(const Topology& topology) {
  const NodeId nodes = topology.nodes();
  std::vector<std::vector<unsigned>> port_to(nodes, std::vector<unsigned>(nodes));
  std::vector<std::uint64_t> pairs(topology.channel_ids());
  for (NodeId to = 0; to < nodes; ++to) {
    const auto distance = distances(topology, to);
    std::vector<NodeId> order{to};
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (NodeId from = 0; from < nodes; ++from) {
        for (unsigned port = 0; port < topology.link_ports(); ++port) {
          if (topology.neighbour(from, port) == order[i] && std::ranges::count(order, from) == 0)
            order.push_back(from);
        }
      }
    }
    std::vector<std::uint64_t> coming(nodes, 1);
    for (std::size_t i = order.size() - 1; i > 0; --i) {
      const NodeId at = order[i];
      std::optional<std::tuple<std::uint64_t, std::uint64_t, unsigned>> best;
      for (unsigned port = 0; port < topology.link_ports(); ++port) {
        const auto next = topology.neighbour(at, port);
        if (!next || distance[*next] + 1 != distance[at]) continue;
        const std::tuple candidate(pairs[topology.channel(at, port)], coming[*next], port);
        if (!best || candidate < *best) best = candidate;
      }
      const unsigned port = std::get<2>(*best);
      port_to[at][to] = port;
      pairs[topology.channel(at, port)] += coming[at];
      coming[*topology.neighbour(at, port)] += coming[at];
    }
  }
  return port_to;
}

TEST(AnyNetwork, TiesOfShortest_AreThoseOfThePage) {
  for (const Topology& topology :
       {Topology(TopologyKind::mesh, {4, 4}), Topology(TopologyKind::torus, {4, 3}), ring_of(6)}) {
    const Paths paths(topology, "shortest");
    const auto expected = balanced_ports(topology);
    for_each_pair(topology, [&](NodeId from, NodeId to, std::uint32_t) {
      ASSERT_EQ(paths.first_port(from, to, {}), expected[from][to])
          << topology.name() << ": " << from << " to " << to;
    });
  }
}

TEST(AnyNetwork, UpDown_GoesUpAndThenDownOnly) {
  for (const Topology& topology : networks()) {
    SCOPED_TRACE(topology.name());
    std::optional<Paths> paths;
    try {
      paths.emplace(topology, "up-down");
    } catch (const Inadmissible&) {
      continue;  // links one direction
    }
    for_each_pair(topology, [&](NodeId from, NodeId to, std::uint32_t distance) {
      ASSERT_GE(paths->length(from, to, {}), distance);
      ASSERT_LE(paths->length(from, to, {}), 2 * topology.routers());
    });
    ASSERT_EQ(verdict_of("up-down", topology, 1).verdict, DeadlockVerdict::free);
  }
}

TEST(AnyNetwork, LayeredWithAVcForEachLayer_IsFreeOfDeadlock) {
  for (const Topology& topology : networks()) {
    SCOPED_TRACE(topology.name());
    ASSERT_EQ(verdict_of("layered", topology, classes_of("layered", topology)).verdict,
              DeadlockVerdict::free);
  }
}

TEST(AnyNetwork, Rings_NeedTwoLayersAndUnidirectionalOnesHalfAsManyAsLinks) {
  for (const std::uint32_t routers : {5U, 6U, 9U, 12U}) {
    EXPECT_EQ(classes_of("layered", ring_of(routers)), 2U) << routers;
    // A path around all but one link avoids two of the turns; every layer lacks one.
    EXPECT_GE(classes_of("layered", ring_of(routers, false)), (routers + 1) / 2) << routers;
    const DeadlockAnalysis verdict = verdict_of("shortest", ring_of(routers), 1);
    EXPECT_EQ(verdict.verdict, DeadlockVerdict::can_deadlock);
    EXPECT_EQ(verdict.dependency_cycle.size(), routers);
  }
}

/// A ring of `routers`, each of which has 70 links to a router of its own at lower ports.
Topology ring_of_wide_routers(std::uint32_t routers) {
  GraphPlan plan{.name = "ring of wide routers"};
  for (std::uint32_t i = 0; i < routers; ++i) plan.add_router({fmt::format("r{}", i), true});
  for (std::uint32_t i = 0; i < routers; ++i) {
    const std::uint32_t side = plan.add_router({fmt::format("side{}", i), false});
    for (int link = 0; link < 70; ++link) plan.join(i, side);
  }
  for (std::uint32_t i = 0; i < routers; ++i) plan.join(i, (i + 1) % routers);
  return graph_of(std::move(plan));
}

TEST(AnyNetwork, RingBehindPort64_NeedsTwoLayersAndCanDeadlockWithOne) {
  const Topology ring = ring_of_wide_routers(6);
  EXPECT_EQ(classes_of("layered", ring), 2U);
  EXPECT_EQ(verdict_of("layered", ring, 2).verdict, DeadlockVerdict::free);
  const DeadlockAnalysis verdict = verdict_of("shortest", ring, 1);
  EXPECT_EQ(verdict.verdict, DeadlockVerdict::can_deadlock);
  EXPECT_EQ(verdict.dependency_cycle.size(), 6U);
}

TEST(AnyNetwork, SwitchOf100Nodes_HasADependencyForEachPair) {
  GraphPlan plan{.name = "switch"};
  const std::uint32_t hub = plan.add_router({"hub", false});
  for (int i = 0; i < 100; ++i) plan.add_node(hub, {fmt::format("n{}", i)});
  const DeadlockAnalysis verdict = verdict_of("shortest", graph_of(std::move(plan)), 1);
  EXPECT_EQ(verdict.verdict, DeadlockVerdict::free);
  EXPECT_EQ(verdict.arcs, 100U * 99U);
  EXPECT_EQ(verdict.vcs, 200U);
}

TEST(AnyNetwork, Trees_NeedOneLayer) {
  ParameterValues values;
  values.set("k", std::int64_t{2});
  values.set("n", std::int64_t{3});
  const Topology tree = Topology::of(make_graph(*FamilyRegistry::find("k-ary-n-tree"), values));
  EXPECT_EQ(classes_of("layered", tree), 1U);
  EXPECT_EQ(verdict_of("shortest", tree, 1).verdict, DeadlockVerdict::free);
  EXPECT_EQ(verdict_of("up-down", tree, 1).verdict, DeadlockVerdict::free);
}

TEST(AnyNetwork, FatTree_TiesAreBalancedOverItsSpines) {
  ParameterValues values;
  values.set("k", std::int64_t{4});
  values.set("n", std::int64_t{2});
  const Topology tree = Topology::of(make_graph(*FamilyRegistry::find("k-ary-n-tree"), values));
  const Paths paths(tree, "shortest");
  std::vector<std::uint32_t> load(tree.channel_ids());
  for_each_pair(tree, [&](NodeId from, NodeId to, std::uint32_t) {
    paths.for_each_channel(from, to, {}, [&](ChannelId channel) { ++load[channel]; });
  });
  // The 4 x 4 pairs of two leaf switches take one path, and each pair of switches another; nodes send to 15
  // others.
  EXPECT_EQ(std::set<std::uint32_t>(load.begin(), load.end()), (std::set<std::uint32_t>{0, 15, 16}));
}

TEST(AnyNetwork, UpDownOnAUnidirectionalRing_IsRefused) {
  try {
    static_cast<void>(Paths(ring_of(5, false), "up-down"));
    FAIL();
  } catch (const Inadmissible& reason) {
    EXPECT_EQ(reason.key(), "router.routing");
    EXPECT_NE(std::string(reason.what()).find("layered serves other networks"), std::string::npos)
        << reason.what();
  }
}

TEST(RouteTable, NodesWithOneLink_HaveNoEntries) {
  GraphPlan plan{.name = "two switches"};
  const std::uint32_t one = plan.add_router({"one", false});
  const std::uint32_t other = plan.add_router({"other", false});
  plan.join(one, other);
  for (int i = 0; i < 3; ++i) {
    plan.add_node(one, {"a" + std::to_string(i)});
    plan.add_node(other, {"b" + std::to_string(i)});
  }
  const Topology topology = graph_of(std::move(plan));
  const RouteTable table(topology);
  EXPECT_EQ(table.cores(), 2U);
  EXPECT_EQ(table.nodes_at(0), 3U);
  const Paths paths(topology, "shortest");
  EXPECT_EQ(paths.name(0, 1, {}), "a0 > one > other > b0");
  EXPECT_EQ(paths.length(0, 2, {}), 2U);
}

TEST(RouteTable, PortsOfLeaves_AreThoseOfTheSwitchBehindPort64Too) {
  GraphPlan plan{.name = "two switches"};
  const std::uint32_t one = plan.add_router({"one", false});
  const std::uint32_t other = plan.add_router({"other", false});
  for (int i = 0; i < 100; ++i) plan.add_node(one, {fmt::format("n{}", i)});
  plan.add_node(other, {"last"});
  plan.join(one, other);
  const Topology topology = graph_of(std::move(plan));
  const CoreRouters routers(topology);
  for (NodeId hub = topology.nodes(); hub < topology.routers(); ++hub) {
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const auto from = topology.upstream(hub, port);
      EXPECT_EQ(routers.is_from_leaf(hub, port), from && *from < topology.nodes())
          << hub << ", port " << port;
    }
  }
}

TEST(RouteTable, Memory_IsOneBytePerPairOfCoreRoutersAndOneMoreWithLayers) {
  GraphPlan plan;
  for (std::uint32_t i = 0; i < 30; ++i) plan.add_router({fmt::format("r{}", i), false});
  for (std::uint32_t i = 0; i < 30; ++i) {
    plan.join(i, (i + 1) % 30);
    plan.add_node(i, {fmt::format("n{}", i)});
    plan.add_node(i, {fmt::format("m{}", i)});
  }
  RouteTable table(graph_of(std::move(plan)));
  EXPECT_EQ(table.bytes(), 30U * 30U) << "nodes attached to routers take none";
  table.set_layer(0, 1, 1);
  EXPECT_EQ(table.bytes(), 2 * 30U * 30U);
}

TEST(RouteTable, MoreRoutersThanATableMayHave_AreRefused) {
  try {
    const RouteTable table(Topology(TopologyKind::mesh, {20'003}));
    FAIL();
  } catch (const Inadmissible& reason) {
    EXPECT_NE(std::string(reason.what()).find("it can have 20000 at most"), std::string::npos)
        << reason.what();
  }
}

}  // namespace
}  // namespace flitscope::graph_routes_test
