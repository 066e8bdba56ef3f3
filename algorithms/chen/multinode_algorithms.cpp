// The multinode broadcasts: as in the paper, and with fewer start-ups.
#include "algorithms/chen/multinode_schedule.h"

namespace flitscope::chen {

namespace {

// chen-multinode: multi-node broadcast on the 3-D torus by aggregation and distribution.
//
// Sources at any places each have a message for all. Their messages are aggregated at regular positions,
// evened out over h^2 networks that share no link, distributed in all of these at once, and collected in the
// blocks of side h (Section 3.1). The number of steps depends on n and h only.
//
// Repaired against the paper: trees that suit every h and n, not powers of 7 only; a third pair of row moves
// that stays in its plane; combined messages in the tuning; a gossip in place of the exchange between groups
// of 7 that the paper does not describe.

constexpr auto kMultinodePaper = "chen-multinode";

/// Lemma 3 and Lemma 4, which no choice of the other parameters exceeds.
std::uint64_t paper_claimed_steps(int n, int h, const Options& /*options*/) {
  return lemma_3_startups(n, h) + lemma_4_startups(n, h);
}

const AlgorithmRegistry::Entry multinode_paper_entry{{
    .name = kMultinodePaper,
    .collective = {CollectiveKind::multinode_broadcast},
    .summary =
        "broadcast from many sources on a 3-D torus, by aggregation and distribution over h^2 networks",
    .source = "Chen, Chiang and Chen, Section 3, repaired for every h that divides n",
    .claim =
        "at most the steps of Lemmas 3 and 4, whatever the sources; at most one message per link and step",
    .admissible = "torus of three equal sides n >= 3, h a divisor of n",
    .parameters = aggregation_parameters("7", "ring"),
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          return aggregation_schedule(topology, values, kMultinodePaper, paper_claimed_steps);
        },
    .memory = {.per_node = 2048},
}};

// chen-multinode-fast: the same broadcast with fewer start-ups.
//
// Inside a plane it sends to the two neighbours of a level in one step where the paper sends to six in two
// steps: ceil(log_3 R) <= 2 ceil(log_7 R). In the blocks it collects in both directions of a line, which
// halves the 2h - 2 start-ups that dominate for large h.

constexpr auto kMultinodeFast = "chen-multinode-fast";

std::uint64_t fast_claimed_steps(int n, int h, const Options& options) {
  const int blocks = n / h;
  const int base = options.plane_base;
  const unsigned steps_a_level = base == 3 ? 1 : 2;
  const unsigned inside_planes =
      4 * ceil_log_of(base, n) + 2 * ceil_log_of(base, h) + 2 * ceil_log_of(base, blocks);
  const auto width = static_cast<unsigned>(options.bidirectional ? h / 2 : h - 1);
  return ceil_log_of(7, h) + 4 * ceil_log_of(7, blocks) + steps_a_level * inside_planes + ceil_log_of(3, h) +
         2 * width;
}

const AlgorithmRegistry::Entry multinode_fast_entry{{
    .name = kMultinodeFast,
    .collective = {CollectiveKind::multinode_broadcast},
    .summary = "chen-multinode with one-step moves inside planes and collection in both directions",
    .source = "ours, after Chen, Chiang and Chen",
    .claim =
        "b + 4c + 4 lg_3 n + 2 lg_3 h + 2 lg_3 R + lg_3 h + 2 (h div 2) steps, with R = n/h, b = lg_7 h, "
        "c = lg_7 R, all rounded up; at most one message per link and step",
    .admissible = "torus of three equal sides n >= 3, h a divisor of n",
    .parameters = aggregation_parameters("3", "bidirectional"),
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          return aggregation_schedule(topology, values, kMultinodeFast, fast_claimed_steps);
        },
    .memory = {.per_node = 2048},
}};

}  // namespace

}  // namespace flitscope::chen
