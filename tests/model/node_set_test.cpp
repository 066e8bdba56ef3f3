// Sets of nodes: all, listed, or drawn at random; how they are read, refused, printed, and what they name.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/algorithm.h"
#include "model/error.h"
#include "model/node_set.h"
#include "tests/support/config_texts.h"

namespace flitscope::node_set_test {
namespace {

using namespace test;

/// An algorithm with a set of nodes, which makes no schedule.
const AlgorithmRegistry::Entry test_many{{
    .name = "test-many",
    .summary = "nothing",
    .source = "these tests",
    .claim = "none",
    .admissible = "any shape",
    .parameters =
        {{.name = "sources", .type = ParameterType::node_set, .summary = "nodes", .fallback = "all"}},
    .make = {},
}};

const Topology kTorus(TopologyKind::torus, {4, 3, 5});

std::vector<NodeId> drawn(std::uint64_t count, std::uint64_t seed) {
  return nodes_of(NodeSet::drawn(count, seed), kTorus, "workload.sources");
}

TEST(NodeSet, All_GivesEveryNode) {
  const auto nodes = nodes_of({}, kTorus, "");
  ASSERT_EQ(nodes.size(), 60U);
  for (NodeId node = 0; node < 60; ++node) EXPECT_EQ(nodes[node], node);
}

TEST(NodeSet, List_KeepsItsOrder) {
  const auto nodes = nodes_of(NodeSet::listed({{"[3, 2, 4]"}, {"[0, 0, 0]"}, {"[1, 2, 0]"}}), kTorus, "");
  EXPECT_EQ(nodes, (std::vector<NodeId>{59, 0, 9}));
}

TEST(NodeSet, DrawnNodes_AreDifferentSortedAndRepeatable) {
  for (std::uint64_t count = 1; count <= 60; ++count) {
    const auto nodes = drawn(count, 7);
    ASSERT_EQ(nodes.size(), count);
    EXPECT_TRUE(std::ranges::is_sorted(nodes));
    EXPECT_EQ(std::ranges::adjacent_find(nodes), nodes.end());
    EXPECT_LT(nodes.back(), 60U);
    EXPECT_EQ(nodes, drawn(count, 7));
  }
  EXPECT_NE(drawn(10, 7), drawn(10, 8));
  // The generator is settled by the standard, what is made of it by us: these numbers must never change.
  EXPECT_EQ(drawn(5, 1), (std::vector<NodeId>{8, 15, 20, 39, 54}));
}

TEST(NodeSet, SmallerCountOfASeed_IsASubset) {
  for (std::uint64_t count = 1; count < 60; ++count) {
    EXPECT_TRUE(std::ranges::includes(drawn(count + 1, 3), drawn(count, 3)));
  }
}

TEST(NodeSet, ManySeeds_DrawEveryNodeEquallyOften) {
  std::vector<int> times(60);
  for (std::uint64_t seed = 0; seed < 6000; ++seed) {
    for (const NodeId node : drawn(6, seed)) ++times[node];
  }
  for (const int count : times) EXPECT_NEAR(count, 600, 120);  // 5 standard deviations
}

TEST(NodeSet, Fraction_IsRoundedToAtLeastOneNode) {
  const auto count = [](double fraction) {
    return nodes_of({.kind = NodeSet::Kind::fraction, .fraction = fraction, .seed = 1}, kTorus, "").size();
  };
  EXPECT_EQ(count(1), 60U);
  EXPECT_EQ(count(0.5), 30U);
  EXPECT_EQ(count(0.1), 6U);
  EXPECT_EQ(count(0.025), 2U);  // 1.5
  EXPECT_EQ(count(0.0001), 1U);
}

std::string refused(const NodeSet& set) {
  try {
    (void)nodes_of(set, kTorus, "workload.sources");
  } catch (const Inadmissible& error) {
    EXPECT_EQ(error.key(), "workload.sources");
    return error.what();
  }
  return "nothing";
}

TEST(NodeSet, UnknownNodes_AreRefused) {
  EXPECT_EQ(refused(NodeSet::listed({{"1"}})),
            "'1' is no node of the 4x3x5 torus; its nodes are [0, 0, 0] to [3, 2, 4]");
  EXPECT_EQ(refused(NodeSet::drawn(61, 1)),
            "count must be from 1 to 60, the nodes of the 4x3x5 torus, not 61");
  EXPECT_EQ(refused(NodeSet::listed({{"[1, 1, 1]"}, {"[2, 1, 1]"}, {"[1, 1, 1]"}})),
            "[1, 1, 1] is named twice; each node can be named once");
  EXPECT_EQ(refused(NodeSet::listed({{"[1, 3, 1]"}})),
            "[1, 3, 1] lies outside the 4x3x5 torus: coordinate 1 must be 0 to 2");
  EXPECT_EQ(refused(NodeSet::listed({{"[1, 1]"}})),
            "[1, 1] has 2 coordinates, but the 4x3x5 torus has 3 dimensions");
  EXPECT_EQ(refused(NodeSet::listed({})), "the list names no node; it must name at least one");
}

std::string with(const std::string& sources) {
  return "flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\nworkload: {algorithm: test-many, sources: " +
         sources + "}\n";
}

NodeSet read(const std::string& sources) {
  return parse(with(sources)).workload.parameters.node_set("sources");
}

TEST(NodeSet, AllForms_AreRead) {
  EXPECT_EQ(read("all"), NodeSet{});
  EXPECT_EQ(parse("flitscope: 1\ntopology: {kind: torus, shape: [4, 4]}\n"
                  "workload: {algorithm: test-many}\n")
                .workload.parameters.node_set("sources"),
            NodeSet{});
  EXPECT_EQ(read("[[1, 2], [3, 0]]"), NodeSet::listed({{"[1, 2]"}, {"[3, 0]"}}));
  EXPECT_EQ(read("{count: 12, seed: 5}"), NodeSet::drawn(12, 5));
  EXPECT_EQ(read("{count: 12}"), NodeSet::drawn(12, 1));
  EXPECT_EQ(read("{seed: 9, fraction: 0.25}"),
            (NodeSet{.kind = NodeSet::Kind::fraction, .fraction = 0.25, .seed = 9}));
  EXPECT_EQ(
      parse(with("all"), {"workload.sources={count: 3, seed: 2}"}).workload.parameters.node_set("sources"),
      NodeSet::drawn(3, 2));
}

TEST(NodeSet, Text_IsThatOfTheConfiguration) {
  for (const char* const text :
       {"all", "[[1, 2], [3, 0]]", "{count: 12, seed: 5}", "{fraction: 0.1, seed: 3}"}) {
    const auto config = parse(with(text));
    const std::string resolved = resolve(config);
    EXPECT_NE(resolved.find(std::string("sources: ") + text + "\n"), std::string::npos) << resolved;
    EXPECT_EQ(parse(resolved).workload.parameters.node_set("sources"), read(text));
  }
}

TEST(NodeSet, Faults_AreReportedAtTheirLocation) {
  struct Case {
    std::string sources;
    std::vector<Expected> expected;
  };
  const std::string here = "c.yaml:3:43";
  for (const Case& each : std::vector<Case>{
           {"every",
            {{here, {"workload.sources must be nodes: 'all', a list", "{count: 20, seed: 1}", "'every'"}}}},
           {"alll", {{here, {"did you mean 'all'?"}}}},
           {"5", {{here, {"not '5'"}}}},
           {"\"all\"", {{here, {"the text 'all' in quotes"}}}},
           {"[]", {{here, {"not an empty list"}}}},
           {"[[1, -2]]", {{"c.yaml:3:48", {"workload.sources[0][1] must be a whole number", "'-2'"}}}},
           {"{}", {{here, {"must have either 'count' or 'fraction'"}}}},
           {"{seed: 1}", {{here, {"must have either 'count' or 'fraction'"}}}},
           {"{count: 1, fraction: 0.5}", {{here, {"either 'count' or 'fraction', not both"}}}},
           {"{count: 0}", {{"c.yaml:3:51", {"workload.sources.count must be a whole number of at least 1"}}}},
           {"{count: many}", {{"c.yaml:3:51", {"workload.sources.count", "'many'"}}}},
           {"{fraction: 0}", {{"c.yaml:3:54", {"workload.sources.fraction must be above 0"}}}},
           {"{fraction: 1.5}", {{"c.yaml:3:54", {"a number from 0 to 1", "'1.5'"}}}},
           {"{count: 2, seed: -1}", {{"c.yaml:3:60", {"workload.sources.seed", "'-1'"}}}},
           {"{count: 2, sed: 1}", {{"c.yaml:3:54", {"'workload.sources.sed'; did you mean 'seed'?"}}}},
           {"{count: 2, zeal: 1}", {{"c.yaml:3:54", {"possible are count, fraction, seed"}}}},
       }) {
    expect_refusal(refusal(with(each.sources)), each.expected, each.sources);
  }
}

}  // namespace
}  // namespace flitscope::node_set_test
