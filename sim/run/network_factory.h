// The network that a run simulates.
#pragma once

#include <cstdint>

#include "sim/config/config.h"
#include "sim/network/network.h"

namespace flitscope {

/// Makes the network of a configuration, whose machine must be complete (see resolve_auto_settings), with a
/// clock of so many picoseconds. SystemC frees its objects when the process ends and not before: so it does
/// this one. It may take `free_threads` threads if the configuration does not say how many. Throws
/// Inadmissible if this process may not have the memory that it takes.
[[nodiscard]] Network& make_network(const ExperimentConfig& config, std::uint64_t picoseconds,
                                    unsigned free_threads);

}  // namespace flitscope
