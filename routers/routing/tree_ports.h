// The links of a k-ary n-tree by where they lead, and what its routing functions share.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "model/topology.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// Of a network of the family `k-ary-n-tree`, whose node p has the digits p_0 .. p_(n-1). Below a switch of
/// level l are the nodes whose first l digits are its own. Going on down from level l chooses digit l of a
/// node, and so does going up from it, of a switch on the next level up.
class TreePorts {
 public:
  explicit TreePorts(const Topology& topology);

  /// Switches that a switch is joined to on the next level.
  [[nodiscard]] std::uint32_t k() const { return k_; }
  [[nodiscard]] bool is_above(NodeId at, NodeId node) const {
    return at >= nodes_ && node / below_[level_[at]] == prefix_[at];
  }
  /// The digit of `node` that a way down from `at` chooses, or up.
  [[nodiscard]] std::uint32_t digit(NodeId at, NodeId node) const {
    return node / below_[level_[at] + 1] % k_;
  }
  /// The port that leads down. Requires that `at` is above the node with that digit.
  [[nodiscard]] unsigned down(NodeId at, std::uint32_t digit) const { return ports_[slot(at) + digit]; }
  /// The port that leads up to the switch with that digit. Requires a switch that is not at the top.
  [[nodiscard]] unsigned up(NodeId at, std::uint32_t digit) const { return ports_[slot(at) + k_ + digit]; }
  /// The only port of a node.
  [[nodiscard]] unsigned out(NodeId node) const { return out_[node]; }

 private:
  [[nodiscard]] std::size_t slot(NodeId at) const { return std::size_t{at - nodes_} * 2 * k_; }

  NodeId nodes_;
  std::uint32_t k_;
  std::vector<std::uint32_t> below_;   ///< by level: nodes below a switch; at the end 1, that of a node
  std::vector<std::uint8_t> level_;    ///< by router
  std::vector<std::uint32_t> prefix_;  ///< by router: its first digits, as many as its level, as a number
  std::vector<std::uint8_t> out_;      ///< by node
  std::vector<std::uint8_t> ports_;    ///< by switch: down by digit, then up by digit
};

/// A routing function that goes up to a switch above the destination and down from there, with one class.
/// `Base` is DeterministicRouting or AdaptiveRouting.
template <typename Base>
class TreeRouting : public Base {
 public:
  explicit TreeRouting(const Topology& topology) : topology_(topology) {}

  bool follows_routes() const final { return false; }
  unsigned classes() const final { return 1; }
  void build_tables() final {
    if (tree_ == nullptr) tree_ = std::make_unique<const TreePorts>(topology_);
  }

 protected:
  /// A node, not a switch.
  [[nodiscard]] bool is_node(NodeId router) const { return router < topology_.nodes(); }
  [[nodiscard]] const TreePorts& tree() const { return *tree_; }

 private:
  Topology topology_;
  std::unique_ptr<const TreePorts> tree_;
};

}  // namespace flitscope
