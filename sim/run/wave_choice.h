// What to draw waveforms of, where the configuration does not name it.
#pragma once

#include "sim/config/config.h"
#include "sim/observe/flits/wave_scope.h"

namespace flitscope {

/// The nodes and channels of `observe.waves`. The circle of a deadlock, the busiest node, and the busiest or
/// most congested channel are found by running the experiment once in a process of its own: the same input
/// gives the same run. Empty if no waveforms are wanted, or if there is nothing of what is wanted.
///
/// `config` must be complete (see complete_machine); the calling process must not have simulated. Errors of
/// that run are not reported: the run itself will meet them again.
[[nodiscard]] WaveScope choose_wave_scope(const ExperimentConfig& config);

}  // namespace flitscope
