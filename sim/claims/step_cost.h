// What a schedule costs in the model of the papers: a start and a transmission for every step.
#pragma once

#include <boost/rational.hpp>
#include <cstdint>

#include "model/schedule.h"

namespace flitscope::claims {

using Fraction = boost::rational<std::int64_t>;

/// A schedule of m bytes of data takes A * m a + B * b, a the time of a byte on a node's channel, b the time
/// to start a message: B is the number of steps, A the sum of what each step takes.
struct StepCost {
  Fraction transmission;   ///< A
  std::int64_t steps = 0;  ///< B
  bool operator==(const StepCost&) const = default;
};

/// Plays a schedule. A step takes (bytes of its longest message / m) * max(1, k / 2^nu), where k is the most
/// messages on one link and links are 2^nu times faster than nodes. Requires legal messages and m < 2^31.
[[nodiscard]] StepCost step_cost(Schedule& schedule, unsigned nu);

}  // namespace flitscope::claims
