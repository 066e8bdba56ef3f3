#include "sim/claims/papers/chen_multinode/phases.h"

#include <fmt/format.h>

#include "sim/claims/evidence.h"

namespace flitscope::claims::chen_multinode {

std::vector<Size> phase_sizes(Extent extent) {
  return sizes_between(3, extent == Extent::quick ? 9 : 16);
}

std::uint64_t lemma_2_units(int h) {
  std::uint64_t units = 0;
  for (std::uint64_t power = 1; power < static_cast<std::uint64_t>(h); power *= 7) units += power;
  return units;
}

Finding phase_startups(Extent extent, std::uint64_t (*claimed)(int n, int h),
                       Volume::Part (Volume::*phase)() const) {
  Cases cases;
  std::uint64_t equal = 0;
  const auto sizes = phase_sizes(extent);
  for (const Size size : sizes) {
    const Volume volume(multinode(size, 2, "chen-multinode"));
    const std::uint64_t most = claimed(size.n, size.h);
    const std::uint64_t measured = (volume.*phase)().steps;
    cases.at_most(size_of(size), "start-ups", most, measured);
    if (measured == most) ++equal;
  }
  return judge(cases, sizes_of(sizes),
               fmt::format("fewer in {} of {} cases", cases.tried() - equal, cases.tried()));
}

}  // namespace flitscope::claims::chen_multinode
