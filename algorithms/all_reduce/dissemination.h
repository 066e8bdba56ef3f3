// Offsets that tile a torus: what dissemination sends along.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/topology.h"

namespace flitscope::all_reduce {

/// A displacement on a torus: hops in each dimension, with sign.
using Offset = std::vector<std::int64_t>;

/// Of each step, the offsets that every node sends along; 0, its own place, is not listed. Every node of the
/// torus is exactly one sum of 0 or an offset of each step.
using Tiling = std::vector<std::vector<Offset>>;

/// Steps of offsets +-v_1 .. +-v_D, the shortest that were found, on the torus with these sides, D of them;
/// nothing if there are none. There can be some only where the number of nodes is a power of 2D+1; they are
/// looked for by homomorphisms to the cyclic group of 2D+1.
[[nodiscard]] std::optional<Tiling> cross_tiling(const Topology& torus);

/// One dimension after the other: {-w, 0, w} where a side has a factor 3, {0, w} where it has a factor 2;
/// nothing if it has another.
[[nodiscard]] std::optional<Tiling> line_tiling(const Topology& torus);

}  // namespace flitscope::all_reduce
