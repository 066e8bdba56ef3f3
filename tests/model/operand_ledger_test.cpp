// Which operands values are made of: sets and sums agree, and what contradicts itself is refused.
#include "model/possession.h"

#include <gtest/gtest.h>

#include "model/error.h"
#include "model/graph.h"

namespace flitscope::operand_ledger_test {
namespace {

constexpr std::uint64_t kSums = 0;

/// Node v has an operand of chunk 0 if it is below `with`; no node has one of chunk 1.
Collective some(NodeId with) {
  Collective collective{{8, 8}, {}, std::nullopt};
  for (NodeId node = 0; node < with; ++node) collective.operands.push_back({node, {0}});
  return collective;
}

std::size_t faults_of(OperandLedger& ledger, const Step& step) {
  std::size_t faults = 0;
  for (std::size_t index = 0; index < step.messages().size(); ++index) ledger.take(step, index);
  ledger.finish_step(step, [&](const OperandFault&) { ++faults; });
  return faults;
}

TEST(OperandLedger, SetsAndSums_DetectAFinishedValue) {
  const ChunkId chunk = 0;
  for (const std::uint64_t limit : {OperandLedger::kSetLimit, kSums}) {
    // More than one word of operands.
    OperandLedger ledger(some(100), 101, limit);
    EXPECT_EQ(ledger.exact(), limit != kSums);
    EXPECT_TRUE(ledger.combines(0));
    EXPECT_FALSE(ledger.combines(1));
    Step step;
    for (NodeId node = 0; node < 99; ++node) step.reduce(node, 100, {}, std::span(&chunk, 1));
    EXPECT_EQ(faults_of(ledger, step), 0U);
    EXPECT_FALSE(ledger.finished(100, 0));
    EXPECT_EQ(ledger.missing_operand(100, 0), limit == kSums ? std::nullopt : std::optional(NodeId{99}));
    step.clear();
    step.reduce(99, 100, {}, std::span(&chunk, 1));
    EXPECT_EQ(faults_of(ledger, step), 0U);
    EXPECT_TRUE(ledger.finished(100, 0));
    EXPECT_EQ(ledger.missing_operand(100, 0), std::nullopt);
    // Once more is once too often.
    EXPECT_EQ(faults_of(ledger, step), 1U);
  }
}

TEST(OperandLedger, MissingNode_HasNoOperand) {
  const Topology rest = Topology(TopologyKind::torus, {4}).without({{}, {1}});
  const Collective everyone{{8}, {}, std::nullopt, {}, true};
  const ChunkId chunk = 0;
  for (const std::uint64_t limit : {OperandLedger::kSetLimit, kSums}) {
    OperandLedger ledger(everyone, rest, limit);
    Step step;
    step.reduce(0, 3, {}, std::span(&chunk, 1));
    EXPECT_EQ(faults_of(ledger, step), 0U);
    EXPECT_EQ(ledger.missing_operand(3, 0), limit == kSums ? std::nullopt : std::optional(NodeId{2}));
    step.clear();
    step.reduce(2, 3, {}, std::span(&chunk, 1));
    EXPECT_EQ(faults_of(ledger, step), 0U);
    EXPECT_TRUE(ledger.finished(3, 0));
    EXPECT_EQ(ledger.unfinished(everyone)->count, 2U) << "at 0 and at 2";
  }
}

TEST(OperandLedger, Step_UsesTheValuesAtItsStart) {
  const ChunkId chunk = 0;
  for (const std::uint64_t limit : {OperandLedger::kSetLimit, kSums}) {
    OperandLedger ledger(some(2), 2, limit);
    Step step;
    step.reduce(0, 1, {}, std::span(&chunk, 1));
    step.reduce(1, 0, {}, std::span(&chunk, 1));
    EXPECT_EQ(faults_of(ledger, step), 0U);
    EXPECT_FALSE(ledger.unfinished(Collective{{8}, {}, std::nullopt, {}, true}));
  }
}

TEST(OperandLedger, ChunksInAnyOrderInTheFirstStep_KeepTheirValues) {
  // Node v has an operand of every chunk but number v.
  constexpr NodeId kNodes = 4;
  Collective collective{std::vector<std::uint64_t>(kNodes, 8), {}, std::nullopt};
  for (NodeId node = 0; node < kNodes; ++node) {
    collective.operands.push_back({node, {}});
    for (ChunkId chunk = 0; chunk < kNodes; ++chunk) {
      if (chunk != node) collective.operands.back().chunks.push_back(chunk);
    }
  }
  for (const std::uint64_t limit : {OperandLedger::kSetLimit, kSums}) {
    OperandLedger ledger(collective, kNodes, limit);
    // To node 0 what others have of chunks 3, 1, 0 and 2; the last message is not taken, its chunk unknown.
    Step step;
    const std::vector<std::vector<ChunkId>> chunks{{3, 0, 2}, {3, 1, 0}, {1, 0, 2}, {7}};
    for (NodeId node = 1; node < kNodes; ++node) step.reduce(node, 0, {}, chunks[node - 1]);
    step.reduce(1, 2, {}, chunks.back());
    for (std::size_t index = 0; index + 1 < kNodes; ++index) ledger.take(step, index);
    ledger.finish_step(step, [&](const OperandFault& fault) { FAIL() << fault.chunk; });
    for (ChunkId chunk = 0; chunk < kNodes; ++chunk) {
      EXPECT_TRUE(ledger.finished(0, chunk)) << chunk;
      for (NodeId node = 1; node < kNodes; ++node) EXPECT_FALSE(ledger.finished(node, chunk));
    }
  }
}

TEST(OperandLedger, FinishedReplacement_IsCountedRedundant) {
  const ChunkId chunk = 0;
  OperandLedger ledger(some(1), 2);
  Step step;
  step.add(0, 1, {}, std::span(&chunk, 1));
  EXPECT_EQ(faults_of(ledger, step), 0U);
  EXPECT_EQ(ledger.redundant(), 0U);
  EXPECT_EQ(faults_of(ledger, step), 0U);
  EXPECT_EQ(ledger.redundant(), 1U);
}

TEST(OperandLedger, ContradictoryOrTooLargeCollective_IsRefused) {
  Collective twice = some(2);
  twice.operands.push_back({0, {0}});
  EXPECT_THROW(OperandLedger(twice, 2), ScheduleError);
  EXPECT_THROW(OperandLedger(some(2), 1), ScheduleError);
  const Collective large{std::vector<std::uint64_t>(std::size_t{1} << 20), {}, std::nullopt, {}, true};
  EXPECT_THROW(OperandLedger(large, 1U << 16), Inadmissible);
}

}  // namespace
}  // namespace flitscope::operand_ledger_test
