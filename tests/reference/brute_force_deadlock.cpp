#include "tests/reference/brute_force_deadlock.h"

#include <algorithm>
#include <stdexcept>

namespace flitscope::reference {

std::vector<Waiting> blocked(const std::vector<Waiting>& waiting) {
  std::set<InputVcName> waits;
  for (const Waiting& one : waiting) {
    if (!one.alternatives.empty()) waits.insert(one.input_vc);
  }
  std::vector<Waiting> result;
  for (const Waiting& one : waiting) {
    if (!waits.contains(one.input_vc)) continue;
    const bool every_way_is_barred = std::ranges::all_of(one.alternatives, [&](const Alternative& required) {
      return std::ranges::any_of(required, [&](const InputVcName& other) { return waits.contains(other); });
    });
    if (every_way_is_barred) result.push_back(one);
  }
  return result;
}

std::set<InputVcName> brute_force_deadlocked(const std::vector<Waiting>& waiting) {
  const std::vector<Waiting> candidates = blocked(waiting);
  if (candidates.size() > kMaxBlocked) {
    throw std::length_error("too many blocked input VCs to try all sets of them");
  }

  // Bit i stands for candidate i, in sets of them and in what their alternatives require.
  std::vector<std::vector<std::uint32_t>> alternatives(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (const Alternative& required : candidates[i].alternatives) {
      std::uint32_t& members = alternatives[i].emplace_back(0);
      for (std::size_t j = 0; j < candidates.size(); ++j) {
        if (std::ranges::count(required, candidates[j].input_vc) > 0) members |= std::uint32_t{1} << j;
      }
    }
  }
  std::uint32_t deadlocked = 0;
  for (std::uint32_t subset = 0; subset < (std::uint32_t{1} << candidates.size()); ++subset) {
    bool closed = true;
    for (std::size_t i = 0; closed && i < candidates.size(); ++i) {
      if ((subset >> i & 1) == 0) continue;
      closed = std::ranges::all_of(alternatives[i],
                                   [&](std::uint32_t members) { return (members & subset) != 0; });
    }
    if (closed) deadlocked |= subset;
  }

  std::set<InputVcName> result;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if ((deadlocked >> i & 1) != 0) result.insert(candidates[i].input_vc);
  }
  return result;
}

}  // namespace flitscope::reference
