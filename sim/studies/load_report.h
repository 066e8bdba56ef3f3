// A load curve for people, programs and pictures.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/studies/load_curve.h"

namespace flitscope {

[[nodiscard]] std::string load_text(const ExperimentConfig& config, const LoadCurve& curve);
/// {"points": [{"offered", "accepted", "status", ..}], "zero_load_latency_cycles", ..}
[[nodiscard]] nlohmann::ordered_json load_json(const ExperimentConfig& config, const LoadCurve& curve);
/// A row a point.
[[nodiscard]] std::string load_csv(const ExperimentConfig& config, const LoadCurve& curve);
/// Mean and 99% latency against the load, of the points that are not saturated; and the mean of each class.
[[nodiscard]] std::string load_svg(const ExperimentConfig& config, const LoadCurve& curve);

}  // namespace flitscope
