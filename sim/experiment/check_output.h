// What `verify` says of schedules, as text and as JSON, with the keys that docs/user-guide.md and
// docs/complete-networks.md list.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/event_schedule.h"
#include "model/schedule.h"
#include "sim/analysis/check_report.h"
#include "sim/analysis/event_checker.h"

namespace flitscope {

[[nodiscard]] std::string report_text(const CheckReport& report, const ScheduleFacts& facts);
[[nodiscard]] std::string report_text(const EventReport& report, const EventFacts& facts);

[[nodiscard]] nlohmann::ordered_json to_json(const CheckReport& report, const ScheduleFacts& facts);
[[nodiscard]] nlohmann::ordered_json to_json(const EventReport& report, const EventFacts& facts);

}  // namespace flitscope
