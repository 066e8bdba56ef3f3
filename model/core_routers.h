// Which routers of a network there are ways to choose between, and which nodes only hang on one of them.
#pragma once

#include <cstdint>
#include <vector>

#include "model/topology.h"

namespace flitscope {

/// A *core* router is any that is no leaf; a *leaf* is a node with one link each way, both to the same
/// router, its core router. There is one way into a leaf and one out of it. Core routers have numbers of
/// their own, from 0, in the order of their routers' numbers.
class CoreRouters {
 public:
  static constexpr std::uint8_t kNoPort = 0xFF;

  explicit CoreRouters(const Topology& topology);

  [[nodiscard]] std::uint32_t cores() const { return static_cast<std::uint32_t>(router_.size()); }
  /// The number of a core router; of a leaf that of its core router.
  [[nodiscard]] std::uint32_t core_of(NodeId router) const { return core_[router]; }
  [[nodiscard]] NodeId router(std::uint32_t core) const { return router_[core]; }
  /// Nodes that are there: its own, if it has one, and its leaves.
  [[nodiscard]] std::uint32_t nodes_at(std::uint32_t core) const { return nodes_at_[core]; }
  [[nodiscard]] bool is_leaf(NodeId router) const { return leaf_out_[router] != kNoPort; }
  /// The port of a leaf that leads out of it; kNoPort of a core router.
  [[nodiscard]] std::uint8_t port_out(NodeId router) const { return leaf_out_[router]; }
  /// The port of a leaf's core router that leads to it.
  [[nodiscard]] std::uint8_t port_in(NodeId leaf) const { return leaf_in_[leaf]; }

 private:
  std::vector<NodeId> router_;           ///< by core
  std::vector<std::uint32_t> nodes_at_;  ///< by core
  std::vector<std::uint32_t> core_;      ///< by router
  std::vector<std::uint8_t> leaf_out_;   ///< by router
  std::vector<std::uint8_t> leaf_in_;    ///< by router
};

}  // namespace flitscope
