// The data of a collective operation, in chunks, and the nodes that take part in it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/topology.h"
#include "model/types.h"

namespace flitscope {

/// A node and chunks, sorted by number, that it holds at the start or must hold at the end.
struct Holding {
  NodeId node = 0;
  std::vector<ChunkId> chunks;
  bool operator==(const Holding&) const = default;
};

/// Holdings by rising node, of each chunk once.
[[nodiscard]] std::vector<Holding> holdings_of(std::map<NodeId, std::vector<ChunkId>> lists);

/// The data of a collective operation. Chunks are the unit of possession: a message carries whole chunks.
struct Collective {
  /// Bytes of each chunk, by ChunkId.
  std::vector<std::uint64_t> chunk_bytes;
  /// Holdings before the first step; a node that is not listed holds nothing.
  std::vector<Holding> initial;
  /// Holdings that the operation must reach; absent: every participant holds every chunk. Of a combined chunk
  /// a node must hold the finished value: every operand, each once.
  std::optional<std::vector<Holding>> goal;
  /// Operands that nodes have at the start. A chunk with operands is combined: its value at a node is the
  /// combination of the operands that have arrived there.
  std::vector<Holding> operands = {};
  /// Every node has an operand of every chunk; `operands` lists none then.
  bool operands_everywhere = false;

  bool operator==(const Collective&) const = default;

  [[nodiscard]] bool combines() const { return operands_everywhere || !operands.empty(); }

  /// One chunk of `bytes` bytes from `source` to all nodes.
  [[nodiscard]] static Collective broadcast(NodeId source, std::uint64_t bytes) {
    return {{bytes}, {{source, {0}}}, std::nullopt};
  }
};

/// All nodes of a network but the missing ones, in the order of their numbers. A node's *place* is its number
/// among them, from 0.
class Participants {
 public:
  /// Nodes 0 to nodes - 1.
  Participants(NodeId nodes) : nodes_(nodes), count_(nodes) {}
  Participants(const Topology& topology);

  /// Numbers of nodes lie below.
  [[nodiscard]] NodeId nodes() const { return nodes_; }
  [[nodiscard]] NodeId count() const { return count_; }
  /// No node is missing: a node's place is its number.
  [[nodiscard]] bool all() const { return count_ == nodes_; }
  [[nodiscard]] bool has(NodeId node) const { return all() || place_[node] != kNoNode; }
  /// The node at that place.
  [[nodiscard]] NodeId operator[](NodeId place) const { return all() ? place : node_[place]; }
  /// Requires that the node takes part.
  [[nodiscard]] NodeId place(NodeId node) const { return all() ? node : place_[node]; }

 private:
  NodeId nodes_;
  NodeId count_;
  std::vector<NodeId> node_;   ///< by place; empty if no node is missing, as is the next
  std::vector<NodeId> place_;  ///< by node
};

}  // namespace flitscope
