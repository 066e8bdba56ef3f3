// Minimal ways on the dragonfly, and what its routing functions share.
#pragma once

#include <memory>

#include "model/route_table.h"
#include "model/topology.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// In the group to a router with a link to the other group, over that link, and in that group to the
/// destination. Links to a group are taken in turn by the pairs of nodes that can choose (BalancedLinks).
/// Computed once for a network, of the family `dragonfly`.
[[nodiscard]] std::shared_ptr<const RouteTable> dragonfly_routes(const Topology& topology);

/// Of a router, or of a node that hangs on one.
[[nodiscard]] std::uint32_t dragonfly_group(const Topology& topology, NodeId router);

/// A routing function that goes minimal ways, from group to group.
class DragonflyRouting : public DeterministicRouting {
 public:
  explicit DragonflyRouting(const Topology& topology) : topology_(topology) {}

  bool follows_routes() const final { return false; }
  void build_tables() final {
    if (table_ == nullptr) table_ = dragonfly_routes(topology_);
  }

 protected:
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] std::uint32_t group(NodeId router) const { return dragonfly_group(topology_, router); }
  /// The port of `node` on the minimal way.
  [[nodiscard]] unsigned port_to(NodeId node, NodeId destination) const {
    return table_->next(node, destination);
  }

 private:
  Topology topology_;
  std::shared_ptr<const RouteTable> table_;
};

}  // namespace flitscope
