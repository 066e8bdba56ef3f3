// One experiment, from its configuration to its verified result: what it is asked for, and the kinds of runs.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "model/possession.h"
#include "model/types.h"
#include "sim/run/result.h"

namespace flitscope {

class Network;

// What a run is asked for, and the three kinds of runs: schedules on links, traffic on links, schedules on
// circuits.

/// The progress of a run.
struct Progress {
  std::uint64_t arrived = 0;   ///< messages
  std::uint64_t messages = 0;  ///< that the schedule announces
  Cycle cycle = 0;
  double flit_hops_per_second = 0;
};

struct RunOptions {
  /// Called during the run, if given.
  std::function<void(const Progress&)> on_progress = {};
  /// The shortest time between two of these calls.
  std::chrono::milliseconds progress_pause{250};
  /// Records the waits of heads, for the worst channels and messages of the result, what nodes do, and the
  /// critical path. A run of traffic can do without them and without its bounds (TrafficResult::bounds), one
  /// of a schedule without nodes and path.
  bool explains_waits = true;
  /// Bounds of the same traffic at any loads, if they are known. Without them a run of traffic that does not
  /// explain waits does not see that its load is beyond the bound.
  const TrafficBounds* known_bounds = nullptr;
  /// Threads that the run may take if its configuration does not say; one if several runs go on at once.
  unsigned free_threads = 1;
  /// Directory for the files of the configuration's `observe`; empty: none is written.
  std::filesystem::path observed_files = {};
};

/// Runs a schedule on a network with links. Throws Inadmissible, with the key of the value that does not fit,
/// and else as run_experiment.
[[nodiscard]] RunResult run_on_links(ExperimentConfig config, const RunOptions& options);

/// The same for a workload of traffic. It has no steps; message 3.5 is the third one of the node with the
/// number 4.
[[nodiscard]] RunResult run_traffic(ExperimentConfig config, const RunOptions& options);

/// The same on a complete network.
[[nodiscard]] RunResult run_on_circuits(ExperimentConfig config, const RunOptions& options);

/// Runs an experiment. One per process: SystemC cannot start a second simulation.
/// Throws InputError (with its place) for a configuration that does not fit, ScheduleError for a schedule
/// that breaks its own rules, OutputError if a file of `observe` cannot be written.
[[nodiscard]] RunResult run_experiment(ExperimentConfig config, const RunOptions& options = {});

// Simulations in child processes: SystemC allows one a process.

/// Runs `body` in a child process and returns the text it returns. The calling process must not have started
/// a simulation itself. Throws std::runtime_error with the child's error if it throws, or if it dies.
[[nodiscard]] std::string run_isolated(const std::function<std::string()>& body);

// Verification of a finished run, on links and on circuits.

/// Deliveries of a run as its driver and its network counted them.
struct RunTotals {
  const Possession& possession;
  /// Of combined chunks; nullptr if there are none.
  const OperandLedger* operands = nullptr;
  std::uint64_t messages = 0;
  std::uint64_t flits_sent = 0;
  std::uint64_t flits_arrived = 0;
};

/// Compares the deliveries of a completed run with the goal of the collective and the announcement of the
/// schedule. Sets status and failed_checks. The result must have its steps.
void verify(RunResult& result, const RunTotals& totals);

/// Adds a failed check if a number is not the expected one.
void expect(RunResult& result, const char* what, std::uint64_t expected, std::uint64_t actual);

/// Sets status and failed_checks of a run that reached the limit of cycles.
void end_at_limit(RunResult& result);

// What the runs on networks start with.

/// The length of a cycle in picoseconds: 1 ns if the configuration does not say. `planned`: cycles by which
/// the network may schedule events ahead. Throws Inadmissible if SystemC's time, a 64-bit number of
/// picoseconds, cannot count to the limit and `planned` cycles beyond.
[[nodiscard]] std::uint64_t countable_period(const ExperimentConfig& config, Cycle planned);

/// Makes the network of a configuration, whose machine must be complete (see resolve_auto_settings). As
/// SystemC's objects it lives until the process ends. It may take `free_threads` threads if the configuration
/// does not say how many. Throws Inadmissible if the process has not enough memory for it, or its time cannot
/// be counted.
[[nodiscard]] Network& make_network(const ExperimentConfig& config, unsigned free_threads);

}  // namespace flitscope
