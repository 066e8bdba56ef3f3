// One experiment on a network with links.
#pragma once

#include "sim/run/profile_run.h"
#include "sim/run/result.h"
#include "sim/run/run_options.h"

namespace flitscope {

/// What run_experiment does for a torus or mesh. `run` runs another experiment, in another process (see
/// ProfileRun). Throws Inadmissible, with the key of the value that does not fit, and else as run_experiment.
[[nodiscard]] RunResult run_on_links(ExperimentConfig config, const RunOptions& options,
                                     const RunFunction& run);

}  // namespace flitscope
