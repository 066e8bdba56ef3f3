// Awaited operands, beside a map that says the same, on random orders of arrival.
#include "sim/driver/dataflow_driver.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <tuple>

#include "model/random.h"

namespace flitscope::awaited_operands_test {
namespace {

TEST(AwaitedOperands, AreWhatWasAwaitedAndHasNotCome) {
  constexpr NodeId kNodes = 3;
  constexpr std::size_t kChunks = 4;
  // Chunk 1 is not combined.
  Collective collective{.chunk_bytes = {8, 8, 8, 8}, .initial = {{0, {1}}}, .goal = std::nullopt};
  for (NodeId node = 0; node < kNodes; ++node) collective.operands.push_back({node, {0, 2, 3}});
  AwaitedOperands awaited(OperandLedger(collective, kNodes), kNodes, kChunks);
  /// Messages by node, chunk and step.
  std::map<std::tuple<NodeId, ChunkId, std::uint64_t>, unsigned> expected;
  const auto first_step = [&](NodeId node, ChunkId chunk) {
    const auto found = expected.lower_bound({node, chunk, 0});
    return found == expected.end() || std::get<0>(found->first) != node || std::get<1>(found->first) != chunk
               ? ~std::uint64_t{0}
               : std::get<2>(found->first);
  };
  std::mt19937_64 random(22);
  std::uint64_t step = 1;
  for (unsigned turn = 0; turn < 5000; ++turn) {
    if (random_below(random, 8) == 0) ++step;
    if (expected.empty() || random_below(random, 20) >= turn / 250) {
      const auto node = static_cast<NodeId>(random_below(random, kNodes));
      const ChunkId chunk = std::array<ChunkId, 3>{0, 2, 3}[random_below(random, 3)];
      awaited.await(node, chunk, step);
      ++expected[{node, chunk, step}];
    } else {
      const auto come =
          std::next(expected.begin(), static_cast<std::ptrdiff_t>(random_below(random, expected.size())));
      const auto [node, chunk, of_step] = come->first;
      awaited.accept(node, chunk, of_step);
      if (--come->second == 0) expected.erase(come);
    }
    for (NodeId node = 0; node < kNodes; ++node) {
      for (const ChunkId chunk : {0U, 2U, 3U}) {
        const std::uint64_t first = first_step(node, chunk);
        ASSERT_FALSE(awaited.is_awaited_before(node, chunk, std::min(first, step + 1))) << turn;
        ASSERT_EQ(awaited.is_awaited_before(node, chunk, step + 1), first <= step) << turn;
        ASSERT_TRUE(first > step || awaited.is_awaited_before(node, chunk, first + 1)) << turn;
      }
    }
  }
}

}  // namespace
}  // namespace flitscope::awaited_operands_test
