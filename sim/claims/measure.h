// What a claim measures with: experiments as a user would configure them, checked or run on flits.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "sim/analysis/check_report.h"
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

/// What the schedule checker says of the experiment's schedule. Throws Inadmissible.
[[nodiscard]] CheckReport check(const ExperimentConfig& config, const CheckOptions& options = {});

/// Runs the experiment on flits, in a process of its own, and returns its result (the keys of result.json).
/// Throws std::runtime_error if it fails; a deadlock or a missed goal is a result, not a failure.
[[nodiscard]] nlohmann::ordered_json run_on_flits(const ExperimentConfig& config);

/// The sum of stalls over all causes, in flit-cycles, of a result of run_on_flits.
[[nodiscard]] std::uint64_t total_stalls(const nlohmann::ordered_json& result);

}  // namespace flitscope::claims
