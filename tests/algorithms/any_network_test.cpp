// tree-broadcast, greedy-all-gather and the ring on graphs and on grids of which something is missing: legal
// by the checker and by an independent judge, with the steps of their closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "algorithms/algorithm.h"
#include "algorithms/common/cycles.h"
#include "model/error.h"
#include "model/graph.h"
#include "model/random.h"
#include "sim/analysis/schedule_checker.h"
#include "tests/reference/random_graph.h"
#include "tests/support/combining_judge.h"
#include "tests/support/families.h"

namespace flitscope::any_network_test {
namespace {

using test::list;
using test::network;
using test::number;

Topology graph_of(GraphPlan plan) {
  return Topology::of(std::make_shared<const Graph>(std::move(plan)));
}

std::unique_ptr<Schedule> make(const std::string& name, const Topology& topology, NodeId source = 0) {
  ParameterValues values;
  values.set("message", std::int64_t{1000});
  values.set("directions", std::string("both"));
  values.set("pairs", std::string("shift"));
  values.set("source", NodeName{topology.node_name(source)});
  return AlgorithmRegistry::find(name)->make(topology, values);
}

/// Nodes to which a way leads from `node` through no other node.
std::set<NodeId> neighbours(const Topology& topology, NodeId node) {
  std::set<NodeId> found;
  std::set<NodeId> seen{node};
  std::vector<NodeId> open{node};
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const auto next = topology.neighbour(at, port);
      if (!next || !seen.insert(*next).second) continue;
      if (*next < topology.nodes()) {
        found.insert(*next);
      } else {
        open.push_back(*next);
      }
    }
  }
  return found;
}

/// Violations of a schedule that sends chunks from neighbour to neighbour until every node has every chunk.
std::string objection_to(Schedule& schedule) {
  const ScheduleFacts& facts = schedule.facts();
  std::vector<std::set<ChunkId>> has(facts.topology.nodes());
  for (const Holding& holding : facts.collective.initial) {
    has[holding.node].insert(holding.chunks.begin(), holding.chunks.end());
  }
  for (Step step; schedule.next(step);) {
    const auto before = has;
    for (const Message& message : step.messages()) {
      if (!neighbours(facts.topology, message.source).contains(message.destination)) return "no neighbour";
      for (const ChunkId chunk : step.chunks(message)) {
        if (!before[message.source].contains(chunk)) return "its sender lacks a chunk";
        if (!has[message.destination].insert(chunk).second) return "a chunk comes twice";
      }
    }
  }
  for (NodeId node = 0; node < facts.topology.nodes(); ++node) {
    if (facts.topology.is_missing(node)) continue;
    if (has[node].size() != facts.collective.chunk_bytes.size()) return "a node lacks a chunk";
  }
  return "";
}

/// Legal by both judges, and as the schedule says of itself.
CheckReport checked(const std::string& name, const Topology& topology, NodeId source = 0) {
  const auto what = fmt::format("{} on the {}", name, topology.name());
  const auto schedule = make(name, topology, source);
  const ScheduleFacts& facts = schedule->facts();
  const CheckReport report = check_schedule(*schedule);
  EXPECT_TRUE(report.passed()) << what << ": "
                               << (report.violations.empty() ? "" : report.violations.front().text);
  EXPECT_EQ(report.redundant_deliveries, 0U) << what;
  EXPECT_EQ(report.steps, facts.steps) << what;
  EXPECT_GE(report.steps, facts.lower_bound_steps.value()) << what;
  EXPECT_EQ(report.steps, facts.claimed_steps.value_or(report.steps)) << what;
  if (!name.ends_with("-ring")) {
    EXPECT_EQ(objection_to(*make(name, topology, source)), "") << what;
  } else if (topology.nodes() <= 24) {  // it takes the cube of the nodes in every step
    EXPECT_EQ(test::judge_collective(*make(name, topology, source)), std::nullopt) << what;
  }
  return report;
}

std::uint64_t steps(const std::string& name, const Topology& topology) {
  return checked(name, topology).steps;
}

std::string refusal(const std::string& name, const Topology& topology) {
  try {
    static_cast<void>(make(name, topology));
  } catch (const Inadmissible& error) {
    return error.key() + ": " + error.what();
  }
  return "nothing";
}

GraphPlan plan_of(std::uint32_t routers) {
  GraphPlan plan{.name = fmt::format("graph of {} routers", routers)};
  for (std::uint32_t i = 0; i < routers; ++i) plan.add_router({fmt::format("r{}", i)});
  return plan;
}

