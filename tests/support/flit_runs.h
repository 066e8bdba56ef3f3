// Experiments run on flits, each in a process of its own, with results as in result.json.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/config/config_source.h"
#include "sim/report/run_report.h"
#include "sim/run/experiment.h"

namespace flitscope::test {

/// A configuration of two sections in YAML, and `settings` "PATH=VALUE".
[[nodiscard]] inline ExperimentConfig experiment(const std::string& topology, const std::string& workload,
                                                 const std::vector<std::string>& settings) {
  return parse_config(fmt::format("flitscope: 1\ntopology: {}\nworkload: {}\n", topology, workload), "test",
                      "/", settings);
}

[[nodiscard]] inline nlohmann::json run_on_flits(const ExperimentConfig& config) {
  return nlohmann::json::parse(run_isolated([&] { return to_json(run_experiment(config)).dump(); }));
}

}  // namespace flitscope::test
