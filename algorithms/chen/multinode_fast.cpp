// chen-multinode-fast: the same broadcast with fewer start-ups.
//
// Inside a plane it sends to the two neighbours of a level in one step where the paper sends to six in two
// steps: ceil(log_3 R) <= 2 ceil(log_7 R). In the blocks it collects in both directions of a line, which
// halves the 2h - 2 start-ups that dominate for large h.
#include "algorithms/chen/multinode_schedule.h"

namespace flitscope::chen::multinode_fast {
namespace {

constexpr auto kName = "chen-multinode-fast";

std::uint64_t claimed_steps(int n, int h, const Options& options) {
  const int blocks = n / h;
  const int base = options.plane_base;
  const unsigned steps_a_level = base == 3 ? 1 : 2;
  const unsigned inside_planes =
      4 * ceil_log_of(base, n) + 2 * ceil_log_of(base, h) + 2 * ceil_log_of(base, blocks);
  const auto width = static_cast<unsigned>(options.bidirectional ? h / 2 : h - 1);
  return ceil_log_of(7, h) + 4 * ceil_log_of(7, blocks) + steps_a_level * inside_planes + ceil_log_of(3, h) +
         2 * width;
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "chen-multinode with one-step moves inside planes and collection in both directions",
    .source = "ours, after Chen, Chiang and Chen",
    .claim =
        "b + 4c + 4 lg_3 n + 2 lg_3 h + 2 lg_3 R + lg_3 h + 2 (h div 2) steps, with R = n/h, b = lg_7 h, "
        "c = lg_7 R, all rounded up; at most one message per link and step",
    .admissible = "torus of three equal sides n >= 3, h a divisor of n",
    .parameters = aggregation_parameters("3", "bidirectional"),
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          return aggregation_schedule(topology, values, kName, claimed_steps);
        },
    .memory = {.per_node = 2048},
}};

}  // namespace
}  // namespace flitscope::chen::multinode_fast
