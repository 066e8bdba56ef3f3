// The default routing functions of network families: path lengths, and freedom of deadlock with a virtual
// channel for each class.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>

#include "model/route.h"
#include "model/route_table.h"
#include "model/topology.h"
#include "networks/network_family.h"
#include "routers/routing/paths.h"
#include "routers/routing/table_routing.h"
#include "routers/routing/ugal.h"
#include "sim/analysis/deadlock_verdict.h"
#include "tests/support/families.h"

namespace flitscope::family_routes_test {
namespace {

using namespace test;

Topology dragonfly(std::uint32_t p, std::uint32_t a, std::uint32_t h, std::uint32_t groups) {
  return network("dragonfly", {number("p", p), number("a", a), number("h", h), number("groups", groups)});
}

Topology hyperx(std::vector<std::uint32_t> sides, std::uint32_t concentration) {
  return network("hyperx", {list("shape", std::move(sides)), number("concentration", concentration)});
}

Topology tree(std::uint32_t k, std::uint32_t n) {
  return network("k-ary-n-tree", {number("k", k), number("n", n)});
}

std::vector<Topology> trees() {
  return {tree(2, 2), tree(2, 3), tree(2, 4), tree(3, 3), tree(4, 2), tree(5, 2), tree(4, 3)};
}

std::vector<Topology> networks() {
  std::vector<Topology> result{tree(2, 4),
                               tree(3, 3),
                               dragonfly(2, 4, 2, 9),
                               dragonfly(1, 2, 1, 3),
                               dragonfly(1, 4, 2, 5),
                               dragonfly(1, 3, 2, 2),
                               dragonfly(1, 1, 4, 5),
                               hyperx({5}, 2),
                               hyperx({4, 3}, 2),
                               hyperx({2, 3, 4}, 1)};
  for (const auto& sides : {std::vector{6U}, {4U, 3U}, {2U, 3U, 3U}}) {
    result.push_back(network("concentrated-mesh", {list("shape", sides), number("concentration", 3)}));
  }
  for (const std::uint32_t twist : {0U, 1U, 3U, 5U}) {
    result.push_back(network("twisted-torus", {list("shape", {6, 4}), number("twist", twist)}));
  }
  for (const auto& shape : {std::vector{6U, 3U, 3U}, {4U, 4U, 2U}, {4U, 3U, 2U}})
    result.push_back(network("twisted-torus", {list("shape", shape), number("twist", 2)}));
  for (const auto& mesh : {std::vector{3U, 2U}, {4U, 1U}, {1U, 2U}}) {
    result.push_back(
        network("chiplets", {list("chiplets", {2, 2}), list("mesh", mesh), number("inner_delay", 1),
                             number("outer_delay", 4), ratio("outer_cycles_per_flit", 2)}));
  }
  for (const std::uint32_t q : {3U, 4U, 5U}) {
    result.push_back(network("slim-fly", {number("q", q), number("concentration", 2)}));
  }
  result.push_back(network("jellyfish", {number("routers", 20), number("degree", 4),
                                         number("concentration", 2), number("seed", 1)}));
  result.push_back(network(
      "xpander", {number("degree", 4), number("lift", 4), number("concentration", 2), number("seed", 1)}));
  result.push_back(network("butterfly", {number("k", 3), number("n", 3)}));
  result.push_back(network("flattened-butterfly", {number("k", 3), number("n", 3)}));
  result.push_back(network("folded-torus", {list("shape", {5, 4}), number("tile_delay", 1)}));
  for (const bool wraps : {false, true}) {
    result.push_back(network(
        "express-cube",
        {list("shape", {8, 4}), number("interval", 2), {"wraps", wraps}, number("express_delay", 1)}));
  }
  return result;
}

DeadlockAnalysis verdict_of(const std::string& routing, const Topology& topology, unsigned virtual_channels) {
  MachineConfig machine;
  machine.routing = routing;
  machine.virtual_channels = virtual_channels;
  machine.allow_deadlock = true;
  DeadlockAnalyzer judge(topology, machine);
  return judge.analyze(every_pair(topology, judge.paths().routing()));
}

TEST(FamilyRoutes, WithAVcForEachClass_AreFreeOfDeadlock) {
  for (const Topology& topology : networks()) {
    const std::string& routing = topology.graph()->routing();
    SCOPED_TRACE(topology.name() + " by " + routing);
    const unsigned classes = RoutingRegistry::find(routing)->make(topology)->classes();
    EXPECT_EQ(verdict_of(routing, topology, classes).verdict, DeadlockVerdict::free);
  }
}

/// All paths of a message by any candidates: their links, and whether one that it could take is longer.
std::set<std::size_t> lengths(const Topology& topology, const RoutingFunction& function, NodeId source,
                              NodeId destination) {
  Head head;
  head.destination = destination;
  function.prepare(head, source);
  struct Place {
    NodeId node;
    Arrival arrival;
    std::size_t links;
  };
  std::set<std::size_t> result;
  std::vector<Place> open{{source, {static_cast<std::uint8_t>(topology.link_ports()), 0}, 0}};
  while (!open.empty()) {
    const Place at = open.back();
    open.pop_back();
    if (at.node == destination) {
      result.insert(at.links);
      continue;
    }
    std::vector<Candidate> candidates;
    function.add_candidates(at.node, at.arrival, head, candidates);
    for (const Candidate& candidate : candidates) {
      open.push_back(
          {*topology.neighbour(at.node, candidate.port),
           {static_cast<std::uint8_t>(candidate.port), static_cast<std::uint8_t>(candidate.channel_class)},
           at.links + 1});
    }
  }
  return result;
}

TEST(Ugal, AnyNetwork_TakesTheMinimalPathOrTheDetourOfItsLengthAndIsFreeOfDeadlock) {
  const std::vector<std::pair<Topology, std::string>> minimal{
      {dragonfly(2, 4, 2, 9), "dragonfly-minimal"},
      {dragonfly(1, 4, 2, 5), "dragonfly-minimal"},
      {dragonfly(1, 2, 1, 3), "dragonfly-minimal"},
      {hyperx({4, 3}, 2), "grid-dimension-order"},
      {hyperx({5}, 1), "grid-dimension-order"},
      {network("flattened-butterfly", {number("k", 3), number("n", 3)}), "grid-dimension-order"},
      {{TopologyKind::torus, {4, 3}}, "dimension-order"},
      {{TopologyKind::torus, {5}}, "dimension-order"},
      {{TopologyKind::mesh, {3, 4}}, "dimension-order"}};
  for (const auto& [topology, routing] : minimal) {
    for (const std::string name : {"ugal-l", "par", "ugal-g", "piggyback"}) {
      const Routing& entry = *RoutingRegistry::find(name);
      if (!entry.serves(topology)) continue;
      SCOPED_TRACE(name + " on the " + topology.name());
      const auto function = entry.make(topology);
      function->build_tables();
      EXPECT_EQ(verdict_of(name, topology, function->classes()).verdict, DeadlockVerdict::free);
      const Paths paths(topology, routing);
      std::size_t detours = 0;
      for (NodeId source = 0; source < topology.nodes(); ++source) {
        for (NodeId destination = 0; destination < topology.nodes(); ++destination) {
          if (source == destination) continue;
          const auto found = lengths(topology, *function, source, destination);
          const Route route = topology.is_grid() ? shortest_route(topology, source, destination) : Route{};
          EXPECT_TRUE(found.contains(paths.length(source, destination, route)));
          EXPECT_LE(found.size(), name == "par" ? 3U : 2U);
          detours += found.size() > 1 ? 1 : 0;
        }
      }
      EXPECT_GT(detours, 0U);
    }
  }
}

/// Queues of all links, as a test sets them.
class SetQueues final : public LinkQueues {
 public:
  std::uint64_t queued(unsigned port) const override { return local.contains(port) ? local.at(port) : 1; }
  std::uint64_t queued_before(ChannelId link, Cycle ago) const override {
    return past.contains({link, ago}) ? past.at({link, ago}) : 0;
  }
  Cycle delay(ChannelId /*link*/) const override { return 4; }
  std::uint64_t slots() const override { return 24; }

