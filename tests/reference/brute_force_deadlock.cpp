#include "tests/reference/brute_force_deadlock.h"

#include <algorithm>
#include <stdexcept>

namespace flitscope::reference {

std::set<InputVcName> brute_force_deadlocked(const std::vector<Waiting>& waiting) {
  constexpr std::size_t most = 16;
  std::vector<Waiting> candidates;
  for (const Waiting& one : waiting) {
    if (!one.waits_for.empty()) candidates.push_back(one);
  }
  if (candidates.size() > most) {
    throw std::length_error("too many waiting input VCs to try all sets of them");
  }

  std::set<InputVcName> deadlocked;
  for (std::uint32_t subset = 0; subset < (std::uint32_t{1} << candidates.size()); ++subset) {
    std::set<InputVcName> members;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if ((subset >> i & 1) != 0) members.insert(candidates[i].input_vc);
    }
    bool closed = true;
    for (std::size_t i = 0; closed && i < candidates.size(); ++i) {
      if ((subset >> i & 1) == 0) continue;
      closed = std::ranges::all_of(candidates[i].waits_for,
                                   [&](const InputVcName& other) { return members.contains(other); });
    }
    if (closed) deadlocked.insert(members.begin(), members.end());
  }
  return deadlocked;
}

}  // namespace flitscope::reference
