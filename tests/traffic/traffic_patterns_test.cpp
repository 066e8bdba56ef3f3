// Every traffic pattern: its definition on small networks, its shares against what it draws, and its
// refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/error.h"
#include "tests/support/families.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::traffic_patterns_test {
namespace {

using Values = std::map<std::string, ParameterValues::Value>;

/// With the parameters that every test needs given, since no configuration fills defaults in here.
std::unique_ptr<TrafficPattern> make(const std::string& name, const Topology& topology, Values values = {},
                                     const std::string& text = "", bool self = false) {
  ParameterValues all;
  all.set("nodes", NodeSet::listed({NodeName{}}));
  all.set("share", Decimal(0, 250'000'000'000'000'000));
  all.set("permutation_seed", std::int64_t{3});
  all.set("order", std::string("random"));
  all.set("order_seed", std::int64_t{1});
  for (auto& [key, value] : values) all.set(key, value);
  return TrafficRegistry::find(name)->make(
      {topology, all, [&](const std::string&) { return text; }, "workload", self});
}

std::string refused_key(const std::string& name, const Topology& topology, const Values& values = {}) {
  try {
    static_cast<void>(make(name, topology, values));
  } catch (const Inadmissible& reason) {
    return reason.key();
  }
  return "nothing";
}

std::string refusal_of_file(const std::string& name, const std::string& key, const std::string& text) {
  try {
    static_cast<void>(make(name, Topology(TopologyKind::mesh, {2, 2}), {{key, std::string("file")}}, text));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

NodeId partner(const TrafficPattern& pattern, NodeId source) {
  RandomStream random(1, source);
  return pattern.destination(source, 0, random);
}

const std::vector<Topology> kNetworks{{TopologyKind::torus, {8, 8}},
                                      {TopologyKind::mesh, {4, 4, 4}},
                                      {TopologyKind::torus, {2, 8}},
                                      {TopologyKind::mesh, {16}},
                                      {TopologyKind::torus, {4, 16}}};

/// Whether `make` above has the parameters of a pattern.
bool has_values(const Traffic& traffic) {
  const std::set<std::string> known{"nodes", "share",     "destinations", "permutation_seed",
                                    "order", "order_seed"};
  return std::ranges::all_of(traffic.parameters,
                             [&](const Parameter& parameter) { return known.contains(parameter.name); });
}

/// Calls check(topology, pattern, name) for every pattern with default parameters on every network it
/// accepts.
template <typename Check>
void for_each_pattern(Check check) {
  for (const Topology& topology : kNetworks) {
    for (const Traffic& traffic : TrafficRegistry::all()) {
      if (!has_values(traffic) || refused_key(traffic.name, topology) != "nothing") continue;
      SCOPED_TRACE(traffic.name + " on the " + topology.name());
      check(topology, *make(traffic.name, topology), traffic.name);
    }
  }
}

TEST(TrafficPatterns, Registry_HasTheShippedPatterns) {
  for (const char* const name : {"all-to-all", "bit-complement", "bit-reverse", "hotspot", "matrix",
                                 "neighbour", "permutation", "shuffle", "tornado", "transpose", "uniform"}) {
    EXPECT_NE(TrafficRegistry::find(name), nullptr) << name;
  }
}

TEST(TrafficPatterns, Shares_AddUpAndMatchTheDraws) {
  for_each_pattern([](const Topology& topology, const TrafficPattern& pattern, const std::string&) {
    const NodeId source = topology.nodes() / 3;
    std::vector<double> shares(topology.nodes());
    double sum = 0;
    pattern.for_each_share(source, [&](NodeId node, double share) {
      shares[node] += share;
      sum += share;
    });
    EXPECT_NEAR(sum, 1, 1e-12);
    constexpr std::uint64_t kDraws = 63 * 300;  // whole rounds of all-to-all on 64 nodes
    std::vector<std::uint64_t> counts(topology.nodes());
    RandomStream random(7, source);
    for (std::uint64_t i = 0; i < kDraws; ++i) ++counts.at(pattern.destination(source, i, random));
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const double expected = shares[node] * static_cast<double>(kDraws);
      EXPECT_NEAR(static_cast<double>(counts[node]), expected, 5 * std::sqrt(expected) + 1e-9) << node;
    }
  });
}

TEST(TrafficPatterns, ShippedFixedPattern_IsAPermutation) {
  const std::set<std::string> permutations{"bit-complement", "bit-reverse", "neighbour", "permutation",
                                           "shuffle",        "tornado",     "transpose"};
  for_each_pattern([&](const Topology& topology, const TrafficPattern& pattern, const std::string& name) {
    if (!permutations.contains(name)) return;
    std::vector<int> received(topology.nodes());
    for (NodeId node = 0; node < topology.nodes(); ++node) ++received[partner(pattern, node)];
    EXPECT_EQ(received, std::vector<int>(topology.nodes(), 1)) << name;
  });
}

TEST(TrafficPatterns, PatternOfCoordinates_SendsToTheDefinedPartner) {
  const Topology square(TopologyKind::torus, {8, 8});
  const Topology odd(TopologyKind::mesh, {5, 3});
  const auto node = [](const Topology& topology, std::uint32_t x, std::uint32_t y) {
    return topology.node(std::vector{x, y});
  };
  EXPECT_EQ(partner(*make("transpose", square), node(square, 3, 6)), node(square, 6, 3));
  EXPECT_EQ(partner(*make("bit-complement", square), node(square, 1, 6)), node(square, 6, 1));
  EXPECT_EQ(partner(*make("bit-complement", odd), node(odd, 0, 1)), node(odd, 4, 1));
  EXPECT_EQ(partner(*make("tornado", square), node(square, 6, 2)), node(square, 1, 5));
  EXPECT_EQ(partner(*make("tornado", odd), node(odd, 4, 2)), node(odd, 1, 0));
  EXPECT_EQ(partner(*make("neighbour", square), node(square, 7, 2)), node(square, 0, 3));
}

TEST(TrafficPatterns, PatternOfBits_SendsToTheDefinedPartner) {
  const Topology cube(TopologyKind::mesh, {4, 4, 4});  // 6 bits
  EXPECT_EQ(partner(*make("transpose", cube), 0b110001), 0b001110U);
  EXPECT_EQ(partner(*make("bit-complement", cube), 0b110001), 0b001110U);
  EXPECT_EQ(partner(*make("bit-reverse", cube), 0b110010), 0b010011U);
  EXPECT_EQ(partner(*make("shuffle", cube), 0b110010), 0b100101U);
  EXPECT_EQ(partner(*make("shuffle", cube), 0b111111), 0b111111U);
}

TEST(TrafficPatterns, Uniform_WithSelf_DrawsTheSourceToo) {
  const Topology topology(TopologyKind::torus, {2, 2});
  for (const bool self : {false, true}) {
    const auto pattern = make("uniform", topology, {}, "", self);
    RandomStream random(1, 2);
    bool drawn = false;
    for (int i = 0; i < 100; ++i) drawn = drawn || pattern->destination(2, 0, random) == 2;
    EXPECT_EQ(drawn, self);
  }
}

TEST(TrafficPatterns, AllToAll_VisitsEachOtherNodeOnceARound) {
  for (const char* const order : {"random", "exclusive-or", "shifted"}) {
    const Topology topology(TopologyKind::torus, {4, 8});
    const auto pattern = make("all-to-all", topology, {{"order", std::string(order)}});
    RandomStream random(1, 5);
    std::vector<std::vector<NodeId>> rounds;
    for (std::uint64_t round = 0; round < 3; ++round) {
      std::vector<int> visits(topology.nodes());
      rounds.emplace_back();
      for (std::uint64_t turn = 0; turn < 31; ++turn) {
        rounds.back().push_back(pattern->destination(5, round * 31 + turn, random));
        ++visits[rounds.back().back()];
      }
      std::vector<int> expected(topology.nodes(), 1);
      expected[5] = 0;
      EXPECT_EQ(visits, expected) << order;
    }
    EXPECT_EQ(rounds[0] == rounds[1], std::string(order) != "random") << order;
  }
}

TEST(TrafficPatterns, GroupShift_SendsToAllNodesOfTheGroupAtThatDistance) {
  const Topology topology(TopologyKind::torus, {4, 3});  // groups are the rows of dimension 0
  for (const std::int64_t distance : {1, 2, 4}) {
    const auto pattern = make("group-shift", topology, {{"groups", distance}});
    for (NodeId source = 0; source < topology.nodes(); ++source) {
      const NodeId row = (source / 4 + static_cast<NodeId>(distance)) % 3;
      std::map<NodeId, double> shares;
      pattern->for_each_share(source, [&](NodeId node, double share) { shares[node] += share; });
      EXPECT_EQ(shares, (std::map<NodeId, double>{
                            {4 * row, 0.25}, {4 * row + 1, 0.25}, {4 * row + 2, 0.25}, {4 * row + 3, 0.25}}));
      RandomStream random(1, source);
      std::set<NodeId> drawn;
      for (unsigned i = 0; i < 100; ++i) drawn.insert(pattern->destination(source, i, random));
      EXPECT_EQ(drawn, (std::set<NodeId>{4 * row, 4 * row + 1, 4 * row + 2, 4 * row + 3}));
    }
  }
  EXPECT_EQ(refused_key("group-shift", topology, {{"groups", std::int64_t{3}}}), "workload.groups");
  EXPECT_EQ(refused_key("group-shift", {TopologyKind::mesh, {8}}, {{"groups", std::int64_t{1}}}),
            "workload.groups");
}

TEST(TrafficPatterns, HotspotWithSelf_DrawsTheSourceAmongTheOthers) {
  const Topology topology(TopologyKind::mesh, {4});
  for (const bool self : {false, true}) {
    const auto pattern = make("hotspot", topology, {{"nodes", NodeSet::listed({{"[3]"}})}}, "", self);
    std::map<NodeId, double> shares;
    pattern->for_each_share(0, [&](NodeId node, double share) { shares[node] += share; });
    const double other = 0.75 / (self ? 4 : 3);
    EXPECT_DOUBLE_EQ(shares[0], self ? other : 0);
    EXPECT_DOUBLE_EQ(shares[3], 0.25 + other);
    RandomStream random(7, 0);
    unsigned own = 0;
    for (unsigned i = 0; i < 1000; ++i) own += pattern->destination(0, i, random) == 0 ? 1 : 0;
    EXPECT_NEAR(own, self ? 187.5 : 0, self ? 60 : 0);
  }
}

TEST(TrafficPatterns, Matrix_ScalesItsRatesToTheLoad) {
  const Topology topology(TopologyKind::mesh, {2, 2});
  const auto pattern = make("matrix", topology, {{"rates", std::string("file")}},
                            "# rates\n0,3,1,0\n0,0,0,0\n\n2,0,0,0\n0.5 0.5 0.5 0.5\n");
  EXPECT_DOUBLE_EQ(pattern->rate(0), 2);
  EXPECT_DOUBLE_EQ(pattern->rate(1), 0);
  EXPECT_DOUBLE_EQ(pattern->rate(2), 1);
  EXPECT_DOUBLE_EQ(pattern->rate(3), 1);
  std::map<NodeId, double> shares;
  pattern->for_each_share(0, [&](NodeId node, double share) { shares[node] = share; });
  EXPECT_EQ(shares, (std::map<NodeId, double>{{1, 0.75}, {2, 0.25}}));
  EXPECT_EQ(partner(*pattern, 2), 0U);
}

TEST(TrafficPatterns, FileWithAByteOrderMark_IsReadWithoutIt) {
  EXPECT_EQ(refusal_of_file("permutation", "destinations",
                            "\xEF\xBB\xBF"
                            "1\n0\n3\n2\n"),
            "accepted");
}

TEST(TrafficPatterns, FileWithMistake_IsRefusedWithItsLine) {
  EXPECT_EQ(refusal_of_file("matrix", "rates", "0 1 1 1\n0 1 x 1\n"),
            "file:2: 'x' is no number: it must be a decimal number, such as 0.25");
  EXPECT_EQ(refusal_of_file("matrix", "rates", "0 1 1 1\n0 -1 1 1\n"),
            "file:2: '-1' is no number: it must not be negative");
  EXPECT_EQ(refusal_of_file("matrix", "rates", "0 1 1\n"),
            "file:1: 3 rates; a row must have one for each of the 4 nodes of the 2x2 mesh");
  EXPECT_EQ(refusal_of_file("matrix", "rates", "0 1 1 1\n"),
            "file: 1 rows of rates; there must be one for each of the 4 nodes of the 2x2 mesh");
  EXPECT_EQ(refusal_of_file("matrix", "rates", "0 0 0 0\n0 0 0 0\n0 0 0 0\n0 0 0 0\n"),
            "file: all rates are 0");
  EXPECT_EQ(refusal_of_file("permutation", "destinations", "1\n0\n3\n2\n"), "accepted");
  EXPECT_EQ(refusal_of_file("permutation", "destinations", "1\n0\n1\n2\n"),
            "file:3: 1 is named twice; a permutation names every node once");
  EXPECT_EQ(refusal_of_file("permutation", "destinations", "1 4"),
            "file:1: 4 is no node; nodes have the numbers 0 to 3");
  EXPECT_EQ(refusal_of_file("permutation", "destinations", "1 0"),
            "file: it names 2 destinations; the 2x2 mesh has 4 nodes");
}

TEST(TrafficPatterns, InadmissibleNetwork_IsRefused) {
  const Topology odd(TopologyKind::torus, {3, 5});
  EXPECT_EQ(refused_key("transpose", odd), "topology.shape");
  EXPECT_EQ(refused_key("bit-reverse", Topology(TopologyKind::torus, {6, 6})), "topology.shape");
  EXPECT_EQ(refused_key("shuffle", odd), "topology.shape");
  EXPECT_EQ(refused_key("tornado", Topology(TopologyKind::mesh, {2, 2, 2})), "topology.shape");
  EXPECT_EQ(refused_key("all-to-all", odd, {{"order", std::string("exclusive-or")}}), "topology.shape");
  EXPECT_EQ(refused_key("hotspot", odd, {{"nodes", NodeSet::listed({{"[3, 0]"}})}}), "workload.nodes");
  const Topology graph =
      test::network("hyperx", {test::list("shape", {3}), test::number("concentration", 5)});
  for (const char* const name : {"transpose", "bit-reverse", "shuffle"})
    EXPECT_EQ(refused_key(name, graph), "topology") << name;
  for (const char* const name :
       {"uniform", "bit-complement", "tornado", "neighbour", "permutation", "all-to-all"}) {
    EXPECT_EQ(refused_key(name, odd), "nothing") << name;
  }
}

}  // namespace
}  // namespace flitscope::traffic_patterns_test
