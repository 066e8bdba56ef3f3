// The limits of this process: its control groups, its memory, its processors.
#pragma once

#include <cstdint>

namespace flitscope {

/// Bytes: the least of the machine's memory, the limits of the control groups that the process is in, and
/// its own limit of address space (`ulimit -v`). Memory used by other processes is not subtracted. The limit
/// of data does not count: runs of a sweep have one, and end when they reach it.
[[nodiscard]] std::uint64_t memory_limit();

/// At least 1: the least of the processors that it may run on (`taskset`) and those whose time the control
/// groups that it is in may take, rounded up.
[[nodiscard]] unsigned processor_limit();

}  // namespace flitscope
