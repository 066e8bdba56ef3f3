// All-reduces by exchanges on any network: recursive doubling and halving.
#pragma once

#include <memory>
#include <string>

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

}  // namespace flitscope::all_reduce
