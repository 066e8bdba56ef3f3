// Minimal routes of dragonflies.
#pragma once

#include <memory>

#include "model/route_table.h"
#include "model/topology.h"

namespace flitscope {

/// The group of a router, or of a node at one.
[[nodiscard]] std::uint32_t dragonfly_group(const Topology& topology, NodeId router);

/// In the group to a router with a link to the other group, over that link, and in that group to the
/// destination. Links to a group are balanced over the pairs of nodes that can choose. Computed once for a
/// graph.
[[nodiscard]] std::shared_ptr<const RouteTable> dragonfly_routes(const Topology& topology);

}  // namespace flitscope