  std::map<unsigned, std::uint64_t> local;
  std::map<std::pair<ChannelId, Cycle>, std::uint64_t> past;
};

/// A message of a dragonfly, at the first router, with a minimal path and one over another group whose first
/// global links leave other routers of the group, or the same.
struct Detour {
  explicit Detour(const std::string& routing, bool from_here)
      : topology(dragonfly(2, 4, 2, 9)), function(RoutingRegistry::find(routing)->make(topology)) {
    function->build_tables();
    const Paths paths(topology, "dragonfly-minimal");
    const CoreRouters routers(topology);
    const unsigned out = routers.port_out(0);
    router = *topology.neighbour(0, out);
    for (NodeId destination = 8; destination < topology.nodes(); ++destination) {
      head.destination = destination;
      function->prepare(head, 0);
      candidates.clear();
      function->add_candidates(router, {static_cast<std::uint8_t>(out), 0}, head, candidates);
      if (candidates.size() < 2) continue;
      minimal = global_link(paths, destination);
      detour = global_link(paths, static_cast<NodeId>(head.prepared));
      const NodeId first = topology.channel_node(minimal);
      const NodeId second = topology.channel_node(detour);
      if (second != router && first != second && (first == router) == from_here) return;
    }
    throw std::logic_error("no such message");
  }
  [[nodiscard]] ChannelId global_link(const Paths& paths, NodeId destination) const {
    const auto group = [&](NodeId at) { return topology.graph()->coordinates(at)[0]; };
    std::optional<ChannelId> found;
    paths.for_each_channel(0, destination, Route{}, [&](ChannelId link) {
      const NodeId next = *topology.neighbour(topology.channel_node(link), topology.channel_port(link));
      if (!found && group(next) != group(0)) found = link;
    });
    return *found;
  }
  /// 0: minimal, 1: the other.
  [[nodiscard]] std::size_t choice() const {
    return static_cast<std::size_t>(&function->lightest(router, head, candidates, queues) -
                                    candidates.data());
  }

