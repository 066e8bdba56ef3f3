// What missing links and nodes cost: ways around them, against those of the whole network.
#pragma once

#include <cstdint>
#include <string>

#include "model/topology.h"

namespace flitscope {

/// Over all pairs of nodes that are there.
struct WaysOfPairs {
  double links_mean = 0;            ///< of a way
  std::uint64_t busiest_link = 0;   ///< pairs whose way leads over the link that has most
};

struct FaultCost {
  WaysOfPairs with_faults;
  WaysOfPairs whole;
};

/// Both by the same routing function, one that follows no routes. `topology` must be a torus or mesh of which
/// something is missing.
[[nodiscard]] FaultCost fault_cost(const Topology& topology, const std::string& routing);

}  // namespace flitscope
