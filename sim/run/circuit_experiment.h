// One experiment on a complete network.
#pragma once

#include "sim/run/experiment.h"

namespace flitscope {

/// What run_experiment does for a complete topology. Throws Inadmissible, with the key of the value that does
/// not fit, and else as run_experiment.
[[nodiscard]] RunResult simulate_circuits(ExperimentConfig config, const RunOptions& options);

}  // namespace flitscope
