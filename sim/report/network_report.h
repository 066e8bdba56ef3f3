// The cost of a configuration's network, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/config/config.h"

namespace flitscope {

/// Lines about the network, which must have links; the machine must be complete.
[[nodiscard]] std::string network_text(const ExperimentConfig& config);
/// The same: docs/results.md has the keys.
[[nodiscard]] nlohmann::ordered_json network_json(const ExperimentConfig& config);

}  // namespace flitscope
