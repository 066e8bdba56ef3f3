// The result of a run for people, and as JSON with the keys that docs/results.md lists.
#pragma once

#include <string>

#include "sim/formats/strict_json.h"
#include "sim/run/experiment.h"
#include "sim/run/result.h"

namespace flitscope {

/// What was run, a line per step, totals, stalls, and whether it is verified.
[[nodiscard]] std::string report_text(const RunResult& result);

/// "cycle 12800, 930 of 1024 messages arrived, 18.4 M flit-hops/s"
[[nodiscard]] std::string progress_text(const Progress& progress);

/// The result of a run. All but "host" is the same for the same configuration.
[[nodiscard]] Json to_json(const RunResult& result);

}  // namespace flitscope
