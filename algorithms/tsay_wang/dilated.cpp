// tsay-wang-dilated: a broadcast on a coarser torus, stretched by 2 or 3, and the gaps filled; as often as it
// saves steps.
#include <vector>

#include "algorithms/common/broadcast_schedule.h"
#include "algorithms/common/segmented.h"
#include "algorithms/tsay_wang/fill.h"

namespace flitscope::tsay_wang::dilated {
namespace {

constexpr auto kName = "tsay-wang-dilated";

/// How to broadcast on side n: directly, or on side ceil(n/q) and then filling up.
struct Plan {
  unsigned steps = 0;
  std::uint32_t stretch = 1;  ///< q; 1: directly

  [[nodiscard]] static Plan best(unsigned d, std::uint32_t n) {
    Plan plan;
    if (n == 1) return plan;
    plan.steps = d * ceil_log(2 * d + 1, n);
    for (const std::uint32_t q : {2U, 3U}) {
      const std::uint32_t coarse = (n + q - 1) / q;
      const bool can_be_solved = d >= 2 && (coarse >= 3 || (coarse == 1 && q == 3));
      if (!can_be_solved) continue;
      const unsigned steps = best(d, coarse).steps + fill_steps(d, q);
      if (steps < plan.steps) plan = {steps, q};
    }
    return plan;
  }
};

/// The broadcast of the best plan. Fills in the facts' steps, messages and stages.
std::unique_ptr<Schedule> planned(ScheduleFacts facts) {
  const unsigned d = facts.topology.dimensions();
  const std::uint32_t n = facts.topology.side(0);
  const std::uint64_t bytes = facts.collective.chunk_bytes.front();
  const std::uint32_t q = Plan::best(d, n).stretch;
  if (q == 1) {
    return std::make_unique<ExtendedBroadcast>(std::move(facts),
                                               inner_broadcast("tsay-wang-direct", d, n, bytes), 1, nullptr);
  }
  const std::uint32_t coarse = (n + q - 1) / q;
  std::unique_ptr<Schedule> inner;
  NodeId informed = 1;
  if (coarse > 1) {
    ScheduleFacts smaller(Topology(TopologyKind::torus, std::vector<std::uint32_t>(d, coarse)));
    smaller.collective = Collective::broadcast(0, bytes);
    informed = smaller.topology.nodes();
    inner = planned(std::move(smaller));
  }
  facts.steps = fill_steps(d, q);
  facts.messages = facts.topology.nodes() - informed;
  facts.stages = {{"fill " + std::to_string(coarse) + " to " + std::to_string(n), 1, facts.steps}};
  return std::make_unique<ExtendedBroadcast>(std::move(facts), std::move(inner), q, fill(d, n, q));
}

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  const std::uint32_t n = equal_torus_side(topology, kName, 3);
  const unsigned d = topology.dimensions();
  ScheduleFacts facts = broadcast_facts(topology, values, kName, "cyclic-dimension-order", 2 * d);
  facts.claimed_steps = Plan::best(d, n).steps;
  facts.claimed_channel_load = 1;
  facts.messages = 0;
  return planned(std::move(facts));
}

const AlgorithmRegistry::Entry entry{segmented({
    .name = kName,
    .summary = "broadcast on an all-port torus in the fewest steps we know: on a coarser torus, then filling",
    .source = "ours, after Tsay and Wang: tsay-wang-direct on side ceil(n/2) or ceil(n/3), repeatedly",
    .claim =
        "never more steps than tsay-wang-direct; for d <= 4 and n <= 1000 at most one more than the lower "
        "bound; at most one message per link and step, none redundant",
    .admissible = "torus of equal sides n >= 3, any number of dimensions d",
    .parameters = broadcast_parameters(),
    .make = make,
})};

}  // namespace
}  // namespace flitscope::tsay_wang::dilated
