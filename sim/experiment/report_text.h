// Results for people.
#pragma once

#include <string>

#include "sim/analysis/check_report.h"
#include "sim/experiment/experiment.h"

namespace flitscope {

/// What was run, a line per step, totals, stalls, and whether it is verified.
[[nodiscard]] std::string report_text(const RunResult& result);

/// What was checked and what was found.
[[nodiscard]] std::string report_text(const CheckReport& report, const ScheduleFacts& facts);

}  // namespace flitscope
