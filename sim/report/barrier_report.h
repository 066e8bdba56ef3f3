// Barriers of a recording beside their replay.
#pragma once

#include <string>

#include "sim/run/result.h"

namespace flitscope {

/// How far barriers are from the recording, and what the worst wait for; empty without barriers.
[[nodiscard]] std::string barriers_text(const RunResult& result);
/// docs/results.md has the columns.
[[nodiscard]] std::string barriers_csv(const std::vector<BarrierRecord>& barriers);

}  // namespace flitscope
