// All-reduces by exchanges: recursive doubling and halving on any network, and dissemination on tori.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/common/spread.h"
#include "model/topology.h"

namespace flitscope::all_reduce {

/// A torus whose sides are powers of two: exchanges go along its dimensions.
[[nodiscard]] bool has_sides_of_powers_of_two(const Topology& topology);

/// All-reduce in which pairs of nodes exchange their whole vectors.
[[nodiscard]] std::unique_ptr<Schedule> folded_doubling(const Topology& topology,
                                                        const ParameterValues& values,
                                                        const std::string& algorithm);

/// All-gather by exchanges of all that a pair of nodes has.
[[nodiscard]] common::Spread folded_spread(const Topology& topology);

/// All-reduce by recursive halving, then doubling. Unlike the two halves of folded_spread it cuts the vector
/// for the nodes that exchange alone, and so has two steps less.
[[nodiscard]] std::unique_ptr<Schedule> folded_halving_doubling(const Topology& topology,
                                                                const ParameterValues& values,
                                                                const std::string& algorithm);

// Offsets that tile a torus: what dissemination sends along.

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
