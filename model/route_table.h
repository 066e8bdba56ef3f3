// Routes as a table: the next port by current router and destination, the layer of virtual channels by source
// and destination.
#pragma once

#include <cstdint>
#include <vector>

#include "model/bit_rows.h"
#include "model/topology.h"

namespace flitscope {

/// A *core* router is any that is no leaf; a *leaf* is a node with one link each way, both to the same
/// router, its core router. Core routers have numbers of their own, from 0, in the order of their routers'
/// numbers.
class CoreRouters {
 public:
  static constexpr std::uint8_t kNoPort = 0xFF;

  explicit CoreRouters(const Topology& topology);

  [[nodiscard]] std::uint32_t cores() const { return static_cast<std::uint32_t>(router_.size()); }
  /// The number of a core router; of a leaf that of its core router.
  [[nodiscard]] std::uint32_t core_of(NodeId router) const { return core_[router]; }
  [[nodiscard]] NodeId router(std::uint32_t core) const { return router_[core]; }
  /// Nodes of a core router: its own, if it has one, and its leaves.
  [[nodiscard]] std::uint32_t nodes_at(std::uint32_t core) const { return nodes_at_[core]; }
  [[nodiscard]] bool is_leaf(NodeId router) const { return leaf_out_[router] != kNoPort; }
  /// The port of a leaf that leads out of it; kNoPort of a core router.
  [[nodiscard]] std::uint8_t port_out(NodeId router) const { return leaf_out_[router]; }
  /// The port of a leaf's core router that leads to it.
  [[nodiscard]] std::uint8_t port_in(NodeId leaf) const { return leaf_in_[leaf]; }
  /// A leaf feeds this input port of a core router.
  [[nodiscard]] bool is_from_leaf(NodeId router, unsigned port) const {
    return fed_by_leaves_.has(core_[router], port);
  }

 private:
  std::vector<NodeId> router_;           ///< by core
  std::vector<std::uint32_t> nodes_at_;  ///< by core
  std::vector<std::uint32_t> core_;      ///< by router
  std::vector<std::uint8_t> leaf_out_;   ///< by router
  std::vector<std::uint8_t> leaf_in_;    ///< by router
  BitRows fed_by_leaves_;                ///< by core: input ports
};

/// Leaves have no entries. With C core routers a table takes C^2 bytes, and as many again if it has layers.
class RouteTable : public CoreRouters {
 public:
  /// More than so many core routers would take more than 800 MB.
  static constexpr std::uint32_t kMaxCores = 20'000;

  /// No entry yet. Throws Inadmissible("router.routing") if the network has more than kMaxCores core routers,
  /// or there is too little memory.
  explicit RouteTable(const Topology& topology);

  /// The port that leads on from `at`, which is not the destination.
  [[nodiscard]] unsigned next(NodeId at, NodeId destination) const {
    if (is_leaf(at)) return port_out(at);
    const std::uint32_t core = core_of(destination);
    if (core == core_of(at)) return port_in(destination);
    return ports_[std::size_t{core} * cores() + core_of(at)];
  }
  /// The layer in which a message from one node to another travels; 0 without layers.
  [[nodiscard]] unsigned layer(NodeId source, NodeId destination) const {
    if (layers_.empty()) return 0;
    return layers_[std::size_t{core_of(destination)} * cores() + core_of(source)];
  }
  [[nodiscard]] unsigned layers() const { return layer_count_; }
  /// Memory of ports and layers; the rest takes some bytes a router.
  [[nodiscard]] std::uint64_t bytes() const { return ports_.size() + layers_.size(); }

  // --- By numbers of core routers ------------------------------------------------------------------------

  /// kNoPort where there is no entry.
  [[nodiscard]] std::uint8_t port(std::uint32_t at, std::uint32_t to) const {
    return ports_[std::size_t{to} * cores() + at];
  }
  void set_port(std::uint32_t at, std::uint32_t to, unsigned port) {
    ports_[std::size_t{to} * cores() + at] = static_cast<std::uint8_t>(port);
  }
  void set_layer(std::uint32_t from, std::uint32_t to, unsigned layer);

 private:
  void allocate(std::vector<std::uint8_t>& entries, std::uint8_t value) const;

  std::vector<std::uint8_t> ports_;   ///< by destination, then by router
  std::vector<std::uint8_t> layers_;  ///< by destination, then by source
  unsigned layer_count_ = 1;
};

}  // namespace flitscope
