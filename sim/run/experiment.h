// One experiment, from its configuration to its result.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "model/types.h"
#include "sim/run/result.h"

namespace flitscope {

/// The progress of a run.
struct Progress {
  std::uint64_t arrived = 0;   ///< messages
  std::uint64_t messages = 0;  ///< that the schedule announces
  Cycle cycle = 0;
  double flit_hops_per_second = 0;
};

struct RunOptions {
  /// Called during the run, if given.
  std::function<void(const Progress&)> on_progress;
  /// The shortest time between two of these calls.
  std::chrono::milliseconds progress_pause{250};
  /// Records the waits of heads, for the worst channels and messages of the result. A run of traffic can do
  /// without them and without its bounds (TrafficResult::bounds).
  bool explains_waits = true;
  /// Threads that the run may take if its configuration does not say; one if several runs go on at once.
  unsigned free_threads = 1;
  /// Directory for the files of the configuration's `observe`; empty: none is written.
  std::filesystem::path observed_files;
};

/// Runs an experiment. One per process: SystemC cannot start a second simulation.
/// Throws InputError (with its place) for a configuration that does not fit, ScheduleError for a schedule
/// that breaks its own rules, OutputError if a file of `observe` cannot be written.
[[nodiscard]] RunResult run_experiment(ExperimentConfig config, const RunOptions& options = {});

}  // namespace flitscope
