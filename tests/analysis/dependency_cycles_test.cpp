// DependencyCycles and orders of directed graphs.
#include "sim/analysis/dependency_cycles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/random_numbers.h"

namespace flitscope::circles_test {
namespace {

using Vertices = std::vector<std::uint64_t>;

TEST(DependencyCycles, OfNothingThereAreNone) {
  const DependencyCycles circles({});
  EXPECT_FALSE(circles.any());
  EXPECT_TRUE(circles.shortest().empty());
  EXPECT_TRUE(circles.order().empty());
}

TEST(DependencyCycles, TheShortestIsFoundBehindALongerOne) {
  const DependencyCycles circles({{1, 2}, {2, 3}, {3, 4}, {4, 1}, {3, 70}, {70, 90}, {90, 70}, {90, 5}});
  EXPECT_TRUE(circles.any());
  EXPECT_EQ(circles.shortest(), (Vertices{70, 90}));
}

TEST(DependencyCycles, AVertexCanBeACircle) {
  const DependencyCycles circles({{1, 2}, {2, 2}});
  EXPECT_TRUE(circles.any());
  EXPECT_EQ(circles.shortest(), (Vertices{2}));
}

TEST(DependencyCycles, WithoutOneEveryArcLeadsOn) {
  const DependencyCycles circles({{5, 1}, {5, 9}, {1, 9}, {7, 5}, {9, 2}});
  EXPECT_FALSE(circles.any());
  EXPECT_EQ(circles.order(), (Vertices{7, 5, 1, 9, 2}));
}

/// Vertices on the shortest circle, by trying all walks; 0 if there is no circle.
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

TEST(DependencyCycles, AgreeWithWalksOnRandomGraphs) {
  RandomNumbers random(5);
  unsigned with = 0;
  for (int round = 0; round < 400; ++round) {
    const std::uint64_t vertices = 2 + random.below(8);
    std::set<Arc> arcs;
    for (unsigned i = random.below(14); i > 0; --i) {
      arcs.emplace(random.below(static_cast<std::uint32_t>(vertices)),
                   random.below(static_cast<std::uint32_t>(vertices)));
    }
    const DependencyCycles circles({arcs.begin(), arcs.end()});
    const Vertices circle = circles.shortest();
    ASSERT_EQ(circle.size(), shortest_by_walks(arcs, vertices));
    ASSERT_EQ(circles.any(), !circle.empty());
    for (std::size_t i = 0; i < circle.size(); ++i) {
      ASSERT_TRUE(arcs.contains({circle[i], circle[(i + 1) % circle.size()]}));
    }
    if (circles.any()) {
      ++with;
      continue;
    }
    std::map<std::uint64_t, std::size_t> place;
    for (const std::uint64_t vertex : circles.order()) place.emplace(vertex, place.size());
    for (const auto& [from, to] : arcs) ASSERT_LT(place.at(from), place.at(to));
  }
  EXPECT_GT(with, 100U);
  EXPECT_LT(with, 300U);
}

}  // namespace
}  // namespace flitscope::circles_test
