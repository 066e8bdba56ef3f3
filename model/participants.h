// The nodes that take part in a collective.
#pragma once

#include <cstdint>
#include <vector>

#include "model/topology.h"
#include "model/types.h"

namespace flitscope {

/// All nodes of a network but those that are missing, in the order of their numbers: who is meant where a
/// Collective says everyone. A node's *place* is its number among them, from 0.
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
