// Sets of nodes in a configuration: all, a list, or a number drawn at random; and groups of nodes that are
// close to each other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/topology.h"
#include "model/types.h"

namespace flitscope {

/// A node as configurations write it: "[1, 0]" on a grid, its name on a graph, or "origin", the first one.
struct NodeName {
  std::string text = "origin";

  bool operator==(const NodeName&) const = default;
};

/// A description of nodes, independent of the topology. A drawn set depends on its seed only, and contains
/// every smaller set of the same seed.
struct NodeSet {
  enum class Kind : std::uint8_t { all, listed, count, fraction };

  Kind kind = Kind::all;
  std::vector<NodeName> nodes = {};  ///< of a list
  /// Nodes to draw, or their share of all nodes, 0 < fraction <= 1: the nearest whole number, at least 1.
  std::uint64_t count = 0;
  double fraction = 0;
  std::uint64_t seed = 0;

  bool operator==(const NodeSet&) const = default;

  [[nodiscard]] static NodeSet listed(std::vector<NodeName> nodes) {
    return {.kind = Kind::listed, .nodes = std::move(nodes)};
  }
  [[nodiscard]] static NodeSet drawn(std::uint64_t count, std::uint64_t seed) {
    return {.kind = Kind::count, .count = count, .seed = seed};
  }
};

/// The node of that name. Throws Inadmissible(`key`) that says what would be right.
[[nodiscard]] NodeId node_named(const NodeName& name, const Topology& topology, const std::string& key);

/// The nodes of a set, each once: a list in its own order, all others by rising number.
/// Throws Inadmissible(`key`) for a list without nodes, a repeated or non-existing node, and a count above
/// the number of nodes.
[[nodiscard]] std::vector<NodeId> nodes_of(const NodeSet& set, const Topology& topology,
                                           const std::string& key);

// The nodes of a network in groups of nodes that are close to each other.

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
