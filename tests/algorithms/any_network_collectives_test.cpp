// Collectives by the numbers of nodes and by groups, on networks of all kinds with any number of nodes: legal
// by the checker and by an independent judge, with the steps and bytes of their closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <random>
#include <ranges>
#include <set>

#include "algorithms/algorithm.h"
#include "model/graph.h"
#include "model/node_set.h"
#include "model/random.h"
#include "sim/analysis/schedule_checker.h"
#include "tests/reference/random_graph.h"
#include "tests/support/combining_judge.h"
#include "tests/support/families.h"

namespace flitscope::any_network_collectives_test {
namespace {

using test::list;
using test::network;
using test::number;

using Choices = std::map<std::string, ParameterValues::Value>;

std::unique_ptr<Schedule> make(const std::string& name, const Topology& topology, std::int64_t message,
                               const Choices& choices = {}) {
  const Algorithm& algorithm = *AlgorithmRegistry::find(name);
  ParameterValues values;
  for (const Parameter& parameter : algorithm.parameters) {
    switch (parameter.type) {
      case ParameterType::choice:
        values.set(parameter.name, parameter.fallback);
        break;
      case ParameterType::node:
        values.set(parameter.name, NodeName{topology.node_name(Participants(topology)[0])});
        break;
      default:
        values.set(parameter.name, std::int64_t{0});
    }
  }
  values.set("message", message);
  for (const auto& [key, value] : choices) values.set(key, value);
  return algorithm.make(topology, values);
}

Topology star(std::uint32_t nodes) {
  GraphPlan plan{.name = fmt::format("star of {} nodes", nodes)};
  const std::uint32_t hub = plan.add_router({"hub", false});
  for (std::uint32_t i = 0; i < nodes; ++i) plan.add_node(hub, {fmt::format("n{}", i)});
  return Topology::of(std::make_shared<const Graph>(std::move(plan)));
}

/// Routers with 3, 1 and 2 nodes, in a row.
Topology uneven() {
  GraphPlan plan{.name = "uneven"};
  for (std::uint32_t i = 0; i < 3; ++i) plan.add_router({fmt::format("r{}", i), false});
  plan.join(0, 1);
  plan.join(1, 2);
  for (const std::uint32_t router : {0, 0, 0, 1, 2, 2}) {
    plan.add_node(router, {fmt::format("n{}", plan.routers.size())});
  }
  return Topology::of(std::make_shared<const Graph>(std::move(plan)));
}

Topology dragonfly(std::int64_t p, std::int64_t a, std::int64_t h, std::int64_t groups) {
  return network("dragonfly", {number("p", p), number("a", a), number("h", h), number("groups", groups)});
}

std::vector<Topology> networks() {
  const Topology chiplets =
      network("chiplets", {list("chiplets", {2, 2}), list("mesh", {2, 3}), number("inner_delay", 1),
                           number("outer_delay", 4), test::ratio("outer_cycles_per_flit", Ratio(1))});
  std::vector<Topology> all{network("k-ary-n-tree", {number("k", 3), number("n", 2)}),
                            network("k-ary-n-tree", {number("k", 2), number("n", 4)}),
                            dragonfly(2, 3, 1, 4),
                            dragonfly(1, 2, 1, 3),
                            network("hyperx", {list("shape", {3, 2}), number("concentration", 2)}),
                            network("concentrated-mesh", {list("shape", {2, 2}), number("concentration", 5)}),
                            network("twisted-torus", {list("shape", {4, 2}), number("twist", 2)}),
                            chiplets,
                            star(2),
                            star(3),
                            star(7),
                            uneven(),
                            {TopologyKind::mesh, {3, 3}},
                            {TopologyKind::mesh, {2}},
                            {TopologyKind::mesh, {4, 4}},
                            {TopologyKind::torus, {5, 3}},
                            {TopologyKind::torus, {4, 4}},
                            Topology(TopologyKind::mesh, {4, 3}).without({{}, {0, 11}})};
  std::mt19937_64 random(41);
  const auto between = [&](std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random_below(random, std::uint64_t{most} - least + 1));
  };
  for (unsigned i = 0; i < 20; ++i) {
    all.push_back(Topology::of(std::make_shared<const Graph>(reference::random_graph(between, 14))));
  }
  return all;
}

struct Volume {
  std::uint64_t total = 0;
  std::map<NodeId, std::uint64_t> sent;
  std::map<NodeId, std::uint64_t> received;
};

template <typename Counts>
Volume volume(Schedule& schedule, Counts counts) {
  Volume volume;
  for (Step step; schedule.next(step);) {
    for (const Message& message : step.messages()) {
      if (!counts(message)) continue;
      const std::uint64_t bytes = message_bytes(schedule.facts().collective, step, message);
      volume.total += bytes;
      volume.sent[message.source] += bytes;
      volume.received[message.destination] += bytes;
    }
  }
  return volume;
}
Volume volume(const std::unique_ptr<Schedule>& schedule) {
  return volume(*schedule, [](const Message&) { return true; });
}

std::uint64_t most(const std::map<NodeId, std::uint64_t>& by_node) {
  return std::ranges::max(std::views::values(by_node));
}

void expect_legal(const std::string& name, const Topology& topology, const Choices& choices = {}) {
  for (const std::int64_t bytes : {1, 1000}) {
    const auto schedule = make(name, topology, bytes, choices);
    const CheckReport report = check_schedule(*schedule);
    ASSERT_TRUE(report.passed()) << name << " on the " << topology.name() << ": "
                                 << (report.violations.empty() ? "" : report.violations.front().text);
    EXPECT_EQ(report.redundant_deliveries, 0U) << name << " on the " << topology.name();
    EXPECT_EQ(report.steps, schedule->facts().claimed_steps) << name << " on the " << topology.name();
    EXPECT_GE(report.steps, schedule->facts().lower_bound_steps) << name << " on the " << topology.name();
  }
  EXPECT_EQ(test::judge_collective(*make(name, topology, 64, choices)), std::nullopt)
      << name << " on the " << topology.name();
}

const std::vector<std::string> kMethods{"ring", "rabenseifner", "bruck", "direct", "hierarchical"};

TEST(AnyNetworkCollectives, AnyNetwork_AreLegal) {
  std::vector<std::string> names{"all-reduce-recursive-doubling", "all-to-all-bruck",
                                 "all-to-all-hierarchical", "all-reduce-tree", "reduce-tree"};
  for (const std::string& method : kMethods) {
    for (const char* const goal : {"all-reduce-", "reduce-scatter-", "all-gather-"})
      names.push_back(goal + method);
  }
  for (const char* const method : {"binomial", "double-binary-tree", "hierarchical"}) {
    for (const char* const goal : {"broadcast-", "reduce-"}) names.push_back(std::string(goal) + method);
  }
  names.emplace_back("all-reduce-double-binary-tree");
  for (const Topology& topology : networks()) {
    for (const std::string& name : names) expect_legal(name, topology);
  }
}

TEST(AnyNetworkCollectives, OtherParameters_AreLegal) {
  for (const Topology& topology :
       {uneven(), star(11), dragonfly(2, 3, 1, 4), Topology(TopologyKind::mesh, {5, 3})}) {
    const NodeName last{topology.node_name(topology.nodes() - 1)};
    for (const char* const method : {"binomial", "double-binary-tree", "hierarchical"}) {
      for (const std::int64_t segment : {0, 300}) {
        expect_legal(std::string("broadcast-") + method, topology, {{"source", last}, {"segment", segment}});
        expect_legal(std::string("reduce-") + method, topology, {{"root", last}, {"segment", segment}});
      }
    }
    expect_legal("all-reduce-double-binary-tree", topology, {{"segment", std::int64_t{77}}});
    for (const std::int64_t size : {1, 2, 3, 4, 5, 100}) {
      for (const char* const name : {"all-gather-hierarchical", "reduce-scatter-hierarchical"}) {
        expect_legal(name, topology, {{"group_size", size}, {"within", std::string("bruck")}});
        expect_legal(name, topology, {{"group_size", size}, {"across", std::string("bruck")}});
      }
      expect_legal("all-to-all-hierarchical", topology, {{"group_size", size}});
      expect_legal("broadcast-hierarchical", topology, {{"group_size", size}, {"source", last}});
    }
  }
}

/// A ring of routers with links to the next, and some that lead elsewhere.
Topology one_way_ring(std::uint32_t nodes,
                      const std::vector<std::pair<std::uint32_t, std::uint32_t>>& others) {
  GraphPlan plan{.name = fmt::format("one-way ring of {}", nodes)};
  for (std::uint32_t i = 0; i < nodes; ++i) plan.add_router({fmt::format("r{}", i)});
  for (std::uint32_t i = 0; i < nodes; ++i) plan.links.push_back({i, (i + 1) % nodes});
  for (const auto& [from, to] : others) plan.links.push_back({from, to});
  return Topology::of(std::make_shared<const Graph>(std::move(plan)));
}

TEST(AnyNetworkCollectives, RingsOfOneWayLinks_MessagesGoToTheNextNodeInBothHalves) {
  std::vector<Topology> rings{one_way_ring(3, {}), one_way_ring(4, {{0, 3}, {0, 2}})};
  for (const LinkDirections directions : {LinkDirections::plus, LinkDirections::minus}) {
    for (const std::uint32_t nodes : {2U, 3U, 4U, 7U})
      rings.emplace_back(TopologyKind::torus, std::vector{nodes}, directions);
  }
  for (const Topology& ring : rings) {
    for (const char* const name : {"all-reduce-ring", "reduce-scatter-ring", "all-gather-ring"}) {
      expect_legal(name, ring);
      const auto schedule = make(name, ring, 64);
      EXPECT_EQ(schedule->facts().claimed_channel_load, 1U) << name << " on the " << ring.name();
      EXPECT_TRUE(check_schedule(*make(name, ring, 64)).claim_kept) << name << " on the " << ring.name();
      std::map<NodeId, NodeId> next;
      for (Step step; schedule->next(step);) {
        for (const Message& message : step.messages())
          EXPECT_EQ(next.emplace(message.source, message.destination).first->second, message.destination)
              << name << " on the " << ring.name();
      }
      EXPECT_EQ(next.size(), ring.nodes());
    }
  }
}

TEST(AnyNetworkCollectives, AnyNumberOfNodes_StepsAreThoseOfTheClosedForms) {
  for (std::uint32_t p = 2; p <= 33; ++p) {
    const Topology topology = star(p);
    const auto steps = [&](const std::string& name, const Choices& choices = {}) {
      return make(name, topology, 64, choices)->facts().steps;
    };
    const auto log = static_cast<unsigned>(std::bit_width(p)) - 1;
    const unsigned fold = std::has_single_bit(p) ? 0 : 1;
    const unsigned up = log + fold;
    EXPECT_EQ(steps("all-gather-ring"), p - 1);
    EXPECT_EQ(steps("all-gather-bruck"), up);
    EXPECT_EQ(steps("all-reduce-bruck"), 2 * up);
    EXPECT_EQ(steps("reduce-scatter-direct"), p - 1);
    EXPECT_EQ(steps("all-reduce-recursive-doubling"), log + 2 * fold);
    EXPECT_EQ(steps("all-gather-rabenseifner"), log + 2 * fold);
    EXPECT_EQ(steps("all-reduce-rabenseifner"), 2 * log + 2 * fold);
    EXPECT_EQ(steps("all-to-all-bruck"), up);
    EXPECT_EQ(steps("broadcast-binomial"), up);
    EXPECT_EQ(steps("reduce-binomial"), up);
    EXPECT_EQ(steps("all-reduce-double-binary-tree"), 2 * log);
    EXPECT_EQ(steps("broadcast-double-binary-tree"), static_cast<unsigned>(std::bit_width(p - 1)));
    EXPECT_EQ(steps("broadcast-double-binary-tree", {{"segment", std::int64_t{16}}}),
              static_cast<unsigned>(std::bit_width(p - 1)) + 3);
    const unsigned groups = (p + 3) / 4;
    const unsigned smallest = p % 4 == 0 ? 4 : p % 4;
    const unsigned largest = std::min(p, 4U);
    const Choices four{{"group_size", std::int64_t{4}}};
    EXPECT_EQ(steps("all-gather-hierarchical", four),
              (largest + std::min(smallest, largest) - 1) / std::min(smallest, largest) - 1 + groups - 1 +
                  largest - 1)
        << p;
  }
}

TEST(AnyNetworkCollectives, AnyNumberOfNodes_BytesAreThoseOfTheClosedForms) {
  for (std::uint32_t p = 2; p <= 19; ++p) {
    const Topology topology = star(p);
    const std::uint64_t n = 2 * p * 32;
    const auto of = [&](const std::string& name) { return volume(make(name, topology, std::int64_t(n))); };
    // Every node gets, or gives, every part but its own once.
    for (const std::string& method : kMethods) {
      EXPECT_EQ(of("all-gather-" + method).total, n * (p - 1)) << method << p;
      EXPECT_EQ(of("reduce-scatter-" + method).total, n * (p - 1)) << method << p;
    }
    for (const char* const method : {"ring", "bruck", "direct"}) {
      const Volume volume = of(std::string("all-reduce-") + method);
      EXPECT_EQ(most(volume.sent), 2 * n * (p - 1) / p) << method << p;
      EXPECT_EQ(most(volume.received), 2 * n * (p - 1) / p) << method << p;
    }
    const std::uint64_t hosts = std::bit_floor(p);
    const auto log = static_cast<std::uint64_t>(std::countr_zero(hosts));
    EXPECT_EQ(of("all-reduce-recursive-doubling").total, n * (log * hosts + 2 * (p - hosts)));
    const auto halving = volume(make("all-reduce-rabenseifner", topology, std::int64_t(hosts * 32)));
    EXPECT_EQ(halving.total, 2 * 32 * hosts * (hosts - 1 + p - hosts));
    std::uint64_t digits = 0;
    for (std::uint32_t distance = 1; distance < p; ++distance) digits += unsigned(std::popcount(distance));
    EXPECT_EQ(most(of("all-to-all-bruck").sent), n / p * digits);
    EXPECT_EQ(of("all-to-all-bruck").total, n * digits);
    for (const char* const tree : {"binomial", "double-binary-tree", "hierarchical"}) {
      EXPECT_EQ(of(std::string("broadcast-") + tree).total, n * (p - 1));
      EXPECT_EQ(of(std::string("reduce-") + tree).total, n * (p - 1));
    }
    EXPECT_LE(most(of("broadcast-double-binary-tree").sent), n);
    EXPECT_LE(most(of("reduce-double-binary-tree").received), n);
    const Volume both = of("all-reduce-double-binary-tree");
    EXPECT_EQ(both.total, 2 * n * (p - 1));
    EXPECT_LE(most(both.sent), 2 * n);
    EXPECT_LE(most(both.received), 2 * n);
  }
}

TEST(AnyNetworkCollectives, EqualGroups_BytesAcrossAreTheLeast) {
  const Topology topology = dragonfly(2, 4, 2, 5);  // G = 5 groups of M = 8 nodes
  const std::uint64_t p = 40;
  const std::uint64_t n = 40 * 64;
  const auto group = [](NodeId node) { return node / 8; };
  const auto across = [&](const std::string& name) {
    return volume(*make(name, topology, n), [&](const Message& message) {
      return group(message.source) != group(message.destination);
    });
  };
  EXPECT_EQ(most(across("all-gather-hierarchical").sent), n * 4 / p);
  EXPECT_EQ(across("all-gather-hierarchical").total, n * 4);
  EXPECT_EQ(across("all-reduce-hierarchical").total, 2 * n * 4);
  EXPECT_EQ(across("broadcast-hierarchical").total, n * 4);
  EXPECT_EQ(across("reduce-hierarchical").total, n * 4);
  EXPECT_EQ(most(across("all-to-all-hierarchical").sent), n * 4 / 5);
  EXPECT_EQ(most(volume(make("all-to-all-hierarchical", topology, n)).sent), n * 4 / 5 + n * 7 / 8);
  EXPECT_EQ(make("all-to-all-hierarchical", topology, n)->facts().steps, 7U + 4U);
  EXPECT_EQ(make("broadcast-hierarchical", topology, n)->facts().steps, 3U + 3U);
}

TEST(DoubleBinaryTree, AnyNumberOfNodes_NoNodeIsInnerInBothTrees) {
  for (std::uint32_t p = 2; p <= 40; ++p) {
    const auto schedule = make("all-reduce-double-binary-tree", star(p), 64);
    std::map<NodeId, std::set<ChunkId>> forwards;
    std::uint64_t number = 0;
    for (Step step; schedule->next(step);) {
      if (++number <= schedule->facts().steps / 2) continue;
      for (const Message& message : step.messages()) {
        forwards[message.source].insert(step.chunks(message).begin(), step.chunks(message).end());
      }
    }
    for (const auto& [node, chunks] : forwards) EXPECT_EQ(chunks.size(), 1U) << node << " of " << p;
  }
}

std::vector<std::uint32_t> group_sizes(const Topology& topology, std::uint32_t size = 0) {
  const NodeGroups groups(topology, size);
  std::vector<std::uint32_t> sizes;
  for (std::uint32_t group = 0; group < groups.count(); ++group) {
    sizes.push_back(static_cast<std::uint32_t>(groups[group].size()));
  }
  return sizes;
}

TEST(NodeGroups, Network_HasItsOwn) {
  using Sizes = std::vector<std::uint32_t>;
  EXPECT_EQ(group_sizes(dragonfly(2, 3, 1, 4)), Sizes(4, 6));
  EXPECT_EQ(group_sizes(network("k-ary-n-tree", {number("k", 3), number("n", 2)})), Sizes(3, 3));
  EXPECT_EQ(group_sizes(network("hyperx", {list("shape", {3, 2}), number("concentration", 2)})), Sizes(6, 2));
  EXPECT_EQ(group_sizes(network("hyperx", {list("shape", {3, 3}), number("concentration", 1)})), Sizes(3, 3));
  EXPECT_EQ(group_sizes({TopologyKind::torus, {5, 3}}), Sizes(3, 5));
  EXPECT_EQ(group_sizes(uneven()), (Sizes{3, 1, 2}));
  EXPECT_EQ(group_sizes(uneven(), 4), (Sizes{4, 2}));
  const Topology chiplets =
      network("chiplets", {list("chiplets", {2, 1}), list("mesh", {2, 2}), number("inner_delay", 1),
                           number("outer_delay", 4), test::ratio("outer_cycles_per_flit", Ratio(1))});
  EXPECT_EQ(NodeGroups(chiplets).order(), (std::vector<NodeId>{0, 1, 4, 5, 2, 3, 6, 7}));
}

}  // namespace
}  // namespace flitscope::any_network_collectives_test
