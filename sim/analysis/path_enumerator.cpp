#include "sim/analysis/path_enumerator.h"

namespace flitscope {

namespace {

/// The node one link from node 0 in all directions of the route on a torus; on a mesh the opposite corner,
/// whatever the directions.
NodeId neighbour_along(const Topology& topology, Route route) {
  if (!topology.wraps()) return topology.nodes() - 1;
  NodeId node = 0;
  for (unsigned k = 0; k < topology.dimensions(); ++k) node = topology.moved(node, k, route.sign(k), 1);
  return node;
}

/// All first dimensions and directions that the routing function admits. This depends on the route alone
/// (RoutingFunction::objection), but for the border of a mesh and for longer paths.
std::vector<Route> admitted_routes(const Topology& topology, const RoutingFunction& routing) {
  std::vector<Route> routes;
  const std::uint32_t every = (1U << topology.dimensions()) - 1;
  for (unsigned first = 0; first < topology.dimensions(); ++first) {
    for (std::uint32_t negative = 0; negative <= every; ++negative) {
      const Route route{static_cast<std::uint8_t>(first), static_cast<std::uint16_t>(negative)};
      if (topology.is_one_way() && negative != (topology.leads(Sign::plus) ? 0 : every)) continue;
      if (!routing.objection(0, neighbour_along(topology, route), route)) routes.push_back(route);
    }
  }
  return routes;
}

/// The routes that lead from one node to another.
class Directions {
 public:
  Directions(const Topology& topology, bool shorter_only) : topology_(topology), shorter_only_(shorter_only) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      const auto own = topology.coordinates(node);
      coordinates_.insert(coordinates_.end(), own.begin(), own.end());
    }
  }
  /// On a mesh the route leads away in no dimension; on a torus where only shorter paths are admitted it is
  /// the longer one in none.
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

/// For routing functions that do not follow routes.
Flows every_pair_without_routes(const Topology& topology, std::uint32_t drawn_paths) {
  return [topology, drawn_paths](const std::function<bool(const Flow&)>& visit) {
    // Equal heads follow one another.
    for (NodeId destination = 0; destination < topology.nodes(); ++destination) {
      if (topology.is_missing(destination)) continue;
      for (std::uint32_t draw = 0; draw < drawn_paths; ++draw) {
        for (NodeId source = 0; source < topology.nodes(); ++source) {
          if (source == destination || topology.is_missing(source)) continue;
          if (!visit({source, destination, Route::drawn(draw)})) return;
        }
      }
    }
  };
}

}  // namespace

Flows every_pair(const Topology& topology, const RoutingFunction& routing, std::uint32_t drawn_paths) {
  if (!topology.is_fault_free_grid() || !routing.follows_routes())
    return every_pair_without_routes(topology, drawn_paths);
  return [topology, routes = admitted_routes(topology, routing),
          directions = Directions(topology, routing.shorter_ways_only())](
             const std::function<bool(const Flow&)>& visit) {
    // Flows to one destination by one route follow one another: their heads are often equal.
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

PathEnumerator::PathEnumerator(const Topology& topology, const Routing& routing, unsigned virtual_channels)
    : topology_(topology),
      routing_(routing.make(topology)),
      groups_(topology, routing_->classes(), virtual_channels),
      first_source_(topology.channel_ids() * groups_.of_channel()),
      places_(first_source_ + topology.nodes()),
      deterministic_(dynamic_cast<const DeterministicRouting*>(routing_.get())) {
  routing_->build_tables();
  std::size_t place = 0;
  for (ChannelId channel = 0; channel < topology.channel_ids(); ++channel) {
    const unsigned port = topology.channel_port(channel);
    const NodeId router = topology.neighbour(topology.channel_node(channel), port).value_or(kNoNode);
    for (unsigned i = 0; i < groups_.of_channel(); ++i, ++place) {
      places_[place] = {
          router, {static_cast<std::uint8_t>(port), static_cast<std::uint8_t>(groups_.lowest_class(place))}};
    }
  }
  for (NodeId node = 0; node < topology.nodes(); ++node, ++place)
    places_[place] = {node, {static_cast<std::uint8_t>(topology.link_ports()), 0}};
}

void PathEnumerator::begin(const Head& head) {
  head_ = head;
  if (++stamp_ != 0) return;
  for (Place& place : places_) place.stamp = 0;
  stamp_ = 1;
}

void PathEnumerator::find_next(const Place& place, const Head& head, std::vector<std::uint64_t>& next) const {
  next.clear();
  candidates_.clear();
  routing_->add_candidates(place.router, place.arrival, head, candidates_);
  for (const Candidate& candidate : candidates_) next.push_back(group(place.router, candidate));
}

std::vector<std::uint64_t> PathEnumerator::path(const Flow& flow) const {
  std::vector<std::uint64_t> result;
  const Head head = this->head(flow);
  for (std::uint64_t at = first_source_ + flow.source; places_[at].router != flow.destination;) {
    const Place& place = places_[at];
    at = group(place.router, routing_->first_candidate(place.router, place.arrival, head));
    result.push_back(at);
  }
  return result;
}

}  // namespace flitscope