  Topology topology;
  std::unique_ptr<RoutingFunction> function;
  NodeId router = 0;
  Head head;
  std::vector<Candidate> candidates;
  ChannelId minimal = 0;
  ChannelId detour = 0;
  SetQueues queues;
};

TEST(Ugal, G_WeighsTheGlobalLinksOfTheGroupAsOfTheCycleBefore) {
  Detour at("ugal-g", false);
  at.queues.local[at.candidates[0].port] = 100;
  EXPECT_EQ(at.choice(), 0U);
  at.queues.past[{at.minimal, 2}] = 100;
  EXPECT_EQ(at.choice(), 0U);
  at.queues.past[{at.minimal, 1}] = 1;
  EXPECT_EQ(at.choice(), 1U);
  at.queues.past[{at.detour, 1}] = 1;
  EXPECT_EQ(at.choice(), 0U);
}

TEST(Piggyback, GlobalLinkWithALongQueue_IsAvoidedWhenItsRouterHasToldThat) {
  Detour at("piggyback", false);
  EXPECT_EQ(at.choice(), 0U);
  at.queues.past[{at.minimal, 5}] = 3;  // of 24 slots: an eighth
  EXPECT_EQ(at.choice(), 0U);
  at.queues.past[{at.minimal, 5}] = 4;
  EXPECT_EQ(at.choice(), 1U);
  at.queues.past[{at.detour, 5}] = 4;
  EXPECT_EQ(at.choice(), 0U);
  at.queues.local[at.candidates[0].port] = 100;
  EXPECT_EQ(at.choice(), 1U);
  at.queues.past[{at.minimal, 5}] = 0;
  EXPECT_EQ(at.choice(), 0U);
}

TEST(Piggyback, OwnGlobalLink_IsCongestedBeyondTwiceTheOthers) {
  Detour at("piggyback", true);
  at.queues.past[{at.minimal, 1}] = 12;
  EXPECT_EQ(at.choice(), 1U);
  for (unsigned port = 0; port < at.topology.link_ports(); ++port) {
    const auto next = at.topology.neighbour(at.router, port);
    const ChannelId other = at.topology.channel(at.router, port);
    if (!next || other == at.minimal) continue;
    at.queues.past[{other, 1}] = 4;
  }
  EXPECT_EQ(at.choice(), 1U);  // 12 > 2 * 4 + 24 / 8
  at.queues.past[{at.minimal, 1}] = 11;
  EXPECT_EQ(at.choice(), 0U);
}

TEST(Ugal, LinksByACandidate_AreThoseOfItsPath) {
  const Topology topology = dragonfly(2, 4, 2, 9);
  const auto made = RoutingRegistry::find("ugal-l")->make(topology);
  const auto* const function = dynamic_cast<const Ugal*>(made.get());
  made->build_tables();
  for (NodeId source = 0; source < topology.nodes(); source += 5) {
    for (NodeId destination = 0; destination < topology.nodes(); destination += 3) {
      if (source == destination) continue;
      Head head;
      head.destination = destination;
      function->prepare(head, source);
      const unsigned out = CoreRouters(topology).port_out(source);
      const NodeId router = *topology.neighbour(source, out);
      std::vector<Candidate> candidates;
      function->add_candidates(router, {static_cast<std::uint8_t>(out), 0}, head, candidates);
      std::set<std::size_t> links;
      for (const Candidate& candidate : candidates)
        links.insert(1 + function->links_by(router, head, candidate));
      EXPECT_EQ(links, lengths(topology, *function, source, destination));
    }
  }
}

TEST(MinAdaptive, HyperX_HasEveryUnfinishedDimensionAndIsFreeOfDeadlock) {
  for (const Topology& topology : {hyperx({4, 3}, 2), hyperx({2, 3, 4}, 1), hyperx({5}, 2),
                                   network("flattened-butterfly", {number("k", 3), number("n", 4)})}) {
    const auto function = RoutingRegistry::find("min-adaptive")->make(topology);
    function->build_tables();
    EXPECT_EQ(verdict_of("min-adaptive", topology, function->classes()).verdict, DeadlockVerdict::free);
    const CoreRouters routers(topology);
    for (NodeId destination = 1; destination < topology.nodes(); ++destination) {
      const auto here = topology.graph()->coordinates(routers.router(routers.core_of(0)));
      const auto there = topology.graph()->coordinates(routers.router(routers.core_of(destination)));
      std::size_t unfinished = 0;
      for (std::size_t i = 0; i < here.size(); ++i) unfinished += here[i] != there[i] ? 1 : 0;
      EXPECT_EQ(lengths(topology, *function, 0, destination), (std::set<std::size_t>{unfinished + 2}));
      std::vector<Candidate> candidates;
      Head head;
      head.destination = destination;
      function->add_candidates(routers.router(routers.core_of(0)), {routers.port_out(0), 0}, head,
                               candidates);
      EXPECT_EQ(candidates.size(), std::max<std::size_t>(unfinished, 1));
    }
  }
}

TEST(PositiveHop, AnyNetwork_IsFreeOfDeadlockWithAClassForEachLinkOfTheLongestRoute) {
  for (const Topology& topology : networks()) {
    SCOPED_TRACE(topology.name());
    const auto function = RoutingRegistry::find("positive-hop")->make(topology);
    const Paths paths(topology, "positive-hop");
    const Paths shortest(topology, "shortest");
    std::uint32_t longest = 0;
    const bool hangs = topology.routers() > topology.nodes() && topology.graph()->family() != "butterfly";
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      for (NodeId destination = 0; destination < topology.nodes(); ++destination) {
        if (source == destination) continue;
        const std::uint32_t links = paths.length(source, destination, {});
        ASSERT_EQ(links, shortest.length(source, destination, {}));
        longest = std::max(longest, links - (hangs ? 2 : 0));
      }
    }
    EXPECT_EQ(function->classes(), std::max(longest, 1U));
    EXPECT_EQ(verdict_of("positive-hop", topology, function->classes()).verdict, DeadlockVerdict::free);
  }
  EXPECT_EQ(RoutingRegistry::find("positive-hop")
                ->make(network("slim-fly", {number("q", 5), number("concentration", 4)}))
                ->classes(),
            2U);
}

/// The first `length` coordinates behind the level are the same.
bool begin_alike(const Topology& topology, NodeId one, NodeId other, std::size_t length) {
  return std::ranges::equal(topology.graph()->coordinates(one).subspan(1, length),
                            topology.graph()->coordinates(other).subspan(1, length));
}

/// Levels that two nodes of a tree of n levels are above: as many as the first digits that they share.
std::uint32_t shared_digits(const Topology& topology, NodeId one, NodeId other, std::uint32_t n) {
  std::uint32_t length = 0;
  while (length < n && begin_alike(topology, one, other, length + 1)) ++length;
  return length;
}

/// The switch of lowest level on a path.
NodeId turning_point(const Paths& paths, NodeId from, NodeId to) {
  const Topology& topology = paths.topology();
  NodeId highest = from;
  paths.for_each_channel(from, to, {}, [&](ChannelId channel) {
    const NodeId next = *topology.neighbour(topology.channel_node(channel), topology.channel_port(channel));
    const auto level = [&](NodeId router) { return topology.graph()->coordinates(router)[0]; };
    if (level(next) < level(highest)) highest = next;
  });
  return highest;
}

TEST(FamilyRoutes, OnATree_TurnAtTheNearestSwitchAboveBothNodes) {
  for (const Topology& topology : trees()) {
    SCOPED_TRACE(topology.name());
    const auto n = static_cast<std::uint32_t>(topology.graph()->parameters().integer("n"));
    for (const char* const routing : {"nearest-common-ancestor", "nearest-common-ancestor-adaptive"}) {
      const Paths paths(topology, routing);
      for (NodeId from = 0; from < topology.nodes(); ++from) {
        for (NodeId to = 0; to < topology.nodes(); ++to) {
          if (from == to) continue;
          const std::uint32_t level = shared_digits(topology, from, to, n);
          ASSERT_EQ(paths.length(from, to, {}), 2 * (n - level));
          const NodeId highest = turning_point(paths, from, to);
          ASSERT_EQ(topology.graph()->coordinates(highest)[0], level);
          ASSERT_TRUE(begin_alike(topology, highest, to, level));
        }
      }
    }
  }
}

TEST(FamilyRoutes, OnATree_LeadDownToANodeFromOneTopSwitch) {
  for (const Topology& topology : trees()) {
    SCOPED_TRACE(topology.name());
    const auto k = static_cast<std::uint32_t>(topology.graph()->parameters().integer("k"));
    const Paths paths(topology, "nearest-common-ancestor");
    std::map<NodeId, NodeId> destinations;  // of each switch at the top
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      std::set<NodeId> tops;
      for (NodeId from = 0; from < topology.nodes(); ++from) {
        if (from == to) continue;
        const NodeId highest = turning_point(paths, from, to);
        if (topology.graph()->coordinates(highest)[0] == 0) tops.insert(highest);
      }
      ASSERT_EQ(tops.size(), 1U);
      ++destinations[*tops.begin()];
    }
    EXPECT_EQ(destinations.size(), topology.nodes() / k);
    for (const auto& [top, count] : destinations) EXPECT_EQ(count, k);
  }
}

