// Before anything runs: is every run of a sweep admissible?
#pragma once

#include "sim/batch/sweep.h"

namespace flitscope {

/// Makes every run's schedule up to its first step and looks whether its machine can be built and can carry
/// that step, in `workers` processes. Throws an InputError with a line for each kind of mistake: its place,
/// what is wrong, and in which runs.
void check_runs(const Sweep& sweep, unsigned workers);

}  // namespace flitscope
