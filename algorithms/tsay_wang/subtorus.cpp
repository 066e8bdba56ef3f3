// tsay-wang-subtorus: an even side n by way of the subtorus of side n-1, with tsay-wang-direct in the place
// of the paper's phases. It shows what the extra phase costs by itself; tsay-wang-dilated is never worse for
// d >= 2.
#include <fmt/format.h>

#include "algorithms/common/broadcast_schedule.h"
#include "algorithms/common/segmented.h"
#include "algorithms/tsay_wang/extra_phase.h"
#include "model/error.h"

namespace flitscope::tsay_wang::subtorus {
namespace {

constexpr auto kName = "tsay-wang-subtorus";

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  const std::uint32_t n = equal_torus_side(topology, kName, 4);
  const unsigned d = topology.dimensions();
  if (n % 2 != 0) {
    throw Inadmissible("topology.shape",
                       fmt::format("{} needs an even side, not {}; nearest admissible: {} (odd sides: "
                                   "tsay-wang-direct)",
                                   kName, n, n + 1));
  }
  require_room_for_extra_phase(topology, kName);
  ScheduleFacts facts = broadcast_facts(topology, values, kName, "cyclic-dimension-order", 2 * d);
  facts.claimed_channel_load = 1;
  facts.claimed_steps = std::uint64_t{d} * ceil_log(2 * d + 1, n - 1) + extra_steps(d);
  return with_extra_phase(std::move(facts),
                          inner_broadcast("tsay-wang-direct", d, n - 1, values.bytes("message")),
                          Extra::spread);
}

const AlgorithmRegistry::Entry entry{segmented({
    .name = kName,
    .summary = "broadcast on an all-port torus of even side by way of the subtorus of side n-1",
    .source = "ours, after Tsay and Wang: tsay-wang-direct and the extra phase of Section 7, repaired",
    .claim = "d * ceil(log_{2d+1} (n-1)) + ceil(d/2) steps, at most one message per link and step, none "
             "redundant",
    .admissible = "torus of equal even sides n >= 4, any number of dimensions d with floor(d/2) <= n-1",
    .parameters = broadcast_parameters(),
    .make = make,
})};

}  // namespace
}  // namespace flitscope::tsay_wang::subtorus
