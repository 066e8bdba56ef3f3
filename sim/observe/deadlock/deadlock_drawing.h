// A deadlock as a picture.
#pragma once

#include <string>

#include "model/topology.h"
#include "sim/observe/deadlock/deadlock.h"

namespace flitscope {

/// The dependency cycle as SVG: the nodes it touches with those between them, the channel that each worm
/// holds (solid, in the worm's colour) and the one it waits for (dashed, in the same colour). If the nodes
/// lie in one or two dimensions they lie so in the picture, links round the torus as arcs; otherwise on a
/// circle.
[[nodiscard]] std::string draw(const Deadlock& deadlock, const Topology& topology);

}  // namespace flitscope
