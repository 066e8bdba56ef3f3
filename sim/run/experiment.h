// One experiment, from its configuration to its result.
#pragma once

#include "sim/run/runs.h"

namespace flitscope {

/// Runs an experiment. One per process: SystemC cannot start a second simulation.
/// Throws InputError (with its place) for a configuration that does not fit, ScheduleError for a schedule
/// that breaks its own rules, OutputError if a file of `observe` cannot be written.
[[nodiscard]] RunResult run_experiment(ExperimentConfig config, const RunOptions& options = {});

}  // namespace flitscope
