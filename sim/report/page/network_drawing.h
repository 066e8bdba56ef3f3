// Where the nodes and links of a network lie in a drawing.
#pragma once

#include <string>
#include <vector>

#include "model/topology.h"

namespace flitscope {

/// In units of the distance between neighbours; x to the right, y downwards.
struct DrawnPoint {
  double x = 0;
  double y = 0;
};

struct DrawnLink {
  ChannelId channel = 0;
  NodeId from = 0;
  NodeId to = 0;
  /// Of a link that is not drawn from node to node, since it leads around or into another layer: the
  /// direction of the stub at its beginning. {0, 0}: it is drawn whole.
  DrawnPoint stub;
};

/// A part of the network that is drawn by itself, such as a plane of a torus of three dimensions.
struct DrawnLayer {
  std::string name;  ///< empty if there is but one
  DrawnPoint corner;
  double width = 0;
  double height = 0;
};

struct NetworkDrawing {
  std::vector<DrawnPoint> nodes;
  std::vector<DrawnLink> links;  ///< those that exist, by number
  std::vector<DrawnLayer> layers;
};

/// A line for one dimension, a grid for two, a grid of planes for more. A complete network has no drawing: it
/// is empty.
[[nodiscard]] NetworkDrawing draw_network(const Topology& topology);

}  // namespace flitscope
