#include "sim/claims/step_cost.h"

#include <algorithm>
#include <numeric>

#include "sim/analysis/channel_load.h"

namespace flitscope::claims {

StepCost step_cost(Schedule& schedule, unsigned nu) {
  const Collective& collective = schedule.facts().collective;
  const std::uint64_t m =
      std::accumulate(collective.chunk_bytes.begin(), collective.chunk_bytes.end(), std::uint64_t{0});
  ChannelLoad load(schedule.facts().topology);
  StepCost cost;
  for (Step step; schedule.next(step);) {
    std::uint64_t longest = 0;
    for (const Message& message : step.messages()) {
      longest = std::max(longest, message_bytes(collective, step, message));
    }
    const Fraction share(static_cast<std::int64_t>(longest), static_cast<std::int64_t>(m));
    const Fraction shared(load.count(step.messages()).max_load, std::int64_t{1} << nu);
    cost.transmission += share * std::max(Fraction(1), shared);
    ++cost.steps;
  }
  return cost;
}

}  // namespace flitscope::claims
