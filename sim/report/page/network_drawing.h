// Places of the nodes and links of a network in the page's drawing, in units of the distance between
// neighbours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/graph.h"
#include "model/topology.h"

namespace flitscope {

struct DrawnLink {
  ChannelId channel = 0;
  NodeId from = 0;
  NodeId to = 0;
  /// Of a link that is not drawn from node to node, since it leads around or into another layer: the
  /// direction of the stub at its beginning. {0, 0}: it is drawn whole.
  Point stub;
};

/// A part of the network that is drawn by itself, such as a plane of a torus of three dimensions.
struct DrawnLayer {
  std::string name;  ///< empty if there is but one
  Point corner;
  double width = 0;
  double height = 0;
};

struct NetworkDrawing {
  std::vector<Point> nodes;      ///< routers, by number
  std::vector<DrawnLink> links;  ///< those that exist, by number
  std::vector<DrawnLayer> layers;
};

/// A line for one dimension, a grid for two, a grid of planes for more, and a graph where it says or, if a
/// router has no position, as a circle. No two routers are in one place. A complete network has no drawing:
/// it is empty.
[[nodiscard]] NetworkDrawing draw_network(const Topology& topology);

/// The places of links in the drawing of a topology, by channel.
[[nodiscard]] std::vector<std::uint32_t> places_of_links(const NetworkDrawing& drawing,
                                                         const Topology& topology);

}  // namespace flitscope
