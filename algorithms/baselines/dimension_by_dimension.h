// Broadcast on a torus as one ring broadcast after the other: the frame of the baselines.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/schedule.h"

namespace flitscope::baselines {

/// A message of a ring broadcast; positions are counted from the source, in direction +.
struct RingMessage {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Sign sign = Sign::plus;
};

/// A broadcast on a ring from position 0: the messages of each of its steps.
using RingBroadcast = std::vector<std::vector<RingMessage>>;

/// Schedules `ring(side)` in dimension 0, then in every ring of dimension 1 that has an informed node, and so
/// on; a stage per dimension. A ring broadcast with p ports that takes ceil(log_{p+1} side) steps and puts
/// one message on a link makes a torus broadcast of the sum of those steps, with the same load. Throws
/// Inadmissible unless `topology` is a torus of sides >= 3, equal or not.
[[nodiscard]] std::unique_ptr<Schedule> dimension_by_dimension(const Topology& topology,
                                                               const ParameterValues& values,
                                                               const std::string& algorithm, unsigned ports,
                                                               RingBroadcast (*ring)(std::uint32_t side));

}  // namespace flitscope::baselines
