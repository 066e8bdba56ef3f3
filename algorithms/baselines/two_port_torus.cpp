// two-port-torus: broadcast that uses the two ports of one dimension at a time.
#include "algorithms/baselines/dimension_by_dimension.h"
#include "algorithms/common/segmented.h"
#include "algorithms/tsay_wang/ring_schedule.h"

namespace flitscope::baselines::two_port_torus {
namespace {

/// The ring schedule of Tsay and Wang's Lemma 2 with d = 1: each informed node sends one message to the right
/// by + and one to the left by -, both inside the gap to the next informed node, so no two share a link.
RingBroadcast two_port_ring(std::uint32_t side) {
  const tsay_wang::RingSchedule schedule(side, 1);
  RingBroadcast steps(schedule.steps());
  for (unsigned k = 1; k <= schedule.steps(); ++k) {
    for (const tsay_wang::RingSender& sender : schedule.senders(k)) {
      const std::uint32_t from = sender.ring_class;
      const auto target = [&](std::int64_t t) {
        return static_cast<std::uint32_t>((from + t + side) % side);
      };
      for (const std::int64_t t : sender.right) steps[k - 1].push_back({from, target(t), Sign::plus});
      for (const std::int64_t t : sender.left) steps[k - 1].push_back({from, target(t), Sign::minus});
    }
  }
  return steps;
}

constexpr auto kName = "two-port-torus";

const AlgorithmRegistry::Entry entry{segmented({
    .name = kName,
    .summary = "broadcast on a torus by the two ports of one dimension, one dimension after the other",
    .source = "baseline: Tsay and Wang, Lemma 2 with d = 1, in each dimension",
    .claim = "ceil(log_3 n) steps for each side n, at most one message per link and step",
    .admissible = "torus of sides >= 3, equal or not, any number of dimensions",
    .parameters = broadcast_parameters(),
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          return dimension_by_dimension(topology, values, kName, 2, two_port_ring);
        },
})};

}  // namespace
}  // namespace flitscope::baselines::two_port_torus
