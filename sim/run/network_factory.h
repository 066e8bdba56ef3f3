// The network that a run simulates, by the configuration's machine and its section `engine`.
#pragma once

#include <cstdint>

#include "sim/config/config.h"
#include "sim/network/network.h"

namespace flitscope {

/// Makes the network of a configuration, whose machine must be complete (see resolve_auto_settings), with a
/// clock period of `picoseconds`. As SystemC's objects it lives until the process ends. It may take
/// `free_threads` threads if the configuration does not say how many. Throws Inadmissible if the process has
/// not enough memory for it.
[[nodiscard]] Network& make_network(const ExperimentConfig& config, std::uint64_t picoseconds,
                                    unsigned free_threads);

}  // namespace flitscope