TEST(FamilyRoutes, OnATree_ShiftsShareNoLink) {
  // Zahavi, 2010: every node sends to the one so many numbers further on.
  for (const Topology& topology : trees()) {
    SCOPED_TRACE(topology.name());
    const Paths paths(topology, "nearest-common-ancestor");
    for (NodeId shift = 1; shift < topology.nodes(); ++shift) {
      std::set<ChannelId> used;
      for (NodeId from = 0; from < topology.nodes(); ++from) {
        paths.for_each_channel(from, (from + shift) % topology.nodes(), {},
                               [&](ChannelId channel) { ASSERT_TRUE(used.insert(channel).second); });
      }
    }
  }
}

TEST(FamilyRoutes, OnATree_AnyLinkUp_AreFreeOfDeadlock) {
  for (const Topology& topology : trees()) {
    EXPECT_EQ(verdict_of("nearest-common-ancestor-adaptive", topology, 1).verdict, DeadlockVerdict::free);
  }
}

TEST(FamilyRoutes, OnATree_AdaptiveOnesOfferEveryLinkUp) {
  const Topology topology = tree(3, 3);
  const auto function = RoutingRegistry::find("nearest-common-ancestor-adaptive")->make(topology);
  function->build_tables();
  const Paths paths(topology, "nearest-common-ancestor");
  Head head;
  head.destination = 26;
  const NodeId leaf_switch = *topology.neighbour(0, paths.first_port(0, 26, {}));
  std::vector<Candidate> candidates;
  function->add_candidates(leaf_switch, {0, 0}, head, candidates);
  std::set<NodeId> switches;
  for (const Candidate& candidate : candidates) {
    const NodeId next = *topology.neighbour(leaf_switch, candidate.port);
    EXPECT_EQ(topology.graph()->coordinates(next)[0], 1U);
    switches.insert(next);
  }
  EXPECT_EQ(switches.size(), 3U);
}

