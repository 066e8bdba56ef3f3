// The chunks of every node while a schedule runs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/collective.h"
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

  /// Whether the goal of `collective` is met, which has the chunks of the constructor's; so for the functions
  /// below.
  [[nodiscard]] bool goal_met(const Collective& collective) const { return !first_missing(collective); }

  /// A missing chunk; nothing if the goal is met. Without a listed goal it is the lowest node's lowest chunk,
  /// otherwise the first in the order of the goal.
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

}  // namespace flitscope