Topology ring(std::uint32_t nodes) {
  GraphPlan plan = plan_of(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) plan.join(i, (i + 1) % nodes);
  return graph_of(plan);
}

/// A hub that is no node.
Topology star(std::uint32_t nodes) {
  GraphPlan plan{.name = fmt::format("star of {} nodes", nodes)};
  const std::uint32_t hub = plan.add_router({"hub", false});
  for (std::uint32_t i = 0; i < nodes; ++i) plan.add_node(hub, {fmt::format("n{}", i)});
  return graph_of(plan);
}

Topology complete_graph(std::uint32_t nodes) {
  GraphPlan plan = plan_of(nodes);
  for (std::uint32_t i = 0; i < nodes; ++i) {
    for (std::uint32_t j = 0; j < i; ++j) plan.join(i, j);
  }
  return graph_of(plan);
}

Topology mesh_without(std::vector<std::uint32_t> sides, std::vector<ChannelId> links) {
  return Topology(TopologyKind::mesh, std::move(sides)).without({std::move(links), {}});
}

/// Links from `source` to every router.
std::vector<std::uint64_t> distances(const Topology& topology, NodeId source) {
  std::vector<std::uint64_t> distance(topology.routers(), 0);
  std::vector<NodeId> open{source};
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const auto to = topology.neighbour(open[i], port);
      if (!to || *to == source || distance[*to] != 0) continue;
      distance[*to] = distance[open[i]] + 1;
      open.push_back(*to);
    }
  }
  return distance;
}
std::uint64_t distance(const Topology& topology, NodeId source, NodeId destination) {
  return distances(topology, source)[destination];
}
std::uint64_t farthest(const Topology& topology, NodeId source) {
  return std::ranges::max(distances(topology, source));
}

TEST(AnyNetwork, RandomGraph_ScheduleIsLegal) {
  std::mt19937_64 random(18);
  const auto between = [&](std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random_below(random, std::uint64_t{most} - least + 1));
  };
  for (int i = 0; i < 150; ++i) {
    const Topology topology = graph_of(reference::random_graph(between, 14));
    const NodeId source = between(0, topology.nodes() - 1);
    const CheckReport report = checked("tree-broadcast", topology, source);
    checked("greedy-all-gather", topology);
    if (topology.routers() == topology.nodes()) {
      EXPECT_EQ(report.steps, farthest(topology, source)) << topology.name();
      EXPECT_EQ(report.max_channel_load, 1U) << topology.name();
    }
    checked("all-gather-ring", topology);
    checked("all-reduce-ring", topology);
  }
}

TEST(AnyNetwork, Ring_BroadcastTakesHalfTheNodesAndRingAllGatherAllOfThem) {
  for (const std::uint32_t nodes : {3U, 4U, 7U, 8U}) {
    EXPECT_EQ(steps("tree-broadcast", ring(nodes)), nodes / 2);
    EXPECT_EQ(steps("greedy-all-gather", ring(nodes)), nodes / 2);
    EXPECT_EQ(steps("all-gather-ring", ring(nodes)), nodes - 1);
    EXPECT_EQ(steps("all-reduce-ring", ring(nodes)), 2 * (nodes - 1));
  }
}

TEST(AnyNetwork, Star_InformedNodesDoubleEachStep) {
  for (const std::uint32_t nodes : {2U, 3U, 5U, 8U, 9U}) {
    EXPECT_EQ(steps("tree-broadcast", star(nodes)), ceil_log(2, nodes));
    EXPECT_EQ(steps("greedy-all-gather", star(nodes)), nodes - 1);
    EXPECT_EQ(steps("all-gather-ring", star(nodes)), nodes - 1);
    EXPECT_EQ(checked("greedy-all-gather", star(nodes)).max_channel_load, 1U);
  }
}

TEST(AnyNetwork, CompleteGraph_TakesOneStep) {
  for (const std::uint32_t nodes : {2U, 3U, 6U}) {
    EXPECT_EQ(steps("tree-broadcast", complete_graph(nodes)), 1U);
    EXPECT_EQ(steps("greedy-all-gather", complete_graph(nodes)), 1U);
    EXPECT_EQ(steps("all-gather-ring", complete_graph(nodes)), nodes - 1);
  }
}

TEST(AnyNetwork, MeshWithDeadLink_RoutesAroundIt) {
  // [1, 1]+0, both directions; node 5 is [1, 1].
  const Topology mesh = mesh_without({4, 4}, {20, 25});
  ASSERT_EQ(mesh.channel_name(20), "[1, 1]+0");
  ASSERT_EQ(mesh.channel_name(25), "[2, 1]-0");
  EXPECT_EQ(steps("tree-broadcast", mesh), 6U);
  EXPECT_EQ(checked("tree-broadcast", mesh, 5).steps, 4U);
  EXPECT_EQ(steps("greedy-all-gather", mesh), 8U) << "a corner has two links for 15 chunks";
  EXPECT_EQ(steps("all-gather-ring", mesh), 15U);
  EXPECT_EQ(checked("all-reduce-ring", mesh).max_channel_load, 1U);
}

