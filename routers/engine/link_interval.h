// Links that are slower than a flit a cycle.
#pragma once

#include <cstdint>

#include "model/machine.h"
#include "model/types.h"

namespace flitscope {

/// A link that takes one flit every so many cycles, where any link is slower than one a cycle. It is free
/// from `free_from` + `part` / denominator of the interval, docs/timing.md stage 5.
struct LinkInterval {
  Ratio cycles;
  std::uint32_t part = 0;
  Cycle free_from = 0;             ///< cycle of the next flit
  std::uint64_t last_message = 0;  ///< of the flit that left last

  /// A flit takes the link.
  void take(Cycle now, std::uint64_t message) {
    const std::uint32_t parts = (free_from == now ? part : 0) + cycles.numerator();
    free_from = now + parts / cycles.denominator();
    part = parts % cycles.denominator();
    last_message = message;
  }
};

}  // namespace flitscope
