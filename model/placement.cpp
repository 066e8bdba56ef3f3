#include "model/placement.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/graph.h"

namespace flitscope {

namespace {

Point place_on_grid(const Topology& topology, NodeId node) {
  constexpr double kGap = 1;
  Point place;
  Point stride{1, 1};
  for (unsigned k = 0; k < topology.dimensions(); ++k) {
    double& at = k % 2 == 0 ? place.x : place.y;
    double& step = k % 2 == 0 ? stride.x : stride.y;
    at += topology.coordinate(node, k) * step;
    step = topology.side(k) * step + kGap;
  }
  return place;
}

/// The router that a node with one link hangs on; itself for all others.
NodeId core_of(const Graph& graph, NodeId router) {
  std::optional<NodeId> only;
  for (unsigned port = 0; port < graph.ports(); ++port) {
    const auto to = graph.neighbour(router, port);
    if (!to) continue;
    if (only) return router;
    only = to;
  }
  return only && router < graph.nodes() && *only >= graph.nodes() ? *only : router;
}

std::vector<Point> circle(const Graph& graph) {
  std::vector<NodeId> core(graph.routers());
  std::vector<double> hanging(graph.routers());
  double cores = 0;
  for (NodeId router = 0; router < graph.routers(); ++router) {
    core[router] = core_of(graph, router);
    if (core[router] == router) {
      ++cores;
    } else {
      ++hanging[core[router]];
    }
  }
  const double most = std::max(1.0, *std::ranges::max_element(hanging));
  const double turn = 2 * std::numbers::pi / cores;
  const double radius = std::max(1.0, most / turn);
  std::vector<double> angle(graph.routers());
  double next = 0;
  for (NodeId router = 0; router < graph.routers(); ++router) {
    if (core[router] == router) angle[router] = turn * next++;
  }
  std::vector<double> placed(graph.routers());
  std::vector<Point> places(graph.routers());
  for (NodeId router = 0; router < graph.routers(); ++router) {
    const NodeId at = core[router];
    const bool leaf = at != router;
    const double share = leaf ? (++placed[at] - (hanging[at] + 1) / 2) / (most + 1) : 0;
    const double far = leaf ? radius + 1.5 : radius;
    places[router] = {radius + 1.5 + far * std::sin(angle[at] + turn * share),
                      radius + 1.5 - far * std::cos(angle[at] + turn * share)};
  }
  return places;
}

}  // namespace

std::vector<Point> places_of(const Topology& topology) {
  std::vector<Point> places;
  if (topology.kind() != TopologyKind::graph) {
    for (NodeId node = 0; node < topology.nodes(); ++node) places.push_back(place_on_grid(topology, node));
    return places;
  }
  const Graph& graph = *topology.graph();
  for (NodeId router = 0; router < graph.routers(); ++router) {
    const auto at = graph.at(router);
    if (!at) return circle(graph);
    places.push_back(*at);
  }
  const Point shift{std::min(0.0, std::ranges::min(places, {}, &Point::x).x),
                    std::min(0.0, std::ranges::min(places, {}, &Point::y).y)};
  for (Point& place : places) place = {place.x - shift.x, place.y - shift.y};
  return places;
}

}  // namespace flitscope
