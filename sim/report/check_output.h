// What `verify` says of schedules, as text and as JSON, with the keys that docs/user-guide.md and
// docs/complete-networks.md list.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "model/circuit_schedule.h"
#include "model/schedule.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/analysis/circuit_checker.h"
#include "sim/analysis/lower_bounds.h"

namespace flitscope {

/// `more`: lines that stand before the verdict.
[[nodiscard]] std::string report_text(const CheckReport& report, const ScheduleFacts& facts,
                                      const std::string& more = {});
[[nodiscard]] std::string report_text(const CircuitReport& report, const CircuitFacts& facts);

[[nodiscard]] nlohmann::ordered_json to_json(const CheckReport& report, const ScheduleFacts& facts);

/// What a schedule that somebody else may have made is asked: check by check, and against the bounds of its
/// collective. `report` must have been made with CheckOptions::volumes.
[[nodiscard]] std::string scrutiny_text(const CheckReport& report, const ScheduleFacts& facts,
                                        std::span<const LowerBound> bounds);
/// The same as keys of `verify --json`.
void add_scrutiny(const CheckReport& report, const ScheduleFacts& facts, std::span<const LowerBound> bounds,
                  nlohmann::ordered_json& json);
[[nodiscard]] nlohmann::ordered_json to_json(const CircuitReport& report, const CircuitFacts& facts);

}  // namespace flitscope
