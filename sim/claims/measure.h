// Measurements of claims: experiments as a user would configure them, checked or run on flits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/analysis/schedule_checker.h"
#include "sim/config/config.h"

namespace flitscope::claims {

/// The experiment that a configuration with these two sections asks for, everything else at its default or
/// as `settings` "PATH=VALUE" have it. Sections are YAML: experiment("{kind: torus, shape: [7, 7]}",
/// "{algorithm: tsay-wang, reading: literal}"). Throws InputError as reading a file does.
[[nodiscard]] ExperimentConfig experiment(const std::string& topology, const std::string& workload,
                                          const std::vector<std::string>& settings = {});

/// "{kind: torus, shape: [7, 7]}": a torus of `dimensions` sides of `side` nodes.
[[nodiscard]] std::string equal_torus(std::uint64_t side, unsigned dimensions);

/// The report of the schedule checker on the experiment's schedule. Throws Inadmissible.
[[nodiscard]] CheckReport check(const ExperimentConfig& config, const CheckOptions& options = {});

/// The first violation that the checker found; empty if the schedule is legal.
[[nodiscard]] std::string violation_of(const CheckReport& report);

/// A step on a machine with delays of 1 and no start-up, if every message had the network to itself, and the
/// sharing of its links.
struct StepAlone {
  Cycle cycles = 0;
  Cycle transmission = 0;  ///< of these, what the longest message's flits take on its node's channel
  std::uint32_t load = 0;  ///< most messages on a link
};

/// All steps of a schedule on flits of 8 bytes, of which a node sends one in `interval` cycles: by timing.md
/// (H + 1)(R + D) + (L - 1) s cycles.
[[nodiscard]] std::vector<StepAlone> steps_alone(Schedule& schedule, Cycle interval = 1);

/// Results of a run on flits.
struct FlitRun {
  Cycle cycles = 0;                ///< until the last delivery
  std::vector<Cycle> step_cycles;  ///< of every step
  /// Flit-cycles by StallCause.
  StallCounts stalls{};
  Cycle max_latency = 0;  ///< of the slowest message
  Cycle unit_cycles = 1;  ///< t_m; 1 if the network is not complete
  /// Why the run is not verified; empty if it is. A deadlock and a missed goal are such reasons.
  std::string objection;

  [[nodiscard]] std::uint64_t total_stalls() const;
};

/// Runs the experiment on flits, in a process of its own. Throws std::runtime_error if it fails.
[[nodiscard]] FlitRun run_on_flits(const ExperimentConfig& config);

/// The same for a run that must do what the collective asks for. Throws std::runtime_error, naming the
/// experiment as `name`, if it is not verified.
[[nodiscard]] FlitRun verified_run(const ExperimentConfig& config, const std::string& name);

}  // namespace flitscope::claims
