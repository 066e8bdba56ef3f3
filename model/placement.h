// Positions of routers in a drawing of their network.
#pragma once

#include <vector>

#include "model/graph.h"
#include "model/topology.h"

namespace flitscope {

/// A place for every router, by number, none twice: neighbours on a grid are 1 apart. Of tori and meshes
/// dimension 0 goes to the right and dimension 1 down; the planes of further dimensions follow to the right
/// and below in turn, with a gap between them. Routers of a graph have the positions of the graph, shifted to
/// be non-negative; if any router has none, core routers form a circle with their leaf nodes around it.
[[nodiscard]] std::vector<Point> places_of(const Topology& topology);

}  // namespace flitscope
