// Results for people.
#pragma once

#include <string>

#include "sim/run/experiment.h"

namespace flitscope {

/// What was run, a line per step, totals, stalls, and whether it is verified.
[[nodiscard]] std::string report_text(const RunResult& result);

}  // namespace flitscope
