// Synthetic traffic for people and programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/run/result.h"

namespace flitscope {

/// The parts of the report that are about traffic: what was offered and what became of it.
[[nodiscard]] std::string traffic_text(const RunResult& result, const TrafficResult& traffic);

/// The object `traffic` of result.json.
[[nodiscard]] nlohmann::ordered_json traffic_json(const RunResult& result, const TrafficResult& traffic);

/// Traffic beside a schedule: a line of the report, and the object `background` of result.json.
[[nodiscard]] std::string background_text(const RunResult& result, const BackgroundResult& background);
[[nodiscard]] nlohmann::ordered_json background_json(const RunResult& result,
                                                     const BackgroundResult& background);

/// What is known without a run: the load of the links, and what no router can exceed.
[[nodiscard]] std::string traffic_bounds_text(const ExperimentConfig& config, const TrafficBounds& bounds);
[[nodiscard]] nlohmann::ordered_json traffic_bounds_json(const ExperimentConfig& config,
                                                         const TrafficBounds& bounds);

/// classes.csv of a run directory: a row for each of several classes.
[[nodiscard]] std::string classes_csv(const RunResult& result, const TrafficResult& traffic);

}  // namespace flitscope
