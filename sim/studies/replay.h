// Calls of a recording, or of a table's kernels, on a machine: when each is answered, and where its packets
// waited.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/config/config.h"
#include "sim/formats/recording.h"

namespace flitscope {

/// Replays the calls of all networks, as `recording.calls` has it, in this process, on the machine of a
/// configuration, whose workload does not count. Throws InputError. Keys of the result:
///   begins  [cycle, ..]: by call, when it was made
///   ends    [cycle, ..]: by call, when the last packet of its answer has arrived
///   waits   [[call, cause, place, cycles], ..]: flit-cycles that its packets waited (WaitPlace); without
///           `of_calls` those of all calls together, as call 0
[[nodiscard]] nlohmann::ordered_json replay(const ExperimentConfig& config, const Recording& recording,
                                            bool of_calls = true);

}  // namespace flitscope