TEST(FamilyRoutes, ComputedOnes_ServeMoreRoutersThanATableMayHave) {
  // 2-ary 12-tree: 24,576 switches; 150x150 concentrated mesh: 22,500 routers.
  const Topology fat_tree = tree(2, 12);
  EXPECT_EQ(Paths(fat_tree, fat_tree.graph()->routing()).length(0, 4095, {}), 24U);
  const Topology mesh = network("concentrated-mesh", {list("shape", {150, 150}), number("concentration", 1)});
  EXPECT_EQ(Paths(mesh, mesh.graph()->routing()).length(0, 22499, {}), 2 * 149U + 2);
}

TEST(FamilyRoutes, OnADragonfly_NeedTheSecondClass) {
  EXPECT_EQ(verdict_of("dragonfly-minimal", dragonfly(1, 4, 2, 9), 1).verdict, DeadlockVerdict::can_deadlock);
  EXPECT_EQ(verdict_of("dragonfly-minimal", dragonfly(1, 4, 2, 9), 2).verdict, DeadlockVerdict::free);
}

TEST(FamilyRoutes, OnADragonfly_TakeAtMostOneGlobalLink) {
  for (const Topology& topology : {dragonfly(2, 4, 2, 9), dragonfly(1, 4, 2, 5), dragonfly(2, 3, 2, 2)}) {
    const Paths paths(topology, "dragonfly-minimal");
    const auto group = [&](NodeId router) { return topology.graph()->coordinates(router)[0]; };
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        if (from == to) continue;
        std::uint32_t global = 0;
        std::uint32_t local = 0;
        paths.for_each_channel(from, to, {}, [&](ChannelId channel) {
          const NodeId at = topology.channel_node(channel);
          const NodeId next = *topology.neighbour(at, topology.channel_port(channel));
          if (at >= topology.nodes() && next >= topology.nodes())
            ++(group(at) == group(next) ? local : global);
        });
        ASSERT_EQ(global, group(from) == group(to) ? 0U : 1U);
        ASSERT_LE(local, group(from) == group(to) ? 1U : 2U);
      }
    }
  }
}

