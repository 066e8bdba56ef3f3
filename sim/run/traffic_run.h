// One experiment with synthetic traffic.
#pragma once

#include "sim/run/profile_run.h"
#include "sim/run/result.h"
#include "sim/run/run_options.h"

namespace flitscope {

/// What run_on_links does for a workload of traffic. Its steps are none; message 3.5 is the third one of the
/// node with the number 4.
[[nodiscard]] RunResult run_traffic(ExperimentConfig config, const RunOptions& options,
                                    const RunFunction& run);

}  // namespace flitscope
