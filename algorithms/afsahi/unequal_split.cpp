#include "algorithms/afsahi/unequal_split.h"

#include <algorithm>

namespace flitscope::afsahi {

UnequalSplit::UnequalSplit(std::uint64_t last, std::uint64_t d) : time_(last + 1), given_(last + 1) {
  for (std::uint64_t n = 2; n <= last; ++n) {
    // T rises by 1 or more from n to n+1 (give the child one more), so what the child takes rises with m and
    // what is left to the holder does not: the best m is where they meet.
    const auto child = [&](std::uint64_t m) { return m + time_[m]; };
    const auto holder = [&](std::uint64_t m) { return m == n - 1 ? m : m + d + time_[n - m]; };
    const auto first_with = [&](auto holds) {
      std::uint64_t low = 1;
      std::uint64_t high = n - 1;
      while (low < high) {
        const std::uint64_t middle = (low + high) / 2;
        if (holds(middle)) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      return low;
    };
    const std::uint64_t meeting = first_with([&](std::uint64_t m) { return child(m) >= holder(m); });
    std::uint64_t best = std::max(child(meeting), holder(meeting));
    if (meeting > 1) best = std::min(best, holder(meeting - 1));
    time_[n] = best;
    given_[n] = first_with([&](std::uint64_t m) { return holder(m) <= best; });
  }
}

}  // namespace flitscope::afsahi