/// A torus or mesh without some nodes and links; nothing if the rest falls apart.
std::optional<Topology> damaged(std::mt19937_64& random) {
  const auto kind = random_below(random, 2) == 0 ? TopologyKind::torus : TopologyKind::mesh;
  std::vector<std::uint32_t> sides;
  for (std::uint64_t left = 1 + random_below(random, 3); left > 0; --left) {
    sides.push_back(2 + static_cast<std::uint32_t>(random_below(random, 4)));
  }
  const Topology whole(kind, sides);
  Faults faults;
  std::set<NodeId> nodes;
  for (std::uint64_t left = 1 + random_below(random, 3); left > 0; --left) {
    nodes.insert(static_cast<NodeId>(random_below(random, whole.nodes())));
  }
  faults.nodes.assign(nodes.begin(), nodes.end());
  for (std::uint64_t left = random_below(random, 3); left > 0; --left) {
    const ChannelId channel = random_below(random, whole.channel_ids());
    if (whole.has_link(whole.channel_node(channel), whole.channel_port(channel))) {
      faults.links.push_back(channel);
    }
  }
  try {
    return whole.without(faults);
  } catch (const Inadmissible&) {
    return std::nullopt;
  }
}

TEST(AnyNetwork, MissingNodes_ScheduleOfTheOthersIsLegal) {
  std::mt19937_64 random(19);
  unsigned served = 0;
  for (int i = 0; i < 200; ++i) {
    const auto topology = damaged(random);
    if (!topology) continue;
    ++served;
    const auto there = static_cast<NodeId>(topology->nodes() - topology->graph()->faults().nodes.size());
    NodeId source = 0;
    while (topology->is_missing(source)) ++source;
    const CheckReport report = checked("tree-broadcast", *topology, source);
    EXPECT_EQ(report.messages, there - 1);
    EXPECT_EQ(report.steps, farthest(*topology, source));
    EXPECT_EQ(checked("greedy-all-gather", *topology, source).messages, std::uint64_t{there} * (there - 1));
    const auto direct = make("all-to-all-direct", *topology);
    const CheckReport all = check_schedule(*direct);
    EXPECT_TRUE(all.passed()) << topology->name();
    EXPECT_EQ(all.steps, there - 1);
    EXPECT_EQ(all.messages, std::uint64_t{there} * (there - 1));
    checked("all-gather-ring", *topology, source);
    checked("reduce-scatter-ring", *topology, source);
    EXPECT_EQ(checked("all-reduce-ring", *topology, source).steps, 2 * (there - 1));
  }
  EXPECT_GT(served, 50U);
}

TEST(AnyNetwork, MissingSource_IsRefused) {
  const Topology mesh = Topology(TopologyKind::mesh, {3, 3}).without({{}, {0}});
  EXPECT_EQ(refusal("tree-broadcast", mesh),
            "workload.source: [0, 0] is missing; name a node that is there, such as [1, 0]");
}

TEST(AnyNetwork, FaultFreeGrid_MeetsTheDegreeCut) {
  EXPECT_EQ(steps("greedy-all-gather", {TopologyKind::torus, {8, 8}}), 16U);
  EXPECT_EQ(steps("greedy-all-gather", {TopologyKind::torus, {2, 2}}), 2U)
      << "the node across is two links away";
  EXPECT_EQ(steps("greedy-all-gather", {TopologyKind::mesh, {4, 4}}), 8U);
  EXPECT_EQ(steps("tree-broadcast", {TopologyKind::torus, {8, 4, 4}}), 8U);
  EXPECT_EQ(steps("all-gather-ring", {TopologyKind::mesh, {5, 4}}), 19U);
}

TEST(AnyNetwork, Families_TakeTheStepsOfTheirLinks) {
  const Topology dragonfly =
      network("dragonfly", {number("p", 1), number("a", 4), number("h", 2), number("groups", 9)});
  EXPECT_EQ(steps("tree-broadcast", dragonfly), ceil_log(2, 36));
  EXPECT_GE(steps("greedy-all-gather", dragonfly), 35U);
  EXPECT_EQ(steps("all-gather-ring", dragonfly), 35U);
  const Topology twisted = network("twisted-torus", {list("shape", {8, 4}), number("twist", 4)});
  EXPECT_EQ(steps("tree-broadcast", twisted), 4U);
  EXPECT_EQ(steps("all-gather-ring", twisted), 31U);
}

