// The chunks of every node while a schedule runs, and the operands in the values of combined chunks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/schedule.h"
#include "model/types.h"

namespace flitscope {

/// A chunk that a node should hold and does not.
struct MissingChunk {
  NodeId node = 0;
  ChunkId chunk = 0;
  bool operator==(const MissingChunk&) const = default;
};

/// The chunks of every node: one bit for each pair of node and chunk. Queries and additions are O(1). Of a
/// combined chunk a node holds the part that has arrived (see OperandLedger), its own operand at the start.
class Possession {
 public:
  static constexpr std::uint64_t kMemoryLimit = std::uint64_t{8} << 30;

  /// Starts with the initial holdings of `collective`.
  /// Throws Inadmissible("workload") if it would take more than `limit_bytes` of memory, and ScheduleError if
  /// the collective names a node or a chunk that does not exist.
  Possession(const Collective& collective, const Participants& participants,
             std::uint64_t limit_bytes = kMemoryLimit);

  [[nodiscard]] NodeId nodes() const { return participants_.nodes(); }
  [[nodiscard]] std::uint64_t chunks() const { return chunks_; }

  /// Requires a node below nodes() and a chunk below chunks(); so does add.
  [[nodiscard]] bool holds(NodeId node, ChunkId chunk) const {
    const std::uint64_t bit = node * chunks_ + chunk;
    return (bits_[bit / 64] >> (bit % 64) & 1) != 0;
  }

  /// The node receives the chunk. Returns false, and counts a redundant delivery, if it held it already.
  bool add(NodeId node, ChunkId chunk) {
    if (insert(node, chunk)) return true;
    ++redundant_;
    return false;
  }

  /// As add() for a chunk whose value may change: a repeated delivery is not redundant.
  void put(NodeId node, ChunkId chunk) { (void)insert(node, chunk); }

  /// Pairs of a node and a chunk that it holds.
  [[nodiscard]] std::uint64_t held() const { return held_; }
  /// Deliveries of a chunk to a node that held it already.
  [[nodiscard]] std::uint64_t redundant() const { return redundant_; }

  /// A missing chunk; nothing if the goal of `collective` is met, which has the chunks of the constructor's;
  /// so for missing(). Without a listed goal it is the lowest node's lowest chunk, otherwise the first in the
  /// order of the goal.
  [[nodiscard]] std::optional<MissingChunk> first_missing(const Collective& collective) const;

  /// Number of pairs of node and chunk that the goal still needs.
  [[nodiscard]] std::uint64_t missing(const Collective& collective) const;

 private:
  bool insert(NodeId node, ChunkId chunk) {
    const std::uint64_t bit = node * chunks_ + chunk;
    const std::uint64_t mask = std::uint64_t{1} << (bit % 64);
    if ((bits_[bit / 64] & mask) != 0) return false;
    bits_[bit / 64] |= mask;
    ++held_;
    return true;
  }

  Participants participants_;
  std::uint64_t chunks_;
  /// Bit node * chunks + chunk; unused bits of the last word are 0.
  std::vector<std::uint64_t> bits_;
  std::uint64_t held_ = 0;
  std::uint64_t redundant_ = 0;
};

// The operands in the values of combined chunks while a schedule runs.

/// A fault of a value that arrives.
struct OperandFault {
  enum class Kind : std::uint8_t {
    counted_twice,  ///< the receiver's value has an operand already that the one combined with it has, too
    unfinished,     ///< a value without all its operands replaces what the receiver has
  };
  Kind kind = Kind::counted_twice;
  /// Position of the message in its step, from 0.
  std::size_t message = 0;
  ChunkId chunk = 0;
  /// The node whose operand is counted twice or missing. Nothing if sums are kept, which do not show it.
  std::optional<NodeId> operand;
};

/// The values of all combined chunks at all nodes, as sets of operands: a bit each, in as many words for
/// every chunk. Where these would take too much memory a value is one word, the sum, modulo 2^64, of random
/// keys, one for each operand: a finished value has the sum of all of them, and any other has it with a
/// probability of 2^-64.
///
/// A step is played at once: what its messages carry are the values at its start, and they arrive at its end
/// in the order of the schedule.
class OperandLedger {
 public:
  /// Memory up to which sets are kept.
  static constexpr std::uint64_t kSetLimit = std::uint64_t{64} << 20;
  static constexpr std::uint64_t kMemoryLimit = std::uint64_t{8} << 30;

  /// Throws ScheduleError if the collective names a node or chunk that does not exist, and
  /// Inadmissible("workload") if even sums take more memory than kMemoryLimit.
  OperandLedger(const Collective& collective, const Participants& participants,
                std::uint64_t set_limit = kSetLimit);

  /// Sets are kept, not sums.
  [[nodiscard]] bool exact() const { return exact_; }
  [[nodiscard]] bool combines(ChunkId chunk) const { return places_[chunk] != kNoPlace; }
  /// The node's value has every operand, each once. Requires that the chunk is combined.
  [[nodiscard]] bool finished(NodeId node, ChunkId chunk) const {
    return is_finished(value(node, chunk), chunk);
  }
  /// A node whose operand is missing in a value. Nothing if none is, or if sums are kept.
  [[nodiscard]] std::optional<NodeId> missing_operand(NodeId node, ChunkId chunk) const {
    return missing_in(value(node, chunk), chunk);
  }