TEST(FamilyRoutes, ValiantOnADragonfly_IsFreeOfDeadlockAndTakesAtMostTwoGlobalLinks) {
  for (const Topology& topology : {dragonfly(2, 4, 2, 9), dragonfly(1, 2, 1, 3), dragonfly(1, 4, 2, 5),
                                   dragonfly(2, 3, 2, 2), dragonfly(1, 1, 4, 5)}) {
    SCOPED_TRACE(topology.name());
    EXPECT_EQ(verdict_of("dragonfly-valiant", topology, 3).verdict, DeadlockVerdict::free);
    const Paths paths(topology, "dragonfly-valiant");
    const Paths minimal(topology, "dragonfly-minimal");
    const auto group = [&](NodeId router) { return topology.graph()->coordinates(router)[0]; };
    std::uint32_t groups = 0;
    for (NodeId node = 0; node < topology.nodes(); ++node) groups = std::max(groups, group(node) + 1);
    std::uint32_t around = 0;
    std::uint32_t pairs = 0;
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      for (NodeId to = 0; to < topology.nodes(); ++to) {
        if (from == to) continue;
        std::vector<std::uint32_t> visited{group(from)};
        std::vector<ChannelId> channels;
        std::vector<ChannelId> shortest;
        minimal.for_each_channel(from, to, {}, [&](ChannelId channel) { shortest.push_back(channel); });
        paths.for_each_channel(from, to, {}, [&](ChannelId channel) {
          channels.push_back(channel);
          const NodeId next =
              *topology.neighbour(topology.channel_node(channel), topology.channel_port(channel));
          if (group(next) != visited.back()) visited.push_back(group(next));
        });
        EXPECT_EQ(visited.back(), group(to));
        if (group(from) == group(to)) {
          ASSERT_EQ(visited.size(), 1U);
          ASSERT_EQ(paths.length(from, to, {}), minimal.length(from, to, {}));
          continue;
        }
        ASSERT_LE(visited.size(), 3U);
        if (visited.size() == 2) {
          ASSERT_EQ(channels, shortest);  // also of several links to the group
        }
        ++pairs;
        around += visited.size() == 3 ? 1 : 0;
        if (visited.size() == 3) {
          ASSERT_NE(visited[0], visited[2]);
        }
      }
    }
    // All groups but two are around; the mean of so many draws lies near.
    const double expected = static_cast<double>(groups - 2) / groups;
    EXPECT_NEAR(static_cast<double>(around) / pairs, expected, pairs > 1000 ? 0.05 : 0.3);
  }
}

