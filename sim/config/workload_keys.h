// The keys of what the network has to do.
#pragma once

#include "params/key_row.h"
#include "sim/config/config.h"

namespace flitscope {

/// `workload`: an algorithm, a schedule or traffic.
[[nodiscard]] RowSection<ExperimentConfig> workload_section();
/// `workload.background`: traffic beside the first two.
[[nodiscard]] RowSection<ExperimentConfig> background_section();

/// `workload.classes`, a list of maps: this is the section of class `item`, counted from 0, as
/// class_section_name() calls it. It is filled after the workload's own keys.
[[nodiscard]] RowSection<ExperimentConfig> class_section(std::size_t item);

}  // namespace flitscope
