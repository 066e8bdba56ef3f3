// The cost of a configuration's network, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/config/config.h"

namespace flitscope {

/// Steps along links that searches take at most: in the report of a run a tenth of a second, or some ten.
inline constexpr double kQuickSearch = 1e7;
inline constexpr double kLongSearch = 1e9;

/// Lines about the network, which must have links; the machine must be complete.
[[nodiscard]] std::string network_text(const ExperimentConfig& config, double max_work);
/// The same: docs/results.md has the keys.
[[nodiscard]] nlohmann::ordered_json network_json(const ExperimentConfig& config, double max_work);

}  // namespace flitscope
