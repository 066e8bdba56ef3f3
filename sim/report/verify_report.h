// Results of `verify` as text and as JSON, with the keys that docs/schedules.md and
// docs/complete-networks.md list.
#pragma once

#include <span>
#include <string>

#include "model/circuit_schedule.h"
#include "model/schedule.h"
#include "model/topology.h"
#include "sim/analysis/circuit_checker.h"
#include "sim/analysis/lower_bounds.h"
#include "sim/analysis/schedule_checker.h"
#include "sim/formats/strict_json.h"
#include "sim/verify/deadlock_check.h"
#include "sim/verify/witness.h"

namespace flitscope {

/// `more`: lines before the verdict.
[[nodiscard]] std::string report_text(const CheckReport& report, const ScheduleFacts& facts,
                                      const std::string& more = {});
[[nodiscard]] std::string report_text(const CircuitReport& report, const CircuitFacts& facts);

[[nodiscard]] Json to_json(const CheckReport& report, const ScheduleFacts& facts);

/// The checks of a schedule from elsewhere, one by one, and the bounds of its collective. `report` must have
/// been made with CheckOptions::volumes.
[[nodiscard]] std::string scrutiny_text(const CheckReport& report, const ScheduleFacts& facts,
                                        std::span<const LowerBound> bounds);
/// The same as keys of `verify --json`.
void add_scrutiny(const CheckReport& report, const ScheduleFacts& facts, std::span<const LowerBound> bounds,
                  Json& json);
[[nodiscard]] Json to_json(const CircuitReport& report, const CircuitFacts& facts);

[[nodiscard]] std::string verdict_text(const DeadlockCheck& check, const Topology& topology);
/// The number of messages that deadlock, and the channels that they hold.
[[nodiscard]] std::string witness_text(const Witness& witness, const Topology& topology);
[[nodiscard]] std::string witness_text(const ProtocolWitness& witness);

[[nodiscard]] std::string fixes_text(const SuggestedFixes& fixes, const Topology& topology);

[[nodiscard]] Json to_json(const DeadlockCheck& check, const Topology& topology);
[[nodiscard]] Json to_json(const SuggestedFixes& fixes, const Topology& topology);

}  // namespace flitscope
