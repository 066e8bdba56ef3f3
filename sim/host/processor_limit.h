// How many processors this process may keep busy.
#pragma once

namespace flitscope {

/// At least 1: the least of the processors that it may run on (`taskset`) and those whose time the control
/// groups that it is in may take, rounded up.
[[nodiscard]] unsigned processor_limit();

}  // namespace flitscope
