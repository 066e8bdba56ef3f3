#include "sim/formats/schedule_header.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>
#include <span>

#include "model/text.h"
#include "routers/routing/routing.h"

namespace flitscope {
namespace {

using nlohmann::ordered_json;

struct Leg {
  unsigned dimension = 0;
  Sign sign = Sign::plus;
  std::uint32_t hops = 0;
};

std::string leg_name(const Leg& leg) {
  return fmt::format("{}{}@{}", leg.sign == Sign::plus ? '+' : '-', leg.hops, leg.dimension);
}

Leg read_leg(const JsonValue& value, const Topology& topology) {
  if (value.size() != 3) value.fail_wanted("a leg [dimension, sign, hops]");
  Leg leg;
  leg.dimension = static_cast<unsigned>(value.at(std::size_t{0}).whole(0, topology.dimensions() - 1));
  leg.sign = value.at(1).sign() > 0 ? Sign::plus : Sign::minus;
  leg.hops = static_cast<std::uint32_t>(value.at(2).whole(1, topology.side(leg.dimension) - 1));
  return leg;
}

/// Links from a coordinate to the border of a mesh.
std::uint32_t hops_to_border(const Topology& topology, NodeId node, unsigned dimension, Sign sign) {
  const std::uint32_t at = topology.coordinate(node, dimension);
  return sign == Sign::plus ? topology.side(dimension) - 1 - at : at;
}

}  // namespace

std::optional<unsigned> fixed_first_dimension(const Topology& topology, const std::string& routing) {
  const Routing* entry = RoutingRegistry::find(routing);
  if (entry == nullptr || topology.dimensions() == 1) return std::nullopt;
  if (!entry->serves(topology) || topology.networks() > 1) return std::nullopt;
  const NodeId last = topology.nodes() - 1;
  if (!entry->make(topology)->objection(0, last, Route::cyclic(1, Sign::plus))) return std::nullopt;
  return 0;
}

ordered_json path_json(const Topology& topology, const Message& message) {
  ordered_json path = ordered_json::array();
  for_each_leg(topology, message.source, message.destination, message.route,
               [&](unsigned dimension, Sign sign, std::uint32_t hops) {
                 path.push_back(ordered_json::array({dimension, sign == Sign::plus ? 1 : -1, hops}));
               });
  return path;
}

Route read_path(const JsonValue& path, const Topology& topology, NodeId source, NodeId destination,
                std::optional<unsigned> first_dimension) {
  const unsigned dimensions = topology.dimensions();
  Route route = Route::cyclic(first_dimension.value_or(0), Sign::plus);
  NodeId at = source;
  std::string name;
  std::optional<Leg> previous;
  const auto place_in_order = [&](unsigned dimension) {
    return (dimension + dimensions - route.first_dimension) % dimensions;
  };
  const std::size_t legs = path.size();
  for (std::size_t i = 0; i < legs; ++i) {
    const JsonValue value = path.at(i);
    const Leg leg = read_leg(value, topology);
    if (i == 0) route = Route::cyclic(first_dimension.value_or(leg.dimension), leg.sign);
    if (previous && place_in_order(leg.dimension) <= place_in_order(previous->dimension)) {
      value.fail(
          fmt::format("travels dimension {} after dimension {}; each dimension is travelled at most "
                      "once, in cyclic order from dimension {}",
                      leg.dimension, previous->dimension, route.first_dimension));
    }
    if (!topology.leads(leg.sign)) {
      value.fail(fmt::format("travels in direction {}, but all links of the {} lead in direction {}",
                             leg.sign == Sign::plus ? '+' : '-', topology.name(),
                             leg.sign == Sign::plus ? '-' : '+'));
    }
    const std::uint32_t room = hops_to_border(topology, at, leg.dimension, leg.sign);
    if (!topology.wraps() && leg.hops > room) {
      value.fail(fmt::format("leaves the {}: from {}, {} in direction {} of dimension {}, not {}",
                             topology.name(), topology.node_name(at),
                             counted(room, "link leads", "links lead"), leg.sign == Sign::plus ? '+' : '-',
                             leg.dimension, leg.hops));
    }
    route.set_sign(leg.dimension, leg.sign);
    at = topology.moved(at, leg.dimension, leg.sign, leg.hops);
    name += (i == 0 ? "" : " ") + leg_name(leg);
    previous = leg;
  }
  if (at != destination) {
    path.fail(fmt::format("of {} ends at {}, not at dst {}", legs == 0 ? "no legs" : name,
                          topology.node_name(at), topology.node_name(destination)));
  }
  return route;
}

}  // namespace flitscope
