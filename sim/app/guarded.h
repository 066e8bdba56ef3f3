// The frame of every program: errors become messages and exit codes.
#pragma once

#include "sim/app/command.h"

namespace flitscope::app {

/// The exit code of `run`, or the one of what it throws, whose message goes to standard error.
[[nodiscard]] int guarded(Exit (*run)(const Strings& words), const Strings& words);

}  // namespace flitscope::app
