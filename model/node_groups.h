// The nodes of a network in groups of nodes that are close to each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/topology.h"

namespace flitscope {

/// All nodes that are there, each in one group. A network's own groups: those of a dragonfly, chiplets, else
/// the nodes attached to one router, or the rows of dimension 0 of a torus or mesh. Where there are none (no
/// two nodes share a router), runs of about the square root of the nodes, in the order of their numbers.
class NodeGroups {
 public:
  /// `size`: nodes of a group, in the order of the network's own groups, the last group may have fewer; 0:
  /// the network's own.
  explicit NodeGroups(const Topology& topology, std::uint32_t size = 0);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(first_.size()) - 1; }
  [[nodiscard]] std::span<const NodeId> operator[](std::uint32_t group) const {
    return std::span(nodes_).subspan(first_[group], first_[group + 1] - first_[group]);
  }
  /// All nodes, group after group: an order in which neighbours are close.
  [[nodiscard]] const std::vector<NodeId>& order() const { return nodes_; }
  /// Nodes of the smallest group, and of the largest one.
  [[nodiscard]] std::uint32_t smallest() const;
  [[nodiscard]] std::uint32_t largest() const;

 private:
  std::vector<NodeId> nodes_;         ///< by group, then by number
  std::vector<std::uint32_t> first_;  ///< by group: the place of its first node; then their number
};

}  // namespace flitscope
