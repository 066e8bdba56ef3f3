// Messages that bring combined chunks to nodes and have not come yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/operand_ledger.h"
#include "model/types.h"

namespace flitscope {

/// For each combined chunk at each node: the steps of which messages are to bring it there, rising, and how
/// many of each. There are as many of these as of a schedule's values, so they are kept small: 4 bytes for a
/// chunk and node, and 16 for a step.
class AwaitedOperands {
 public:
  /// None is awaited. `chunks`: how many there are, combined or not.
  AwaitedOperands(const OperandLedger& operands, NodeId nodes, std::size_t chunks) : places_(chunks, kNone) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      if (operands.combines(static_cast<ChunkId>(chunk))) places_[chunk] = combined_++;
    }
    last_.resize(std::size_t{nodes} * combined_, kNone);
  }

  /// A message of a step is to bring the chunk, which is combined; steps rise.
  void await(NodeId node, ChunkId chunk, std::uint64_t step) {
    std::uint32_t& last = last_[value(node, chunk)];
    if (last == kNone || steps_[last].step != step) {
      const std::uint32_t added = new_place();
      steps_[added] = {step, 0, last == kNone ? added : steps_[last].next};
      if (last != kNone) steps_[last].next = added;
      last = added;
    }
    ++steps_[last].messages;
  }

  /// Such a message has come.
  void accept(NodeId node, ChunkId chunk, std::uint64_t step) {
    std::uint32_t& last = last_[value(node, chunk)];
    std::uint32_t place = last;
    while (steps_[place].step != step) place = steps_[place].next;
    --steps_[place].messages;
    while (last != kNone && steps_[steps_[last].next].messages == 0) {
      const std::uint32_t first = steps_[last].next;
      free_.push_back(first);
      if (first == last) {
        last = kNone;
      } else {
        steps_[last].next = steps_[first].next;
      }
    }
  }

  /// A message of a step before this one is still to bring it.
  [[nodiscard]] bool is_awaited_before(NodeId node, ChunkId chunk, std::uint64_t step) const {
    const std::uint32_t last = last_[value(node, chunk)];
    return last != kNone && steps_[steps_[last].next].step < step;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct AwaitedStep {
    std::uint64_t step = 0;
    std::uint32_t messages = 0;
    /// The one behind it; of the last one the first.
    std::uint32_t next = kNone;
  };

  [[nodiscard]] std::size_t value(NodeId node, ChunkId chunk) const {
    return std::size_t{node} * combined_ + places_[chunk];
  }
  [[nodiscard]] std::uint32_t new_place() {
    if (free_.empty()) {
      steps_.emplace_back();
      return static_cast<std::uint32_t>(steps_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    return place;
  }

  std::uint32_t combined_ = 0;
  /// By chunk: its place among those that are combined.
  std::vector<std::uint32_t> places_;
  /// By node and combined chunk: its last step, in a dependency cycle of them.
  std::vector<std::uint32_t> last_;
  std::vector<AwaitedStep> steps_;
  std::vector<std::uint32_t> free_;
};

}  // namespace flitscope
