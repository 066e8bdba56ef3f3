// From a coarse grid of informed nodes to all nodes of the torus: the end of tsay-wang-dilated.
#pragma once

#include <cstdint>

#include "algorithms/tsay_wang/extended_broadcast.h"

namespace flitscope::tsay_wang {

/// F(d, q): ceil(d/2) for q = 2; 2 for every three dimensions and 1 for each that is left over for q = 3.
[[nodiscard]] constexpr unsigned fill_steps(unsigned d, std::uint32_t q) {
  return q == 2 ? (d + 1) / 2 : d / 3 * 2 + d % 3;
}

/// Steps 1 .. fill_steps(d, q), after all nodes are informed whose coordinates, in 0..n-1, are multiples of
/// q = 2 or 3.
[[nodiscard]] ExtendedBroadcast::FurtherStep fill(unsigned d, std::uint32_t n, std::uint32_t q);

}  // namespace flitscope::tsay_wang
