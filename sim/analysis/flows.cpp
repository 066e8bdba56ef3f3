#include "sim/analysis/flows.h"

#include <vector>

namespace flitscope {

namespace {

/// The node that lies behind node 0 in all directions of the route: behind one link each on a torus, on a
/// mesh the opposite corner, whatever the directions.
NodeId node_behind(const Topology& topology, Route route) {
  if (!topology.wraps()) return topology.nodes() - 1;
  NodeId node = 0;
  for (unsigned k = 0; k < topology.dimensions(); ++k) node = topology.moved(node, k, route.sign(k), 1);
  return node;
}

/// All first dimensions and directions that the routing function admits. Whether it admits a route is a
/// matter of the route alone (RoutingFunction::objection), but for the border of a mesh and for longer ways.
std::vector<Route> admitted_routes(const Topology& topology, const RoutingFunction& routing) {
  std::vector<Route> routes;
  for (unsigned first = 0; first < topology.dimensions(); ++first) {
    for (std::uint32_t negative = 0; negative < 1U << topology.dimensions(); ++negative) {
      const Route route{static_cast<std::uint8_t>(first), static_cast<std::uint16_t>(negative)};
      if (!routing.objection(0, node_behind(topology, route), route)) routes.push_back(route);
    }
  }
  return routes;
}

/// Of all nodes, the bits of the dimensions in which `destination` lies in direction - of them.
class Directions {
 public:
  Directions(const Topology& topology, bool shorter_only) : topology_(topology), shorter_only_(shorter_only) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const auto here = topology.coordinates(node);
      coordinates_.insert(coordinates_.end(), here.begin(), here.end());
    }
  }
  /// On a mesh: no dimension in which the route leads away. On a torus where only shorter ways are admitted:
  /// none in which it is longer.
  [[nodiscard]] bool fits(NodeId source, NodeId destination, Route route) const {
    if (topology_.wraps() && !shorter_only_) return true;
    const unsigned dimensions = topology_.dimensions();
    for (unsigned k = 0; k < dimensions; ++k) {
      const std::uint32_t from = coordinates_[std::size_t{source} * dimensions + k];
      const std::uint32_t to = coordinates_[std::size_t{destination} * dimensions + k];
      if (from == to) continue;
      const bool minus = route.sign(k) == Sign::minus;
      const std::uint32_t side = topology_.sides()[k];
      const bool fit = topology_.wraps() ? (minus ? from + side - to : to + side - from) % side * 2 <= side
                                         : (to < from) == minus;
      if (!fit) return false;
    }
    return true;
  }

 private:
  Topology topology_;
  bool shorter_only_;
  std::vector<std::uint32_t> coordinates_;
};

/// Where messages go the same way whatever their routes say.
Flows every_pair_once(const Topology& topology) {
  return [topology](const std::function<bool(const Flow&)>& visit) {
    for (NodeId destination = 0; destination < topology.nodes(); ++destination) {
      if (topology.is_missing(destination)) continue;
      for (NodeId source = 0; source < topology.nodes(); ++source) {
        if (source == destination || topology.is_missing(source)) continue;
        if (!visit({source, destination, Route{}})) return;
      }
    }
  };
}

}  // namespace

Flows every_pair(const Topology& topology, const RoutingFunction& routing) {
  if (!topology.is_fault_free_grid() || !routing.follows_routes()) return every_pair_once(topology);
  return [topology, routes = admitted_routes(topology, routing),
          directions = Directions(topology, routing.shorter_ways_only())](
             const std::function<bool(const Flow&)>& visit) {
    // Flows to one destination by one route come together: their heads are often equal.
    for (NodeId destination = 0; destination < topology.nodes(); ++destination) {
      for (const Route& route : routes) {
        for (NodeId source = 0; source < topology.nodes(); ++source) {
          if (source == destination || !directions.fits(source, destination, route)) continue;
          if (!visit({source, destination, route})) return;
        }
      }
    }
  };
}

}  // namespace flitscope
