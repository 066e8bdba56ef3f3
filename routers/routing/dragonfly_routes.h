// Minimal ways on the dragonfly.
#pragma once

#include <memory>

#include "model/route_table.h"
#include "model/topology.h"

namespace flitscope {

/// In the group to a router with a link to the other group, over that link, and in that group to the
/// destination. Links to a group are taken in turn by the pairs of nodes that can choose (BalancedLinks).
/// Computed once for a network, of the family `dragonfly`.
[[nodiscard]] std::shared_ptr<const RouteTable> dragonfly_routes(const Topology& topology);

/// Of a router, or of a node that hangs on one.
[[nodiscard]] std::uint32_t dragonfly_group(const Topology& topology, NodeId router);

}  // namespace flitscope