  /// A message of the present step reads the values of its sender; called in the order of the messages. Its
  /// nodes and chunks exist, and the chunks that it reduces are combined.
  void take(const Step& step, std::size_t message);
  /// All messages arrive, and the step ends. Calls on_fault(OperandFault) for every fault.
  template <typename OnFault>
  void finish_step(const Step& step, OnFault on_fault) {
    const std::uint64_t* carried = carried_.data();
    for (const std::size_t message : taken_) {
      const Message& arriving = step.messages()[message];
      const auto deliver = [&](std::span<const ChunkId> chunks, bool reduces) {
        for (const ChunkId chunk : chunks) {
          if (!combines(chunk)) continue;
          std::uint64_t* const there = value(arriving.destination, chunk);
          auto fault = reduces ? combine(there, carried, chunk) : replace(there, carried, chunk);
          carried += width_;
          if (!fault) continue;
          fault->message = message;
          on_fault(*fault);
        }
      };
      deliver(step.replacing(arriving), false);
      deliver(step.reduced(arriving), true);
    }
    taken_.clear();
    carried_.clear();
  }

  /// Finished values that were replaced by finished ones.
  [[nodiscard]] std::uint64_t redundant() const { return redundant_; }

  /// The first combined chunk of the goal that is not finished; nothing if there is none.
  struct Unfinished {
    NodeId node = 0;
    ChunkId chunk = 0;
    /// Number of such chunks.
    std::uint64_t count = 0;
  };
  [[nodiscard]] std::optional<Unfinished> unfinished(const Collective& collective) const;

 private:
  // Values: width_ words.
  [[nodiscard]] const std::uint64_t* value(NodeId node, ChunkId chunk) const {
    return &words_[node * row_ + places_[chunk] * width_];
  }
  [[nodiscard]] std::uint64_t* value(NodeId node, ChunkId chunk) {
    return &words_[node * row_ + places_[chunk] * width_];
  }
  void copy(const std::uint64_t* from, std::uint64_t* to) const {
    if (width_ == 1) {  // without a call
      *to = *from;
    } else {
      std::copy_n(from, width_, to);
    }
  }
  [[nodiscard]] bool is_finished(const std::uint64_t* value, ChunkId chunk) const {
    return exact_ ? has_all(value, chunk) : *value == finished_[places_[chunk]];
  }
  // A value arrives where there is one already. A fault is returned without its message.
  [[nodiscard]] std::optional<OperandFault> combine(std::uint64_t* there, const std::uint64_t* arriving,
                                                    ChunkId chunk) {
    if (exact_) return unite(there, arriving, chunk);
    const bool too_much = is_finished(there, chunk) && *arriving != 0;
    *there += *arriving;
    if (!too_much) return std::nullopt;
    return OperandFault{OperandFault::Kind::counted_twice, 0, chunk, std::nullopt};
  }
  [[nodiscard]] std::optional<OperandFault> replace(std::uint64_t* there, const std::uint64_t* arriving,
                                                    ChunkId chunk) {
    const bool is_now = is_finished(arriving, chunk);
    if (is_now && is_finished(there, chunk)) ++redundant_;
    const bool had_value = std::any_of(there, there + width_, [](std::uint64_t word) { return word != 0; });
    copy(arriving, there);
    if (is_now || !had_value) return std::nullopt;
    return OperandFault{OperandFault::Kind::unfinished, 0, chunk, missing_in(arriving, chunk)};
  }
  // Of sets.
  [[nodiscard]] bool has_all(const std::uint64_t* value, ChunkId chunk) const;
  [[nodiscard]] std::optional<OperandFault> unite(std::uint64_t* there, const std::uint64_t* arriving,
                                                  ChunkId chunk) const;
  void count_operands(const Collective& collective);
  void order_values(const Step& step);
  void enter_operands(const Collective& collective);
  void enter(NodeId node, ChunkId chunk, std::uint64_t index) {
    value(node, chunk)[index / 64] |= std::uint64_t{1} << (index % 64);
  }
  [[nodiscard]] std::optional<NodeId> missing_in(const std::uint64_t* value, ChunkId chunk) const;
  [[nodiscard]] NodeId operand_node(ChunkId chunk, std::uint64_t index) const {
    return owners_.empty() ? participants_[static_cast<NodeId>(index)] : owners_[chunk][index];
  }

  Participants participants_;
  bool exact_ = true;
  /// Operands of each chunk; and, unless every node has one of every chunk, the nodes that have them.
  std::vector<std::uint64_t> counts_;
  std::vector<std::vector<NodeId>> owners_;
  static constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};
  /// By chunk: the place of its value among those of a node; kNoPlace if it is not combined.
  std::vector<std::uint32_t> places_;
  bool ordered_ = false;   ///< places follow the first step
  std::size_t width_ = 1;  ///< words of a value
  std::size_t row_ = 0;    ///< words of a node
  /// The values of node 0, then those of node 1, and so on.
  std::vector<std::uint64_t> words_;
  /// Of sums: the finished values, by place.
  std::vector<std::uint64_t> finished_;
  /// Messages of the present step, and the values of all their chunks in a row.
  std::vector<std::size_t> taken_;
  std::vector<std::uint64_t> carried_;
  std::uint64_t redundant_ = 0;
};

}  // namespace flitscope