TEST(AnyNetwork, LargeNetwork_IsRefusedWithItsMemory) {
  const Topology fabric =
      network("concentrated-mesh", {list("shape", {300, 300}), number("concentration", 1)});
  EXPECT_EQ(
      refusal("tree-broadcast", fabric),
      "topology.kind: tree-broadcast takes two bytes for each pair of 90000 routers with nodes, which on "
      "the 300x300 concentrated mesh of 90000 nodes is more than the limit of 8 GiB; it takes a smaller "
      "network");
}

TEST(CycleSearch, GridWithoutSomeLinks_HasACycle) {
  std::mt19937_64 random(7);
  for (const std::vector<std::uint32_t>& sides : std::vector<std::vector<std::uint32_t>>{
           {2, 2}, {2, 9}, {6, 5}, {8, 8}, {16, 16}, {3, 4, 5}, {2, 2, 2, 2}}) {
    const Topology whole(TopologyKind::mesh, sides);
    std::vector<ChannelId> links;
    if (sides.front() > 5) {
      // Inner links, of which not two meet.
      const NodeId node = whole.side(0) * 2 + 2;
      links = {whole.channel(node, port_of(0, Sign::plus)),
               whole.channel(node + 2 * whole.side(0), port_of(1, Sign::minus))};
    }
    const Topology mesh = links.empty() ? whole : whole.without({links, {}});
    const auto cycle = common::ring_order(mesh);
    ASSERT_EQ(cycle.size(), mesh.nodes());
    std::vector<bool> seen(mesh.nodes());
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      EXPECT_FALSE(seen[cycle[i]]);
      seen[cycle[i]] = true;
      const NodeId next = cycle[(i + 1) % cycle.size()];
      const auto leads = [&](NodeId from, NodeId to) {
        for (unsigned port = 0; port < mesh.link_ports(); ++port) {
          if (mesh.neighbour(from, port) == to) return true;
        }
        return false;
      };
      EXPECT_TRUE(leads(cycle[i], next) && leads(next, cycle[i])) << mesh.name();
    }
  }
}

/// Links between nodes that follow one another in the order of a ring.
std::vector<std::uint32_t> ring_distances(const Topology& topology) {
  const std::vector<NodeId> order = common::ring_order(topology);
  EXPECT_EQ(std::set<NodeId>(order.begin(), order.end()).size(), topology.nodes());
  std::vector<std::uint32_t> links;
  for (std::size_t i = 0; i < order.size(); ++i) {
    links.push_back(static_cast<std::uint32_t>(distance(topology, order[i], order[(i + 1) % order.size()])));
  }
  return links;
}

TEST(RingOrder, NetworkWithoutCycle_IsAWalkOfAtMostThreeLinks) {
  GraphPlan petersen = plan_of(10);
  for (std::uint32_t i = 0; i < 5; ++i) {
    petersen.join(i, (i + 1) % 5);
    petersen.join(i, i + 5);
    petersen.join(i + 5, (i + 2) % 5 + 5);
  }
  const std::vector<Topology> networks{
      {TopologyKind::mesh, {3, 3}}, {TopologyKind::mesh, {5}}, graph_of(petersen)};
  for (const Topology& topology : networks) {
    const std::uint32_t longest = std::ranges::max(ring_distances(topology));
    EXPECT_TRUE(longest == 2 || longest == 3) << topology.name() << ": " << longest;
    EXPECT_EQ(steps("all-gather-ring", topology), topology.nodes() - 1);
    EXPECT_EQ(steps("all-reduce-ring", topology), 2 * (topology.nodes() - 1));
  }
}

TEST(RingOrder, Tree_UsesEveryLinkOnceInEachDirection) {
  std::mt19937_64 random(3);
  for (unsigned i = 0; i < 30; ++i) {
    const auto nodes = 3 + static_cast<std::uint32_t>(random_below(random, 30));
    GraphPlan plan = plan_of(nodes);
    for (std::uint32_t node = 1; node < nodes; ++node) {
      plan.join(node, static_cast<std::uint32_t>(random_below(random, node)));
    }
    const auto links = ring_distances(graph_of(plan));
    EXPECT_LE(std::ranges::max(links), 3U);
    EXPECT_EQ(std::accumulate(links.begin(), links.end(), 0U), 2 * (nodes - 1));
  }
}

}  // namespace
}  // namespace flitscope::any_network_test
