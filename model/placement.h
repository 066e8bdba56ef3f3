// Where routers stand in a drawing of their network.
#pragma once

#include <vector>

#include "model/graph.h"
#include "model/topology.h"

namespace flitscope {

/// A place for every router, by number, none twice: neighbours on a grid are 1 apart. Of tori and meshes
/// dimension 0 goes to the right and dimension 1 down; the planes of further dimensions stand side by side,
/// by turns to the right and below, with a gap between them. Routers of a graph stand where it says,
/// moved if some would stand left of 0 or above it; if it does not say so of all of them, core routers stand
/// in a circle, and nodes that hang on them outside of it.
[[nodiscard]] std::vector<Point> places_of(const Topology& topology);

}  // namespace flitscope
