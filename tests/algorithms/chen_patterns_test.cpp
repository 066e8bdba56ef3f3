// The patterns and the partition that Chen's broadcast is built of: trees and gossips on rings, digits, and
// the data-distribution and data-collecting networks.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "algorithms/chen/multinode.h"

namespace flitscope::chen::chen_patterns_test {
namespace {

/// "-1>0:1": position -1 sends to 0 on track 1.
std::vector<std::string> described(const RingLevel& level) {
  std::vector<std::string> lines;
  for (const Arrow& arrow : level) {
    lines.push_back(std::to_string(arrow.from) + ">" + std::to_string(arrow.to) + ":" +
                    std::to_string(arrow.track));
  }
  std::ranges::sort(lines);
  return lines;
}

using Lines = std::vector<std::string>;

TEST(RingTree, Examples_AreThoseOfThePaper) {
  const Lines seven{"-1>0:1", "-2>0:2", "-3>0:3", "1>0:1", "2>0:2", "3>0:3"};
  const auto of_7 = ring_tree(7, 7);
  ASSERT_EQ(of_7.size(), 1U);
  EXPECT_EQ(described(of_7[0]), seven);

  const auto of_8 = ring_tree(8, 7);
  ASSERT_EQ(of_8.size(), 2U);
  EXPECT_EQ(described(of_8[0]), seven);
  EXPECT_EQ(described(of_8[1]), Lines{"4>0:1"});

  const auto of_14 = ring_tree(14, 7);
  ASSERT_EQ(of_14.size(), 2U);
  Lines first = seven;
  first.push_back("5>4:1");
  EXPECT_EQ(described(of_14[0]), first);
  EXPECT_EQ(described(of_14[1]), (Lines{"-4>0:1", "-5>0:2", "-6>0:3", "4>0:1", "6>0:2", "7>0:3"}));

  const auto in_threes = ring_tree(7, 3);
  ASSERT_EQ(in_threes.size(), 2U);
  EXPECT_EQ(described(in_threes[0]), (Lines{"-1>0:1", "-2>-3:1", "1>0:1", "3>2:1"}));
  EXPECT_EQ(described(in_threes[1]), (Lines{"-3>0:1", "2>0:1"}));

  EXPECT_TRUE(ring_tree(1, 7).empty());
}

int levels_of(int base, int size) {
  int levels = 0;
  for (std::int64_t reach = 1; reach < size; reach *= base) ++levels;
  return levels;
}

TEST(RingTree, AnyRing_CollectsEachMessageOnceWithoutConflict) {
  for (const int base : {3, 5, 7}) {
    for (int size = 1; size <= 400; ++size) {
      const auto tree = ring_tree(size, base);
      ASSERT_EQ(tree.size(), levels_of(base, size)) << size;
      std::map<int, int> held;
      for (int position = -((size - 1) / 2); position <= size / 2; ++position) held[position] = 1;
      for (const RingLevel& level : tree) {
        std::set<std::pair<unsigned, int>> links;  // by track; + and - are apart by the sign of the link
        for (const Arrow& arrow : level) {
          ASSERT_GT(held[arrow.from], 0) << size;
          ASSERT_LE(static_cast<int>(arrow.track), (base - 1) / 2);
          held[arrow.to] += held[arrow.from];
          held[arrow.from] = 0;
          const int step = arrow.to > arrow.from ? 1 : -1;
          for (int at = arrow.from; at != arrow.to; at += step) {
            const int link = 2 * at + (step > 0 ? 0 : 1);
            ASSERT_TRUE(links.insert({arrow.track, link}).second) << "size " << size << " base " << base;
          }
        }
      }
      ASSERT_EQ(held[0], size);
    }
  }
}

TEST(Gossip, Examples_AreThoseOfThePaper) {
  const auto of_7 = gossip(7, 7);
  ASSERT_EQ(of_7.size(), 1U);
  std::vector<int> displacements;
  for (const GossipSend& send : of_7[0]) {
    displacements.push_back(send.displacement);
    EXPECT_EQ(send.origins, std::vector<int>{0});
    EXPECT_EQ(static_cast<int>(send.track), std::abs(send.displacement));
  }
  EXPECT_EQ(displacements, (std::vector<int>{-1, -2, -3, 1, 2, 3}));
  const auto of_8 = gossip(8, 7);
  ASSERT_EQ(of_8.size(), 2U);
  ASSERT_EQ(of_8[1].size(), 1U);
  EXPECT_EQ(of_8[1][0].displacement, -1);
  EXPECT_EQ(of_8[1][0].track, 1U);
  EXPECT_EQ(of_8[1][0].origins, std::vector<int>{3});
}

TEST(Gossip, AnyRing_EachMemberLearnsEachValueOnce) {
  for (const int base : {3, 7}) {
    for (int size = 1; size <= 120; ++size) {
      const auto levels = gossip(size, base);
      ASSERT_EQ(levels.size(), levels_of(base, size));
      std::set<int> known{0};  // what position 0 knows, by origin; all positions are alike
      for (const GossipLevel& level : levels) {
        std::set<int> arrived;
        for (const GossipSend& send : level) {
          for (const int origin : send.origins) {
            ASSERT_TRUE(known.contains(mod(origin, size))) << "size " << size << ": sends what it lacks";
            // the sender to 0 is at -displacement
            const int absolute = mod(origin - send.displacement, size);
            ASSERT_FALSE(known.contains(absolute)) << size;
            ASSERT_TRUE(arrived.insert(absolute).second) << size;
          }
        }
        known.merge(arrived);
      }
      ASSERT_EQ(static_cast<int>(known.size()), size);
    }
  }
}

TEST(BalancedDigits, AnyNumber_DigitsAreWithinHalfTheBaseAndAddUp) {
  for (const int base : {3, 7}) {
    for (int h = 1; h <= 60; ++h) {
      const auto count = static_cast<unsigned>(levels_of(base, h));
      for (int number = -((h - 1) / 2); number <= h / 2; ++number) {
        int sum = 0;
        for (const int digit : balanced_digits(number, base, count)) {
          EXPECT_LE(std::abs(digit), (base - 1) / 2);
          sum = base * sum + digit;
        }
        EXPECT_EQ(sum, number) << base << " " << h;
      }
    }
  }
}

TEST(Partition, AnyDivisor_HasTheFiveProperties) {
  for (int n = 3; n <= 12; ++n) {
    for (int h = 1; h <= n; ++h) {
      if (n % h != 0) continue;
      const auto properties = check_properties(Partition(n, h));
      ASSERT_EQ(properties.size(), 5U);
      for (const PartitionProperty& property : properties) {
        EXPECT_TRUE(property.holds())
            << n << " " << h << " property " << property.number << ": " << property.counterexample;
      }
    }
  }
}

TEST(Partition, Line_BelongsToTheDdnOfItsNodes) {
  const Partition partition(12, 4);
  const Cube& cube = partition.cube();
  std::vector<int> lines(static_cast<std::size_t>(partition.ddn_count()));
  for (NodeId node = 0; node < cube.nodes(); ++node) {
    for (unsigned dimension = 0; dimension < 3; ++dimension) {
      const int ddn = partition.ddn_of_line(node, dimension);
      ++lines[static_cast<std::size_t>(ddn)];
      EXPECT_EQ(partition.ddn_of(node).value_or(ddn), ddn);
      for (int hops = 1; hops < 12; ++hops) {
        EXPECT_EQ(partition.ddn_of_line(cube.moved(node, dimension, hops), dimension), ddn);
      }
    }
  }
  for (const int count : lines) EXPECT_EQ(count, 3 * 12 * 12 * 12 / 16);  // an equal share of all channels
}

TEST(Partition, Nodes_AreThoseOfTheDefinition) {
  // n = 4, h = 2, Section 2.2: DDN_{0,1} is number 1, with x = 1, y = 1, z = 0 mod 2.
  const Partition partition(4, 2);
  const Cube& cube = partition.cube();
  EXPECT_EQ(partition.ddn_of(cube.node(1, 1, 0)), 1);
  EXPECT_EQ(partition.ddn_of(cube.node(3, 1, 2)), 1);
  EXPECT_EQ(partition.ddn_of(cube.node(0, 1, 1)), 3);
  EXPECT_EQ(partition.ddn_of(cube.node(1, 0, 0)), std::nullopt);
  EXPECT_EQ(partition.dcn_of(cube.node(3, 1, 2)), 1 + 4);
  EXPECT_EQ(partition.dcn_of_channel(cube.node(1, 0, 0), kX, 1), std::nullopt);
  EXPECT_EQ(partition.dcn_of_channel(cube.node(0, 0, 0), kX, -1), std::nullopt);
  EXPECT_EQ(partition.dcn_of_channel(cube.node(1, 0, 0), kX, -1), 0);
}

}  // namespace
}  // namespace flitscope::chen::chen_patterns_test
