#include "model/route.h"

#include <fmt/format.h>

namespace flitscope {

Route shortest_route(const Topology& topology, NodeId source, NodeId destination) {
  Route route;
  if (!topology.is_grid()) return route;
  route.first_dimension = static_cast<std::uint8_t>(topology.first_dimension());
  for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
    route.set_sign(dimension, topology.shorter_direction(dimension, topology.coordinate(source, dimension),
                                                         topology.coordinate(destination, dimension)));
  }
  return route;
}

std::uint32_t ties_between(const Topology& topology, NodeId source, NodeId destination) {
  std::uint32_t ties = 0;
  if (topology.is_one_way()) return ties;
  for (unsigned dimension = 0; topology.wraps() && dimension < topology.dimensions(); ++dimension) {
    const std::uint32_t from = topology.coordinate(source, dimension);
    const std::uint32_t to = topology.coordinate(destination, dimension);
    if (2 * (from < to ? to - from : from - to) == topology.sides()[dimension]) ties |= 1U << dimension;
  }
  return ties;
}

Route in_order_of(const Topology& topology, NodeId source, NodeId destination, Route route) {
  if (route.first_dimension == topology.first_dimension()) return route;
  unsigned travelled = 0;
  for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
    travelled +=
        topology.coordinate(source, dimension) == topology.coordinate(destination, dimension) ? 0 : 1;
  }
  if (travelled <= 1) route.first_dimension = static_cast<std::uint8_t>(topology.first_dimension());
  return route;
}

bool route_exists(const Topology& topology, NodeId source, NodeId destination, Route route) {
  for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
    const std::uint32_t from = topology.coordinate(source, dimension);
    const std::uint32_t to = topology.coordinate(destination, dimension);
    if (!topology.hops(dimension, from, to, route.sign(dimension))) return false;
  }
  return true;
}

std::uint32_t route_length(const Topology& topology, NodeId source, NodeId destination, Route route) {
  std::uint32_t length = 0;
  for_each_leg(topology, source, destination, route,
               [&](unsigned, Sign, std::uint32_t hops) { length += hops; });
  return length;
}

unsigned first_port(const Topology& topology, NodeId source, NodeId destination, Route route) {
  const unsigned dimensions = topology.dimensions();
  for (unsigned i = 0; i < dimensions; ++i) {
    const unsigned dimension = (route.first_dimension + i) % dimensions;
    if (topology.coordinate(source, dimension) != topology.coordinate(destination, dimension)) {
      return port_of(dimension, route.sign(dimension));
    }
  }
  return 0;
}

std::string route_name(const Topology& topology, NodeId source, NodeId destination, Route route) {
  std::string name;
  for_each_leg(topology, source, destination, route, [&](unsigned dimension, Sign sign, std::uint32_t hops) {
    name +=
        fmt::format("{}{}{}@{}", name.empty() ? "" : " ", sign == Sign::plus ? '+' : '-', hops, dimension);
  });
  return name;
}

}  // namespace flitscope
