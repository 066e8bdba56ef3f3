// Results as JSON, with the keys that docs/results.md lists.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/analysis/check_report.h"
#include "sim/experiment/experiment.h"

namespace flitscope {

/// The result of a run. All but "host" is the same for the same configuration.
[[nodiscard]] nlohmann::ordered_json to_json(const RunResult& result);

/// The result of `verify`.
[[nodiscard]] nlohmann::ordered_json to_json(const CheckReport& report, const ScheduleFacts& facts);

}  // namespace flitscope
