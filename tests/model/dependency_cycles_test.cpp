// Cycles and orders of directed graphs.
#include "model/dependency_cycles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/random_cases.h"

namespace flitscope::dependency_cycles_test {
namespace {

using Vertices = std::vector<std::uint64_t>;

TEST(DependencyCycles, EmptyGraph_HasNone) {
  const DependencyCycles dependency_cycles({});
  EXPECT_FALSE(dependency_cycles.any());
  EXPECT_TRUE(dependency_cycles.shortest().empty());
  EXPECT_TRUE(dependency_cycles.order().empty());
}

TEST(DependencyCycles, ShortestBehindALongerOne_IsFound) {
  const DependencyCycles dependency_cycles(
      {{1, 2}, {2, 3}, {3, 4}, {4, 1}, {3, 70}, {70, 90}, {90, 70}, {90, 5}});
  EXPECT_TRUE(dependency_cycles.any());
  EXPECT_EQ(dependency_cycles.shortest(), (Vertices{70, 90}));
}

TEST(DependencyCycles, ArcToItsOwnVertex_IsACycle) {
  const DependencyCycles dependency_cycles({{1, 2}, {2, 2}});
  EXPECT_TRUE(dependency_cycles.any());
  EXPECT_EQ(dependency_cycles.shortest(), (Vertices{2}));
}

TEST(DependencyCycles, GraphWithoutCycles_HasAnOrder) {
  const DependencyCycles dependency_cycles({{5, 1}, {5, 9}, {1, 9}, {7, 5}, {9, 2}});
  EXPECT_FALSE(dependency_cycles.any());
  EXPECT_EQ(dependency_cycles.order(), (Vertices{7, 5, 1, 9, 2}));
}

/// Vertices on the shortest dependency cycle, by trying all walks; 0 if there is no dependency cycle.
std::size_t shortest_by_walks(const std::set<Arc>& arcs, std::uint64_t vertices) {
  for (std::size_t length = 1; length <= vertices; ++length) {
    for (std::uint64_t start = 0; start < vertices; ++start) {
      std::set<std::uint64_t> at{start};
      for (std::size_t step = 0; step < length; ++step) {
        std::set<std::uint64_t> next;
        for (const auto& [from, to] : arcs) {
          if (at.contains(from)) next.insert(to);
        }
        at = std::move(next);
      }
      if (at.contains(start)) return length;
    }
  }
  return 0;
}

TEST(DependencyCycles, RandomGraphs_AgreeWithWalks) {
  RandomNumbers random(5);
  unsigned with = 0;
  for (int round = 0; round < 400; ++round) {
    const std::uint64_t vertices = 2 + random.below(8);
    std::set<Arc> arcs;
    for (unsigned i = random.below(14); i > 0; --i) {
      arcs.emplace(random.below(static_cast<std::uint32_t>(vertices)),
                   random.below(static_cast<std::uint32_t>(vertices)));
    }
    const DependencyCycles dependency_cycles({arcs.begin(), arcs.end()});
    const Vertices dependency_cycle = dependency_cycles.shortest();
    ASSERT_EQ(dependency_cycle.size(), shortest_by_walks(arcs, vertices));
    ASSERT_EQ(dependency_cycles.any(), !dependency_cycle.empty());
    for (std::size_t i = 0; i < dependency_cycle.size(); ++i) {
      ASSERT_TRUE(arcs.contains({dependency_cycle[i], dependency_cycle[(i + 1) % dependency_cycle.size()]}));
    }
    if (dependency_cycles.any()) {
      ++with;
      continue;
    }
    std::map<std::uint64_t, std::size_t> place;
    for (const std::uint64_t vertex : dependency_cycles.order()) place.emplace(vertex, place.size());
    for (const auto& [from, to] : arcs) ASSERT_LT(place.at(from), place.at(to));
  }
  EXPECT_GT(with, 100U);
  EXPECT_LT(with, 300U);
}

}  // namespace
}  // namespace flitscope::dependency_cycles_test
