// Routing tables: what each rule sends, what is kept for it, and what a table unrolls to.
#include <gtest/gtest.h>

#include "model/link_programs.h"
#include "tests/support/gossip.h"

namespace flitscope::test::link_programs_test {
namespace {

constexpr unsigned kPlus = 0;
constexpr unsigned kMinus = 1;

/// A ring of four nodes; node n starts with chunk n, and everyone wants everything.
LinkPrograms ring_of_four() {
  ScheduleFacts facts(torus({4}));
  facts.algorithm = "hand-written";
  facts.send_ports = 2;
  facts.receive_ports = 2;
  for (NodeId node = 0; node < 4; ++node) {
    facts.collective.chunk_bytes.push_back(8);
    facts.collective.initial.push_back({node, {node}});
  }
  return LinkPrograms(std::move(facts));
}

LinkRule own(ChunkId chunk) {
  return {.kind = LinkRule::Kind::own, .packets = {chunk}};
}
LinkRule relay(unsigned port, std::uint64_t count = LinkRule::kAll, std::uint64_t skip = 0) {
  return {.kind = LinkRule::Kind::relay, .port = port, .skip = skip, .count = count};
}
LinkRule list(std::vector<ChunkId> chunks) {
  return {.kind = LinkRule::Kind::list, .packets = std::move(chunks)};
}

/// The packets of a link of node 0 after arrivals of chunks 10, 11, 12 from -0 and 20, 21 from +0.
std::vector<ChunkId> sent(const std::vector<LinkRule>& rules) {
  LinkPrograms table = ring_of_four();
  table.links[kPlus].rules = rules;
  const Possession possession(table.facts.collective, 4);
  TablePlayer player(table);
  for (const ChunkId chunk : {10U, 11U, 12U}) player.arrive(0, kMinus, chunk);
  for (const ChunkId chunk : {20U, 21U}) player.arrive(0, kPlus, chunk);
  std::vector<ChunkId> chunks;
  while (const auto chunk = player.next(kPlus, possession)) {
    chunks.push_back(*chunk);
    player.advance(kPlus);
  }
  return chunks;
}

using Chunks = std::vector<ChunkId>;

TEST(LinkRules, OwnPackets_PrecedeRelayedOnesInOrderOfArrival) {
  EXPECT_EQ(sent({own(0), relay(kMinus)}), (Chunks{0, 10, 11, 12}));
  EXPECT_EQ(sent({relay(kPlus)}), (Chunks{20, 21}));
}

TEST(LinkRules, CountedRelay_IsFollowedByTheNextRule) {
  EXPECT_EQ(sent({own(0), relay(kMinus, 2), relay(kPlus)}), (Chunks{0, 10, 11, 20, 21}));
  EXPECT_EQ(sent({relay(kMinus, 0), relay(kPlus, 1), relay(kMinus)}), (Chunks{20, 10, 11, 12}));
}

TEST(LinkRules, Relay_SkipsFirstArrivals) {
  EXPECT_EQ(sent({relay(kMinus, 1, 1), relay(kPlus, LinkRule::kAll, 1)}), (Chunks{11, 21}));
  EXPECT_EQ(sent({relay(kPlus, LinkRule::kAll, 2)}), Chunks{});
}

TEST(LinkRules, List_WaitsForMissingPackets) {
  EXPECT_EQ(sent({list({0})}), Chunks{0});
  EXPECT_EQ(sent({list({3, 0})}), Chunks{});
}

TEST(TablePlayer, KeptPackets_AreThoseThatARuleMayRelay) {
  LinkPrograms table = ring_of_four();
  table.links[kPlus].rules = {own(0), relay(kMinus)};
  const Possession possession(table.facts.collective, 4);
  TablePlayer player(table);
  player.arrive(0, kPlus, 7);  // no rule relays it
  EXPECT_EQ(player.kept(0), 0U);
  player.arrive(0, kMinus, 8);
  player.arrive(0, kMinus, 9);
  EXPECT_EQ(player.kept(0), 2U);
  player.advance(kPlus);  // own
  EXPECT_EQ(player.kept(0), 2U);
  player.advance(kPlus);
  EXPECT_EQ(player.kept(0), 1U);
  EXPECT_EQ(player.next(kPlus, possession), ChunkId{9});
}

TEST(TablePlayer, LongRun_RemovesPacketsInOrder) {
  LinkPrograms table = ring_of_four();
  table.links[kPlus].rules = {relay(kMinus)};
  const Possession possession(table.facts.collective, 4);
  TablePlayer player(table);
  ChunkId come = 0;
  ChunkId gone = 0;
  for (int round = 0; round < 1000; ++round) {
    for (int i = 0; i < 1 + round % 7; ++i) player.arrive(0, kMinus, come++);
    while (come - gone > static_cast<ChunkId>(round % 11)) {
      ASSERT_EQ(player.next(kPlus, possession), gone);
      player.advance(kPlus);
      ++gone;
    }
    ASSERT_EQ(player.kept(0), come - gone);
  }
}

TEST(CompleteTable, Table_GetsStepsMessagesAndPackets) {
  LinkPrograms table = ring_of_four();
  for (NodeId node = 0; node < 4; ++node) {
    table.links[2 * node + kPlus].rules = {own(node), relay(kMinus)};
    table.links[2 * node + kMinus].rules = {own(node), relay(kPlus)};
  }
  complete_table(table, 10);
  EXPECT_EQ(table.facts.steps, 2U);
  EXPECT_EQ(table.facts.messages, 16U);
  for (const LinkProgram& link : table.links) EXPECT_EQ(link.packets, 2U);
  const auto schedule = unroll(std::move(table));
  const CheckReport report = check_schedule(*schedule);
  EXPECT_TRUE(report.legal);
  EXPECT_EQ(report.redundant_deliveries, 4U);  // both directions bring the packet from across
}

TEST(CompleteTable, IncompleteTable_IsRefusedWithTheMissingChunk) {
  LinkPrograms table = ring_of_four();
  table.links[kPlus].rules = {own(0)};
  try {
    complete_table(table, 10);
    FAIL();
  } catch (const std::logic_error& error) {
    EXPECT_STREQ(
        error.what(),
        "the table of hand-written on the ring of 4 nodes does not reach its goal in 10 steps: [0] lacks "
        "chunk 1");
  }
}

TEST(CompleteTable, SecondCall_ChangesNothing) {
  LinkPrograms table = gossip_table("meyer-sibeyn-two-packet", {4, 5});
  const std::uint64_t steps = table.facts.steps;
  const std::uint64_t messages = table.facts.messages;
  complete_table(table, 100);
  EXPECT_EQ(table.facts.steps, steps);
  EXPECT_EQ(table.facts.messages, messages);
}

}  // namespace
}  // namespace flitscope::test::link_programs_test
