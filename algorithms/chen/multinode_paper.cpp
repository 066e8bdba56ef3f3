// chen-multinode: multi-node broadcast on the 3-D torus by aggregation and distribution.
//
// Sources at any places each have a message for all. Their messages are aggregated at regular positions,
// evened out over h^2 networks that share no link, distributed in all of these at once, and collected in the
// blocks of side h (Section 3.1). The number of steps depends on n and h only.
//
// Repaired against the paper: trees that suit every h and n, not powers of 7 only; a third pair of row moves
// that stays in its plane; combined messages in the tuning; a gossip in place of the exchange between groups
// of 7 that the paper does not describe.
#include "algorithms/chen/multinode_schedule.h"

namespace flitscope::chen::multinode_paper {
namespace {

constexpr auto kName = "chen-multinode";

/// Lemma 3 and Lemma 4, which no choice of the other parameters exceeds.
std::uint64_t claimed_steps(int n, int h, const Options& /*options*/) {
  return lemma_3_startups(n, h) + lemma_4_startups(n, h);
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary =
        "broadcast from many sources on a 3-D torus, by aggregation and distribution over h^2 networks",
    .source = "Chen, Chiang and Chen, Section 3, repaired for every h that divides n",
    .claim =
        "at most the steps of Lemmas 3 and 4, whatever the sources; at most one message per link and step",
    .admissible = "torus of three equal sides n >= 3, h a divisor of n",
    .parameters = aggregation_parameters("7", "ring"),
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          return aggregation_schedule(topology, values, kName, claimed_steps);
        },
    .memory = {.per_node = 2048},
}};

}  // namespace
}  // namespace flitscope::chen::multinode_paper
