// How much memory this process may have.
#pragma once

#include <cstdint>

namespace flitscope {

/// Bytes: the least of the machine's memory, the limits of the control groups that the process is in, and
/// its own limit of address space (`ulimit -v`). What others use of it is not taken off, and the limit of
/// data does not count: runs of a sweep have one, and end when they reach it.
[[nodiscard]] std::uint64_t memory_limit();

}  // namespace flitscope
