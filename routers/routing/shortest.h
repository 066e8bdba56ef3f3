// Shortest routes on any network.
#pragma once

#include "model/route_table.h"
#include "model/topology.h"

namespace flitscope {

/// From every router to every node by a shortest way. Of several, the one whose first link the fewest pairs
/// of nodes use so far: destinations come in the order of their numbers, routers from the farthest to the
/// nearest, ports in their order.
[[nodiscard]] RouteTable shortest_routes(const Topology& topology);

}  // namespace flitscope
