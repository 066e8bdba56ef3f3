// Checks what a schedule announces before its first step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/schedule.h"
#include "sim/analysis/check_report.h"

namespace flitscope {

/// What contradicts itself in the announcement: a routing function that does not exist, stages outside the
/// steps or not after one another.
[[nodiscard]] std::vector<Violation> check_facts(const ScheduleFacts& facts);

/// What is wrong with an announced claim and lower bound of a schedule that takes `actual` of `unit` (such as
/// "step"): a lower bound above that, or a claim below the lower bound or of nothing at all.
[[nodiscard]] std::vector<Violation> check_bounds(std::uint64_t actual, const char* unit,
                                                  const std::optional<std::uint64_t>& claimed,
                                                  const std::optional<std::uint64_t>& lower_bound);

/// Of what check_facts finds, the stages.
[[nodiscard]] std::vector<Violation> check_stages(const ScheduleFacts& facts);

}  // namespace flitscope
