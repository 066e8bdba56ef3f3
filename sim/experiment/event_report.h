// What `verify` says of event schedules, as text and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/event_schedule.h"
#include "sim/analysis/event_checker.h"

namespace flitscope {

[[nodiscard]] std::string report_text(const EventReport& report, const EventFacts& facts);

/// {"legal", "algorithm", "topology", "nodes", "ports", "reconfiguration_units", "steps", "messages",
/// "tunings", "chunks_sent", "longest_message", "units", "claimed_units", "lower_bound_units", "claim_kept",
/// "most_arrivals", "redundant_deliveries", "violations", "violation_count"}
[[nodiscard]] nlohmann::ordered_json to_json(const EventReport& report, const EventFacts& facts);

}  // namespace flitscope
