// Places on circles, and groups of routers on small ones, for drawings.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

#include "model/graph.h"

namespace flitscope {

/// The point `distance` from another, `turn` of a turn clockwise from straight up.
inline Point beside(Point point, double distance, double turn) {
  const double angle = 2 * std::numbers::pi * turn;
  return {point.x + distance * std::sin(angle), point.y - distance * std::cos(angle)};
}

/// Groups on a circle, the routers of a group on a small one, and what hangs on them outside that.
struct CircleOfGroups {
  std::uint32_t groups = 1;
  std::uint32_t routers = 1;  ///< of a group

  [[nodiscard]] Point at(std::uint32_t group, double place, double distance) const {
    const double small = 0.25 * routers;
    const double large = groups * (2 * small + 3) / (2 * std::numbers::pi);
    const double turn = static_cast<double>(group) / groups;
    return beside(beside({large, large}, large, turn), small + distance, turn + place / routers);
  }
};

/// Adds `count` nodes that hang on a router; `at(place)` is where, a place between -1/2 and 1/2 of the
/// router's share of its circle, and `name` and coordinates are the router's with the node's number behind.
template <typename At>
void add_hanging_nodes(GraphPlan& plan, std::uint32_t router, std::uint32_t count, At at) {
  for (std::uint32_t node = 0; node < count; ++node) {
    const GraphPlan::Router& base = plan.routers[router];
    GraphPlan::Router leaf{"n" + base.name.substr(1) + "." + std::to_string(node), true,
                           at((node + 0.5) / count - 0.5), base.coordinates, base.group};
    leaf.coordinates.push_back(node);
    plan.add_node(router, std::move(leaf));
  }
}

}  // namespace flitscope
