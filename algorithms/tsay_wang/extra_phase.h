// The extra phase of Tsay and Wang, Section 7: from the subtorus of side n-1 to the torus of even side n.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "algorithms/tsay_wang/extended_broadcast.h"

namespace flitscope::tsay_wang {

/// Where the message to a node with two new coordinates n-1 comes from.
enum class Extra : std::uint8_t {
  spread,   ///< from the node that a checksum of the target's other coordinates picks (ours)
  ordered,  ///< from the node with 0 in both dimensions, in the order of dimensions that `spread` uses
  literal,  ///< the same, the lower dimension first, as printed
};

/// ceil(d/2): each step serves the targets with one or two more coordinates n-1.
[[nodiscard]] constexpr unsigned extra_steps(unsigned d) {
  return (d + 1) / 2;
}

/// A broadcast on a torus of even side n: `inner`, on side n-1 from its node 0, and then the extra phase.
/// `facts` are those of the whole; steps, messages and stages are filled in.
[[nodiscard]] std::unique_ptr<Schedule> with_extra_phase(ScheduleFacts facts, std::unique_ptr<Schedule> inner,
                                                         Extra extra);

/// Throws Inadmissible("topology.shape") if there are more than 2n-1 dimensions: then some node would have to
/// send twice by one link. `topology` has equal sides.
void require_room_for_extra_phase(const Topology& topology, const std::string& algorithm);

}  // namespace flitscope::tsay_wang
