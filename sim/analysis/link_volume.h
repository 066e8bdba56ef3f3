// How many bytes a schedule sends over each link.
#pragma once

#include <cstdint>
#include <vector>

#include "model/schedule.h"
#include "routers/routing/paths.h"

namespace flitscope {

/// Bytes of data; what a flit carries beside it does not count.
struct LinkVolume {
  /// Over all steps on the link that carries most.
  std::uint64_t busiest_link = 0;
  /// The sum over the steps of what the busiest link of each carries: what counts if steps wait for one
  /// another.
  std::uint64_t busiest_of_steps = 0;
  /// On all links together.
  std::uint64_t total = 0;
};

/// Takes all steps of `schedule`, which is used up by that. All its nodes and ways must exist.
[[nodiscard]] LinkVolume link_volume(Schedule& schedule, const Paths& ways);
/// Of messages that follow their routes.
[[nodiscard]] LinkVolume link_volume(Schedule& schedule);

/// V*: the least that the busiest link of a torus of p nodes and D dimensions can carry in an all-reduce of a
/// vector of n bytes without reduction in routers, 2n (p-1)/p for each node's 2D links; of one half, half of
/// it.
[[nodiscard]] double least_all_reduce_volume(const Topology& torus, std::uint64_t bytes);

}  // namespace flitscope
