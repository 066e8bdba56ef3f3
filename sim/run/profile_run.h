// Runs an experiment once before it is run, for observers that must know what happens.
#pragma once

#include <functional>

#include "sim/observe/observer.h"
#include "sim/run/result.h"

namespace flitscope {

using RunFunction = std::function<RunResult(ExperimentConfig)>;

/// Runs the experiment with `run`, unobserved, in a process of its own. `config` must be complete (see
/// resolve_auto_settings); the calling process must not have simulated. If that run fails nothing is found:
/// the run itself will meet the error again.
[[nodiscard]] ProfileRun profile_run(const ExperimentConfig& config, const RunFunction& run);

}  // namespace flitscope
