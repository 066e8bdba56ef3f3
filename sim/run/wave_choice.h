// What to draw waveforms of, where the configuration does not name it.
#pragma once

#include "sim/config/config.h"
#include "sim/observe/flits/wave_scope.h"
#include "sim/run/first_run.h"

namespace flitscope {

/// The nodes and channels of `observe.waves`. The circle of a deadlock, the busiest node, and the busiest or
/// most congested channel are those that run_first finds with `run`. Empty if no waveforms are wanted, or if
/// there is nothing of what is wanted.
[[nodiscard]] WaveScope choose_wave_scope(const ExperimentConfig& config, const RunFunction& run);

}  // namespace flitscope
