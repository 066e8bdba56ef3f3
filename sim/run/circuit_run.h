// One experiment on a complete network.
#pragma once

#include "sim/run/profile_run.h"
#include "sim/run/result.h"
#include "sim/run/run_options.h"

namespace flitscope {

/// What run_experiment does for a complete topology; see run_on_links.
[[nodiscard]] RunResult run_on_circuits(ExperimentConfig config, const RunOptions& options,
                                        const RunFunction& run);

}  // namespace flitscope
