// The critical path of a run: the chain of messages, each released by the arrival of the one before it, of
// which the last is the last to arrive.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "model/route.h"
#include "model/stall_cause.h"
#include "model/types.h"
#include "sim/observe/flits/waits.h"

namespace flitscope {

/// Between the arrival of a message and the next one being ready its receiver combines or rearranges data.
struct CriticalMessage {
  std::uint64_t message = 0;
  NodeId source = 0;
  NodeId destination = 0;
  Route route;
  std::uint32_t flits = 0;
  /// As in Delivery.
  Cycle ready = 0;
  Cycle head_entered = 0;
  Cycle head_arrived = 0;
  Cycle arrived = 0;
  std::array<Cycle, kStallCauses> head_stalls{};
  std::optional<Wait> longest_wait = {};  ///< of its head
};

}  // namespace flitscope
