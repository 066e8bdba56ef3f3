// Before anything runs: is every run of a sweep admissible?
#pragma once

#include <cstddef>
#include <functional>

#include "sim/sweep/sweep.h"

namespace flitscope {

/// Makes every run's schedule up to its first step and looks whether its machine can be built and can carry
/// that step, in `workers` processes. A schedule file is read once, for all runs that play it. `on_progress`
/// is told now and then how many runs have been looked at. Throws an InputError with a line for each kind of
/// mistake: its place, what is wrong, and in which runs.
void check_runs(const Sweep& sweep, unsigned workers, const std::function<void(std::size_t)>& on_progress);

}  // namespace flitscope
