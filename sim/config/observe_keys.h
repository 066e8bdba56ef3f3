// The keys of the section `observe` and those in it, until every observer registers its own
// (model/settings.h).
#pragma once

#include <vector>

#include "model/key_row.h"
#include "sim/config/config.h"

namespace flitscope {

/// The sections "observe", "observe.filter" and "observe.waves".
[[nodiscard]] std::vector<RowSection<ExperimentConfig>> observe_sections();

}  // namespace flitscope
