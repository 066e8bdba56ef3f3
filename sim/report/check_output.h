// What `verify` says of schedules, as text and as JSON, with the keys that docs/user-guide.md and
// docs/complete-networks.md list.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/circuit_schedule.h"
#include "model/schedule.h"
#include "sim/analysis/check_report.h"
#include "sim/analysis/circuit_checker.h"

namespace flitscope {

[[nodiscard]] std::string report_text(const CheckReport& report, const ScheduleFacts& facts);
[[nodiscard]] std::string report_text(const CircuitReport& report, const CircuitFacts& facts);

[[nodiscard]] nlohmann::ordered_json to_json(const CheckReport& report, const ScheduleFacts& facts);
[[nodiscard]] nlohmann::ordered_json to_json(const CircuitReport& report, const CircuitFacts& facts);

}  // namespace flitscope
