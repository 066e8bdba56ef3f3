// What is measured of one step.
#pragma once

#include <cstdint>

#include "model/types.h"

namespace flitscope {

/// Times are cycles.
struct StepRecord {
  std::uint64_t messages = 0;  ///< handed to their network interfaces
  std::uint64_t arrived = 0;   ///< of these
  std::uint64_t flits = 0;
  Cycle begin = kNever;  ///< first message handed to its network interface; kNever if there was none
  Cycle end = 0;         ///< last message fully arrived so far

  /// From the first message's start to the last one's arrival; 0 for a step without messages.
  [[nodiscard]] Cycle cycles() const { return begin < end ? end - begin : 0; }
};

}  // namespace flitscope
