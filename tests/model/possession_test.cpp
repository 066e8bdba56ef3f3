// Does possession follow every chunk exactly, and refuse what it cannot hold?
#include "model/possession.h"

#include <gtest/gtest.h>

#include <set>

#include "model/error.h"
#include "model/graph.h"
#include "tests/support/random_cases.h"

namespace flitscope::possession_test {
namespace {

/// Runs `action` and returns the text of the Error it must throw.
template <typename Error, typename Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

TEST(Possession, InitialHoldings_AreHeldAtTheStart) {
  const Possession possession({{8, 8, 8}, {{0, {0, 2}}, {3, {1}}}, std::nullopt}, 4);
  EXPECT_TRUE(possession.holds(0, 0));
  EXPECT_FALSE(possession.holds(0, 1));
  EXPECT_TRUE(possession.holds(0, 2));
  EXPECT_TRUE(possession.holds(3, 1));
  EXPECT_FALSE(possession.holds(3, 2));
  EXPECT_EQ(possession.held(), 3U);
  EXPECT_EQ(possession.redundant(), 0U);
}

TEST(Possession, RepeatedHolding_IsHeldOnce) {
  const Possession possession({{8}, {{1, {0}}, {1, {0}}}, std::nullopt}, 2);
  EXPECT_EQ(possession.held(), 1U);
  EXPECT_EQ(possession.redundant(), 0U);
}

TEST(Possession, RepeatedDelivery_IsCountedRedundant) {
  Possession possession(Collective::broadcast(0, 64), 3);
  EXPECT_TRUE(possession.add(1, 0));
  EXPECT_FALSE(possession.add(1, 0));
  EXPECT_FALSE(possession.add(0, 0));
  EXPECT_EQ(possession.held(), 2U);
  EXPECT_EQ(possession.redundant(), 2U);
}

TEST(Possession, FullGoal_MissesTheLowestChunkFirst) {
  const Collective collective{{8, 8, 8}, {{0, {0, 1, 2}}, {1, {0}}}, std::nullopt};
  Possession possession(collective, 3);
  EXPECT_EQ(possession.first_missing(collective), (MissingChunk{1, 1}));
  EXPECT_EQ(possession.missing(collective), 5U);
  for (const ChunkId chunk : {1U, 2U}) possession.add(1, chunk);
  EXPECT_EQ(possession.first_missing(collective), (MissingChunk{2, 0}));
  for (const ChunkId chunk : {0U, 1U, 2U}) possession.add(2, chunk);
  EXPECT_FALSE(possession.first_missing(collective).has_value());
  EXPECT_EQ(possession.missing(collective), 0U);
}

TEST(Possession, ListedGoal_NeedsOnlyItsChunks) {
  const Collective collective{{8, 8}, {{0, {0, 1}}}, std::vector<Holding>{{2, {1}}, {1, {0}}}};
  Possession possession(collective, 3);
  EXPECT_EQ(possession.first_missing(collective), (MissingChunk{2, 1}));
  EXPECT_EQ(possession.missing(collective), 2U);
  possession.add(2, 1);
  EXPECT_EQ(possession.first_missing(collective), (MissingChunk{1, 0}));
  possession.add(1, 0);
  EXPECT_FALSE(possession.first_missing(collective).has_value());
}

TEST(Possession, MissingNode_NeedsNothing) {
  const Topology rest = Topology(TopologyKind::mesh, {3, 2}).without({{}, {0, 2}});
  const Collective collective{{8, 8}, {{1, {0, 1}}}, std::nullopt};
  Possession possession(collective, rest);
  EXPECT_EQ(possession.first_missing(collective), (MissingChunk{3, 0}));
  EXPECT_EQ(possession.missing(collective), 6U);
  for (const NodeId node : {3U, 4U, 5U}) {
    for (const ChunkId chunk : {0U, 1U}) possession.add(node, chunk);
  }
  EXPECT_FALSE(possession.first_missing(collective).has_value());
  EXPECT_EQ(possession.missing(collective), 0U);
  const Possession with_operands(Collective{{8, 8}, {}, std::nullopt, {}, true}, rest);
  EXPECT_EQ(with_operands.held(), 8U);
  EXPECT_FALSE(with_operands.holds(2, 0));
}

TEST(Possession, NoChunks_MeetTheGoal) {
  const Collective collective;
  EXPECT_FALSE(Possession(collective, 5).first_missing(collective).has_value());
}

TEST(Possession, OneMissingChunk_IsFoundAnywhere) {
  for (const std::uint64_t chunks : {1U, 7U, 64U, 65U}) {
    const Collective collective{std::vector<std::uint64_t>(chunks, 8), {}, std::nullopt};
    constexpr NodeId nodes = 13;
    for (NodeId lacking = 0; lacking < nodes; ++lacking) {
      const ChunkId hidden = static_cast<ChunkId>((lacking * 5) % chunks);
      Possession possession(collective, nodes);
      for (NodeId node = 0; node < nodes; ++node) {
        for (ChunkId chunk = 0; chunk < chunks; ++chunk) {
          if (node != lacking || chunk != hidden) possession.add(node, chunk);
        }
      }
      ASSERT_EQ(possession.first_missing(collective), (MissingChunk{lacking, hidden}));
    }
  }
}

TEST(Possession, RandomDeliveries_AgreeWithASet) {
  RandomNumbers random(7);
  for (int round = 0; round < 20; ++round) {
    const NodeId nodes = 2 + random.below(40);
    const ChunkId chunks = 1 + random.below(150);
    const Collective collective{std::vector<std::uint64_t>(chunks, 8), {}, std::nullopt};
    Possession possession(collective, nodes);
    std::set<std::pair<NodeId, ChunkId>> reference;
    for (int delivery = 0; delivery < 2000; ++delivery) {
      const NodeId node = random.below(nodes);
      const ChunkId chunk = random.below(chunks);
      ASSERT_EQ(possession.holds(node, chunk), reference.contains({node, chunk}));
      ASSERT_EQ(possession.add(node, chunk), reference.insert({node, chunk}).second);
    }
    EXPECT_EQ(possession.held(), reference.size());
    EXPECT_EQ(possession.redundant(), 2000 - reference.size());
    EXPECT_EQ(!possession.first_missing(collective), reference.size() == std::size_t{nodes} * chunks);
  }
}

TEST(Possession, LargeCases_FitIntoMemory) {
  const Collective broadcast = Collective::broadcast(0, 64);
  Possession wide(broadcast, 262'144, 32 * 1024);
  for (NodeId node = 1; node < wide.nodes(); ++node) wide.add(node, 0);
  EXPECT_FALSE(wide.first_missing(broadcast).has_value());
  const Collective exchange{std::vector<std::uint64_t>(4096, 8), {}, std::nullopt};
  EXPECT_EQ(Possession(exchange, 4096, 2 << 20).missing(exchange), 4096U * 4096U);
}

TEST(Possession, MemoryBeyondTheLimit_IsRefusedWithItsSize) {
  const Collective collective{std::vector<std::uint64_t>(1 << 20, 8), {}, std::nullopt};
  const std::string text = refusal<Inadmissible>([&] { Possession(collective, 1 << 20); });
  EXPECT_NE(text.find("1048576 chunks at 1048576 nodes takes 128.00 GiB"), text.npos) << text;
  EXPECT_NE(text.find("limit of 8.00 GiB"), text.npos) << text;
  try {
    const Possession possession(Collective::broadcast(0, 1), 65, 8);
    FAIL() << "65 bits do not fit into 8 bytes";
  } catch (const Inadmissible& error) {
    EXPECT_EQ(error.key(), "workload");
  }
  EXPECT_NO_THROW(Possession(Collective::broadcast(0, 1), 64, 8));
}

TEST(Possession, UnknownNodesAndChunks_AreRefused) {
  EXPECT_EQ(refusal<ScheduleError>([] { Possession(Collective::broadcast(9, 1), 9); }),
            "the collective's start names node 9, which does not exist; nodes are numbered 0 to 8");
  const Collective goal{{8, 8}, {}, std::vector<Holding>{{1, {0, 2}}}};
  EXPECT_EQ(
      refusal<ScheduleError>([&] { Possession(goal, 2); }),
      "the collective's goal names chunk 2 at node 1, which does not exist; there are 2 chunks, numbered "
      "from 0");
}

}  // namespace
}  // namespace flitscope::possession_test
