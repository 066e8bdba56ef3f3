// The three kinds of runs: schedules on links, traffic on links, schedules on circuits.
#pragma once

#include <functional>

#include "sim/run/experiment.h"
#include "sim/run/result.h"

namespace flitscope {

/// run_experiment.
using RunFunction = std::function<RunResult(ExperimentConfig)>;

/// Runs a schedule on a network with links. `run` runs the experiment in another process for observers that
/// need a profile (ProfileRun). Throws Inadmissible, with the key of the value that does not fit, and else as
/// run_experiment.
[[nodiscard]] RunResult run_on_links(ExperimentConfig config, const RunOptions& options,
                                     const RunFunction& run);

/// The same for a workload of traffic. It has no steps; message 3.5 is the third one of the node with the
/// number 4.
[[nodiscard]] RunResult run_traffic(ExperimentConfig config, const RunOptions& options,
                                    const RunFunction& run);

/// The same on a complete network.
[[nodiscard]] RunResult run_on_circuits(ExperimentConfig config, const RunOptions& options,
                                        const RunFunction& run);

}  // namespace flitscope
