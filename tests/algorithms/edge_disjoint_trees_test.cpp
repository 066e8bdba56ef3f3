// edge-disjoint-trees: six arc-disjoint spanning trees, by rule and by search, and broadcasts over them in
// exactly the steps that gather and pipelining take.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "algorithms/chen/tree_packing.h"
#include "model/error.h"
#include "sim/analysis/schedule_checker.h"
#include "tests/support/multinode.h"

namespace flitscope::test::edge_disjoint_trees_test {
namespace {

using namespace chen;

constexpr auto kTreesName = "edge-disjoint-trees";

/// What is wrong with a packing: parents that are no neighbours, or one parent in two trees. That the trees
/// are trees has been found out when their depths were made.
std::string fault(const TreePacking& packing, int n) {
  const Cube cube(n);
  for (NodeId node = 1; node < cube.nodes(); ++node) {
    std::set<NodeId> neighbours;
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
      neighbours.insert(cube.moved(node, dimension, 1));
      neighbours.insert(cube.moved(node, dimension, -1));
    }
    std::set<NodeId> parents;
    for (unsigned tree = 0; tree < kTrees; ++tree) parents.insert(packing.parent(tree, node));
    if (parents != neighbours) return "node " + std::to_string(node);
    for (unsigned tree = 0; tree < kTrees; ++tree) {
      if (packing.depth(tree, node) != packing.depth(tree, packing.parent(tree, node)) + 1) {
        return "depth of node " + std::to_string(node);
      }
    }
  }
  return "";
}

TEST(TreePacking, PackingByRule_IsArcDisjointWithTheHeightsOfTheRule) {
  for (int n = 3; n <= 18; ++n) {
    const TreePacking packing = explicit_packing(n);
    EXPECT_EQ(fault(packing, n), "") << n;
    const auto side = static_cast<unsigned>(n);
    if (n % 2 == 1) {
      EXPECT_EQ(packing.height(), 2 * (side - 1)) << n;
    } else {
      EXPECT_EQ(packing.height(), n == 4 || n == 8 ? 2 * side + 2 : 2 * side + 1) << n;
    }
  }
}

TEST(TreePacking, ExampleNode_HasTheParentsOfThePaper) {
  // n = 5, v = 121: x+ 111, x- 221, y+ 131, y- 120, z+ 021, z- 122.
  const TreePacking packing = explicit_packing(5);
  const Cube cube(5);
  const NodeId node = cube.node(1, 2, 1);
  const std::array<NodeId, kTrees> parents{cube.node(1, 1, 1), cube.node(2, 2, 1), cube.node(1, 3, 1),
                                           cube.node(1, 2, 0), cube.node(0, 2, 1), cube.node(1, 2, 2)};
  for (unsigned tree = 0; tree < kTrees; ++tree) EXPECT_EQ(packing.parent(tree, node), parents[tree]) << tree;
}

TEST(TreePacking, SearchedPacking_ReachesTheHeightOfThePaper) {
  for (int n = 4; n <= 12; ++n) {
    for (const std::uint64_t seed : {1U, 2U}) {
      const TreePacking packing = searched_packing(n, height_in_paper(n), seed, 20'000'000);
      EXPECT_LE(packing.height(), height_in_paper(n)) << n;
      EXPECT_EQ(fault(packing, n), "") << n;
    }
  }
}

TEST(TreePacking, Search_IsRepeatableAndStopsAtItsLimit) {
  const TreePacking once = searched_packing(6, height_in_paper(6), 5, 20'000'000);
  const TreePacking again = searched_packing(6, height_in_paper(6), 5, 20'000'000);
  for (unsigned tree = 0; tree < kTrees; ++tree) {
    for (NodeId node = 0; node < 216; ++node) {
      ASSERT_EQ(once.parent(tree, node), again.parent(tree, node));
    }
  }
  const TreePacking unfinished = searched_packing(8, 3, 1, 1000);  // a height that cannot be
  EXPECT_EQ(fault(unfinished, 8), "");
}

TEST(EdgeDisjointTrees, AnyCube_LegalInTheStepsOfThePipeline) {
  for (const int n : {3, 4, 5, 6}) {
    for (const char* const packing : {"explicit", "searched"}) {
      const TreePacking trees = std::string(packing) == "explicit"
                                    ? explicit_packing(n)
                                    : searched_packing(n, height_in_paper(n), 1, 20'000'000);
      for (const int sources : {1, 5, 6, n * n, n * n * n}) {
        for (const int batch : {1, 3, sources}) {
          const auto schedule =
              make_multinode(kTreesName, static_cast<std::uint32_t>(n), NodeSet::drawn(sources, 3),
                             {{"packing", std::string(packing)},
                              {"batch", std::int64_t{batch}},
                              {"root", NodeName{"[1, 0, 2]"}}});
          const std::string what = std::string(packing) + " n " + std::to_string(n) + " s " +
                                   std::to_string(sources) + " batch " + std::to_string(batch);
          const ScheduleFacts facts = schedule->facts();
          const CheckReport report = check_schedule(*schedule);
          EXPECT_TRUE(report.legal) << what << ": " << report.violations.front().text;
          EXPECT_EQ(report.max_channel_load, 1U) << what;
          std::uint64_t longest = 0;
          for (unsigned tree = 0; tree < kTrees && static_cast<int>(tree) < sources; ++tree) {
            const int messages = (sources - static_cast<int>(tree) + 5) / 6;
            longest = std::max<std::uint64_t>(
                longest, static_cast<std::uint64_t>((messages + batch - 1) / batch) + trees.height(tree) - 1);
          }
          const Stage& broadcast = facts.stages.back();
          EXPECT_EQ(broadcast.name, "broadcast");
          EXPECT_EQ(broadcast.last_step - broadcast.first_step + 1, longest) << what;
        }
      }
    }
  }
}

TEST(EdgeDisjointTrees, SourceAtRoot_IsNotGathered) {
  const auto schedule =
      make_multinode(kTreesName, 4, NodeSet::listed({{"[1, 2, 3]"}}), {{"root", NodeName{"[1, 2, 3]"}}});
  ASSERT_EQ(schedule->facts().stages.size(), 1U);
  EXPECT_EQ(schedule->facts().messages, 63U);
  EXPECT_TRUE(check_schedule(*schedule).legal);
}

TEST(EdgeDisjointTrees, SingleSource_GatherTakesItsDepth) {
  const TreePacking trees = explicit_packing(5);
  const Cube cube(5);
  const auto schedule = make_multinode(kTreesName, 5, NodeSet::listed({{"[2, 1, 4]"}}), {});
  EXPECT_EQ(schedule->facts().stages.front().last_step, trees.depth(0, cube.node(2, 1, 4)));
}

TEST(EdgeDisjointTrees, OtherNetwork_IsRefused) {
  const auto refused_key = [](const Topology& topology) -> std::string {
    try {
      (void)make_multinode(kTreesName, topology, NodeSet{}, {});
    } catch (const Inadmissible& error) {
      return error.key();
    }
    return "nothing";
  };
  EXPECT_EQ(refused_key({TopologyKind::torus, {4, 4, 5}}), "topology.shape");
  EXPECT_EQ(refused_key({TopologyKind::torus, {4, 4, 4, 4}}), "topology.shape");
  EXPECT_EQ(refused_key({TopologyKind::torus, {2, 2, 2}}), "topology.shape");
  EXPECT_EQ(refused_key({TopologyKind::mesh, {4, 4, 4}}), "topology.kind");
}

}  // namespace
}  // namespace flitscope::test::edge_disjoint_trees_test
