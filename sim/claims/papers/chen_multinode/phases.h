// What the claims on the two phases share.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/claims/claim.h"
#include "sim/claims/papers/chen_multinode/volume.h"

namespace flitscope::claims::chen_multinode {

/// n = 3..9, in full 3..16, with every divisor.
[[nodiscard]] std::vector<Size> phase_sizes(Extent extent);

/// (7^b - 1) / 6, b = ceil(log_7 h): the units of data of the aggregation by Lemma 2.
[[nodiscard]] std::uint64_t lemma_2_units(int h);

/// A lemma that says how many start-ups a phase takes at most.
[[nodiscard]] Finding phase_startups(Extent extent, std::uint64_t (*claimed)(int n, int h),
                                     Volume::Part (Volume::*phase)() const);

}  // namespace flitscope::claims::chen_multinode
