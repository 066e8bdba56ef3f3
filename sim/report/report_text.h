// Results for people.
#pragma once

#include <string>

#include "sim/run/result.h"
#include "sim/run/experiment.h"

namespace flitscope {

/// What was run, a line per step, totals, stalls, and whether it is verified.
[[nodiscard]] std::string report_text(const RunResult& result);

/// "cycle 12800, 930 of 1024 messages arrived, 18.4 M flit-hops/s"
[[nodiscard]] std::string progress_text(const Progress& progress);

}  // namespace flitscope
