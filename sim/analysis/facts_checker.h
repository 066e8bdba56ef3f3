// Checks what a schedule announces before its first step.
#pragma once

#include <vector>

#include "model/schedule.h"
#include "sim/analysis/check_report.h"

namespace flitscope {

/// What contradicts itself in the announcement: a routing function that does not exist, stages outside the
/// steps or not after one another.
[[nodiscard]] std::vector<Violation> check_facts(const ScheduleFacts& facts);

/// Of these, the stages.
[[nodiscard]] std::vector<Violation> check_stages(const ScheduleFacts& facts);

}  // namespace flitscope
