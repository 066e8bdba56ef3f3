// The keys of what the network has to do.
#pragma once

#include "model/key_row.h"
#include "sim/config/config.h"

namespace flitscope {

/// `workload`: an algorithm, a schedule or traffic.
[[nodiscard]] RowSection<ExperimentConfig> workload_section();
/// `workload.background`: traffic beside the first two.
[[nodiscard]] RowSection<ExperimentConfig> background_section();

}  // namespace flitscope