TEST(FamilyRoutes, OnTwistedTori_AreShortestAndFreeOfDeadlock) {
  for (const auto& shape :
       {std::vector{6U, 4U}, {5U, 2U}, {8U, 4U, 4U}, {4U, 4U, 2U}, {6U, 3U, 2U}, {5U, 4U, 3U}}) {
    for (std::uint32_t twist = 0; twist < shape[0]; ++twist) {
      const Topology topology = network("twisted-torus", {list("shape", shape), number("twist", twist)});
      SCOPED_TRACE(topology.name());
      const Paths shortest(topology, "shortest");
      const Paths paths(topology, "twisted-dimension-order");
      for (NodeId from = 0; from < topology.nodes(); ++from) {
        for (NodeId to = 0; to < topology.nodes(); ++to) {
          if (from == to) continue;
          ASSERT_EQ(paths.length(from, to, {}), shortest.length(from, to, {}));
        }
      }
      const auto classes = RoutingRegistry::find("twisted-dimension-order")->make(topology)->classes();
      EXPECT_EQ(verdict_of("twisted-dimension-order", topology, classes).verdict, DeadlockVerdict::free);
    }
  }
}

TEST(FamilyRoutes, OnGrids_AreShortest) {
  const Topology topology = hyperx({4, 3, 2}, 2);
  const Topology mesh = network("concentrated-mesh", {list("shape", {4, 3, 2}), number("concentration", 2)});
  const Paths paths(topology, "grid-dimension-order");
  const Paths of_mesh(mesh, "grid-dimension-order");
  for (NodeId from = 0; from < topology.nodes(); ++from) {
    for (NodeId to = 0; to < topology.nodes(); ++to) {
      if (from == to) continue;
      const auto one = topology.graph()->coordinates(from);
      const auto other = topology.graph()->coordinates(to);
      std::uint32_t differ = 2;
      std::uint32_t steps = 2;
      for (std::size_t i = 0; i < 3; ++i) {
        differ += one[i] != other[i];
        steps += std::max(one[i], other[i]) - std::min(one[i], other[i]);
      }
      ASSERT_EQ(paths.length(from, to, {}), differ);
      ASSERT_EQ(of_mesh.length(from, to, {}), steps);
    }
  }
}

}  // namespace
}  // namespace flitscope::family_routes_test
