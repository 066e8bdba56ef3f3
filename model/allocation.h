// Which routers allocate as usual.
#pragma once

#include "model/machine.h"

namespace flitscope {

/// Allocation is other than the usual one in more than whether a flit has a slot behind its VC, as with
/// shared buffers, and stop and go.
[[nodiscard]] inline bool allocates_by_parts(const MachineConfig& machine) {
  if (!machine.has_parts()) return false;
  RouterParts usual{};
  usual.buffers = machine.parts.buffers;
  usual.buffer_reserve = machine.parts.buffer_reserve;
  usual.credits = machine.parts.credits;
  usual.stop_threshold = machine.parts.stop_threshold;
  return machine.parts != usual || machine.vc_allocation != VcAllocation::non_atomic;
}

}  // namespace flitscope
