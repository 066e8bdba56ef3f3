#include "sim/report/page/network_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace flitscope {

namespace {

constexpr double kGap = 1;  ///< between layers

/// The number of layers in a line: about as many as lines, so that the drawing is nearly square.
std::uint64_t layers_a_line(const Topology& topology, std::uint64_t layers) {
  if (topology.dimensions() == 3 && layers <= 4) return layers;
  return static_cast<std::uint64_t>(std::ceil(std::sqrt(static_cast<double>(layers))));
}

/// "plane [*, *, 2]"
std::string layer_name(const Topology& topology, NodeId first) {
  std::string name = "[*, *";
  for (unsigned dimension = 2; dimension < topology.dimensions(); ++dimension) {
    name += fmt::format(", {}", topology.coordinate(first, dimension));
  }
  return name + "]";
}

Point direction(unsigned port) {
  const double sign = sign_of_port(port) == Sign::plus ? 1 : -1;
  switch (dimension_of_port(port)) {
    case 0:
      return {sign, 0};
    case 1:
      return {0, sign};
    case 2:
      return {sign * 0.7, sign * 0.7};
    default:
      return {sign * 0.7, -sign * 0.7};
  }
}

/// The router that a node with one link is attached to; itself for all others.
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
  std::vector<double> attached(graph.routers());
  double cores = 0;
  for (NodeId router = 0; router < graph.routers(); ++router) {
    core[router] = core_of(graph, router);
    if (core[router] == router) {
      ++cores;
    } else {
      ++attached[core[router]];
    }
  }
  const double most = std::max(1.0, *std::ranges::max_element(attached));
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
    const double share = leaf ? (++placed[at] - (attached[at] + 1) / 2) / (most + 1) : 0;
    const double far = leaf ? radius + 1.5 : radius;
    places[router] = {radius + 1.5 + far * std::sin(angle[at] + turn * share),
                      radius + 1.5 - far * std::cos(angle[at] + turn * share)};
  }
  return places;
}

/// Positions of the routers of a graph, shifted to be non-negative; if any has none, core routers form a
/// circle with their leaf nodes around it.
std::vector<Point> places_of(const Graph& graph) {
  std::vector<Point> places;
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

/// A graph: where it says, in one layer.
NetworkDrawing draw_graph(const Topology& topology) {
  NetworkDrawing drawing;
  drawing.nodes = places_of(*topology.graph());
  DrawnLayer& layer = drawing.layers.emplace_back();
  for (const Point& place : drawing.nodes) {
    layer.width = std::max(layer.width, place.x + 1);
    layer.height = std::max(layer.height, place.y + 1);
  }
  topology.for_each_link([&](NodeId router, unsigned port, NodeId to) {
    drawing.links.push_back({topology.channel(router, port), router, to, {}});
  });
  return drawing;
}

}  // namespace

NetworkDrawing draw_network(const Topology& topology) {
  NetworkDrawing drawing;
  if (!topology.has_links()) return drawing;
  if (!topology.is_grid()) return draw_graph(topology);
  const NodeId width = topology.side(0);
  const NodeId height = topology.dimensions() > 1 ? topology.side(1) : 1;
  const NodeId plane = width * height;
  const std::uint64_t layers = topology.nodes() / plane;
  const std::uint64_t a_line = layers_a_line(topology, layers);
  for (std::uint64_t layer = 0; layer < layers; ++layer) {
    const std::uint64_t line = layer / a_line;
    const std::uint64_t place = layer % a_line;
    drawing.layers.push_back(
        {layers == 1 ? "" : layer_name(topology, static_cast<NodeId>(layer * plane)),
         {static_cast<double>(place) * (width + kGap), static_cast<double>(line) * (height + kGap)},
         static_cast<double>(width),
         static_cast<double>(height)});
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    const DrawnLayer& layer = drawing.layers[node / plane];
    const NodeId column = node % width;
    const NodeId row = node % plane / width;
    drawing.nodes.push_back({layer.corner.x + column, layer.corner.y + row});
  }
  topology.for_each_link([&](NodeId node, unsigned port, NodeId to) {
    const Point along = direction(topology.port_alone(port));
    const Point here = drawing.nodes[node];
    const Point there = drawing.nodes[to];
    const bool whole =
        topology.dimension(port) < 2 && there.x - here.x == along.x && there.y - here.y == along.y;
    drawing.links.push_back({topology.channel(node, port), node, to, whole ? Point() : along});
  });
  return drawing;
}

std::vector<std::uint32_t> places_of_links(const NetworkDrawing& drawing, const Topology& topology) {
  std::vector<std::uint32_t> places(topology.channel_ids());
  for (std::uint32_t i = 0; i < drawing.links.size(); ++i) places[drawing.links[i].channel] = i;
  return places;
}

}  // namespace flitscope
