// Chen, Chiang and Chen, Section 3.2.1 with Lemma 2: the aggregation on diagonals.
#include <fmt/format.h>

#include "algorithms/chen/multinode.h"
#include "sim/claims/evidence.h"
#include "sim/claims/measure.h"
#include "sim/claims/papers/chen_multinode/claims.h"
#include "sim/claims/papers/chen_multinode/phases.h"

namespace flitscope::claims::chen_multinode {

namespace {

using chen::ceil_log_of;
using chen::Cube;

/// How often class c of h is collected by class 0 from the six offsets +-1, +-2, +-3.
int times_collected(int c, int h) {
  int times = 0;
  for (int offset = -3; offset <= 3; ++offset) {
    if (offset != 0 && chen::mod(offset, h) == c) ++times;
  }
  return times;
}

Finding aggregation_pattern(Extent extent) {
  Cases printed;
  Cases repaired;
  std::vector<std::uint64_t> sides;
  for (int h = 2; h <= 7; ++h) {
    sides.push_back(static_cast<std::uint64_t>(h));
    const int n = h < 3 ? 4 : 2 * h;
    const int senders = n * n * n - n * n * n / h;
    int twice = 0;
    for (int c = 1; c < h; ++c) {
      if (times_collected(c, h) > 1) twice += n * n * n / h;
    }
    printed.add(twice == 0, size_of({n, h}),
                fmt::format("{} of {} nodes off the diagonals are collected more than once", twice, senders));
  }
  const auto sizes = phase_sizes(extent);
  for (const Size size : sizes) {
    const Volume volume(multinode(size, nodes_of(size), "chen-multinode"));
    repaired.at_most(size_of(size), "units in the longest messages of the stage", lemma_2_units(size.h),
                     volume.stage("aggregate").units);
  }
  return judge(
      printed, repaired,
      "a collection tree cut for each h, with the same three offsets on either side at most",
      fmt::format("as printed: h = {}, n = 2h (4 for h = 2); repaired: {}", ranges(sides), sizes_of(sizes)),
      "with the trees every class is collected once; all nodes are sources");
}

/// All nodes of a block are sources; in one step its diagonal nodes can take in what comes over the links
/// that enter them from within the block.
Finding aggregation_in_block(Extent extent) {
  Cases printed;
  Cases repaired;
  for (int h = 2; h <= 7; ++h) {
    const Cube block(h);
    int links = 0;
    for (int u = 0; u < h; ++u) {
      for (int v = 0; v < h; ++v) {
        for (const int coordinate : {(u + v) % h, v, u}) {
          links += (coordinate > 0 ? 1 : 0) + (coordinate < h - 1 ? 1 : 0);
        }
      }
    }
    const int messages = h * h * h - h * h;
    printed.add(messages <= links, size_of({2 * h, h}),
                fmt::format("{} messages for {} links into the {} diagonal nodes of a block", messages, links,
                            h * h));
  }
  const auto sizes = phase_sizes(extent);
  for (const Size size : sizes) {
    const Volume volume(multinode(size, nodes_of(size), "chen-multinode"));
    repaired.equal(size_of(size), "steps", std::uint64_t{ceil_log_of(7, size.h)},
                   volume.stage("aggregate").steps);
  }
  return judge(printed, repaired, "messages may end on the diagonal of a neighbouring block",
               "as printed: h = 2..7, n = 2h; repaired: " + sizes_of(sizes),
               "on the torus ceil(log_7 h) steps, each link used at most once");
}

Finding lemma_2(Extent extent) {
  Cases printed;
  Cases repaired;
  for (const int h : {2, 7, 8, 49, 50}) {
    const unsigned b = ceil_log_of(7, h);
    const auto sum = [](unsigned last) {  // of 7^i, i = 0 .. last
      std::uint64_t total = 0;
      std::uint64_t power = 1;
      for (unsigned i = 0; i <= last; ++i, power *= 7) total += power;
      return total;
    };
    printed.equal(fmt::format("h = {}", h), "is the sum", lemma_2_units(h), sum(b));
    repaired.equal(fmt::format("h = {}", h), "is the sum", lemma_2_units(h), sum(b - 1));
  }
  const auto sizes = phase_sizes(extent);
  for (const Size size : sizes) {
    const Volume volume(multinode(size, nodes_of(size), "chen-multinode"));
    repaired.equal(size_of(size), "start-ups", std::uint64_t{ceil_log_of(7, size.h)},
                   volume.stage("aggregate").steps);
    repaired.at_most(size_of(size), "units", lemma_2_units(size.h), volume.stage("aggregate").units);
  }
  return judge(printed, repaired, "the sum ends at ceil(log_7 h) - 1",
               "the sum: h = 2, 7, 8, 49, 50; the steps: " + sizes_of(sizes),
               "ceil(log_7 h) start-ups, at most (7^b - 1)/6 units with all nodes as sources");
}

}  // namespace

std::vector<Claim> aggregation_claims() {
  return {
      {"aggregation-offsets", "Section 3.2.1",
       "The diagonal collects from the nodes at +-1, +-2, +-3 (times powers of 7), for all h.",
       "no class collected more than once", aggregation_pattern},
      {"aggregation-in-block", "Section 3.2.1",
       "Every block aggregates its messages into its own diagonal in ceil(log_7 h) steps.",
       "in a step no more messages than links into the diagonal from within the block", aggregation_in_block},
      {"lemma-2", "Lemma 2",
       "The aggregation takes ceil(log_7 h) start-ups and the sum of 7^i, i = 0 .. ceil(log_7 h), which is "
       "(7^ceil(log_7 h) - 1)/6, units of data.",
       "the two forms of the sum equal", lemma_2},
  };
}

}  // namespace flitscope::claims::chen_multinode
