// How much memory this process may have.
#pragma once

#include <cstdint>

namespace flitscope {

/// Bytes: the least of the machine's memory, the limits of the control groups that the process is in, and its
/// own limits of address space and data (ulimit). What others use of it is not taken off.
[[nodiscard]] std::uint64_t memory_limit();

}  // namespace flitscope
