// Routes: the part of a head flit that the sender decides, and the links that follow from it.
#pragma once

#include <cstdint>
#include <string>

#include "model/topology.h"

namespace flitscope {

/// The sender's decision: dimensions are travelled one after the other, cyclically from
/// `first_dimension`, each to its end, in the direction given for it. With the destination this fixes
/// the path; dimensions in which source and destination agree are skipped.
struct Route {
  std::uint8_t first_dimension = 0;
  /// Which of the paths that a routing function draws for two nodes; others do not read it.
  std::uint8_t draw = 0;
  /// Bit k set: direction minus in dimension k.
  std::uint16_t negative = 0;

  constexpr Route() = default;
  constexpr Route(std::uint8_t first, std::uint16_t directions)
      : first_dimension(first), negative(directions) {}

  [[nodiscard]] Sign sign(unsigned dimension) const { return static_cast<Sign>(negative >> dimension & 1); }
  void set_sign(unsigned dimension, Sign sign) {
    const auto bit = static_cast<std::uint16_t>(1U << dimension);
    negative = static_cast<std::uint16_t>(sign == Sign::minus ? negative | bit : negative & ~bit);
  }
  /// Of a routing function that draws paths.
  [[nodiscard]] static constexpr Route drawn(std::uint32_t draw) {
    Route route;
    route.draw = static_cast<std::uint8_t>(draw);
    return route;
  }
  /// One direction for every dimension.
  [[nodiscard]] static constexpr Route cyclic(unsigned first_dimension, Sign sign) {
    return {static_cast<std::uint8_t>(first_dimension),
            static_cast<std::uint16_t>(sign == Sign::minus ? 0xFFFF : 0)};
  }
  bool operator==(const Route&) const = default;
};

/// The same path with the first dimension of the topology, if it travels one dimension at most and so keeps
/// every order; otherwise `route`.
[[nodiscard]] Route in_order_of(const Topology& topology, NodeId source, NodeId destination, Route route);

/// The route over link port `port` alone, to its neighbour; every routing function admits it, in its order.
[[nodiscard]] constexpr Route one_hop(unsigned port) {
  return Route::cyclic(0, sign_of_port(port));
}

/// The shortest route in dimension order; ties go in direction plus.
[[nodiscard]] Route shortest_route(const Topology& topology, NodeId source, NodeId destination);

/// The dimensions in which both directions are equally long, as bits.
[[nodiscard]] std::uint32_t ties_between(const Topology& topology, NodeId source, NodeId destination);

/// Calls visit(dimension, sign, hops) for every dimension travelled, in order. Requires that the route
/// exists (see route_exists).
template <typename Visit>
void for_each_leg(const Topology& topology, NodeId source, NodeId destination, Route route, Visit visit) {
  const unsigned dimensions = topology.dimensions();
  for (unsigned i = 0; i < dimensions; ++i) {
    const unsigned dimension = (route.first_dimension + i) % dimensions;
    const std::uint32_t from = topology.coordinate(source, dimension);
    const std::uint32_t to = topology.coordinate(destination, dimension);
    if (from != to) {
      const Sign sign = route.sign(dimension);
      visit(dimension, sign, topology.hops(dimension, from, to, sign).value());
    }
  }
}

/// Calls visit(channel) for every link of the path, in order. Requires that the route exists.
template <typename Visit>
void for_each_channel(const Topology& topology, NodeId source, NodeId destination, Route route, Visit visit) {
  NodeId at = source;
  for_each_leg(topology, source, destination, route, [&](unsigned dimension, Sign sign, std::uint32_t hops) {
    for (std::uint32_t hop = 0; hop < hops; ++hop) {
      visit(topology.channel(at, port_of(dimension, sign)));
      at = topology.moved(at, dimension, sign, 1);
    }
  });
}

/// False if the route would cross the border of a mesh.
[[nodiscard]] bool route_exists(const Topology& topology, NodeId source, NodeId destination, Route route);

/// Number of links travelled. Requires that the route exists.
[[nodiscard]] std::uint32_t route_length(const Topology& topology, NodeId source, NodeId destination,
                                         Route route);

/// The link port by which the message leaves its source. Requires source != destination.
[[nodiscard]] unsigned first_port(const Topology& topology, NodeId source, NodeId destination, Route route);

/// "+4@1 +2@0": four links in direction + of dimension 1, then two in direction + of dimension 0.
[[nodiscard]] std::string route_name(const Topology& topology, NodeId source, NodeId destination,
                                     Route route);

}  // namespace flitscope
