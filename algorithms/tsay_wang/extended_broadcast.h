// A broadcast that grows out of one on a smaller torus.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "algorithms/common/schedule.h"
#include "algorithms/tsay_wang/phase.h"

namespace flitscope::tsay_wang {

/// Adds messages to a step by coordinates relative to the source. Dimensions count from 1.
class MessageSink {
 public:
  MessageSink(const RelativeNodes& nodes, Step& step) : nodes_(nodes), step_(step) {}

  void add(const Coordinates& from, const Coordinates& to, unsigned first_dimension, Sign sign) {
    step_.add(nodes_.node(from), nodes_.node(to), Route::cyclic(first_dimension - 1, sign));
  }

 private:
  const RelativeNodes& nodes_;
  Step& step_;
};

/// Adds the messages of further step e = 1, 2, ..
using FurtherStep = std::function<void(unsigned e, MessageSink& sink)>;

/// First the steps of a broadcast on a torus of side N from its node 0, played on those nodes of a torus of
/// side n whose coordinates relative to the source are 0, q, 2q, .., (N-1)q; then further steps.
///
/// A link of the small torus becomes the path to the next of these coordinates in the same direction (from
/// (N-1)q back to 0 that has n - (N-1)q links). Paths keep their dimensions and directions and, if they were
/// disjoint, stay so.
///
/// Adds to `facts`, which know the further ones, the steps, messages and stages of `inner`, which may be
/// null: a torus of a single node. `stretch` is q.
[[nodiscard]] std::unique_ptr<Schedule> extended_broadcast(ScheduleFacts facts,
                                                           std::unique_ptr<Schedule> inner,
                                                           std::uint32_t stretch, FurtherStep further);

/// A broadcast of `bytes` from node 0 of a torus of d sides of n nodes, by the algorithm of that name.
[[nodiscard]] std::unique_ptr<Schedule> inner_broadcast(const std::string& algorithm, unsigned d,
                                                        std::uint32_t n, std::uint64_t bytes);

/// Source of the message to a node with two new coordinates n-1.
enum class Extra : std::uint8_t {
  spread,   ///< from the node that a checksum of the target's other coordinates picks (ours)
  ordered,  ///< from the node with 0 in both dimensions, in the order of dimensions that `spread` uses
  literal,  ///< the same, the lower dimension first, as printed
};

/// ceil(d/2): each step serves the targets with one or two more coordinates n-1.
[[nodiscard]] constexpr unsigned extra_steps(unsigned d) {
  return (d + 1) / 2;
}

/// A broadcast on a torus of even side n: `inner`, on side n-1 from its node 0, and then the extra phase.
/// `facts` are those of the whole; steps, messages and stages are filled in.
[[nodiscard]] std::unique_ptr<Schedule> with_extra_phase(ScheduleFacts facts, std::unique_ptr<Schedule> inner,
                                                         Extra extra);

/// Throws Inadmissible("topology.shape") if there are more than 2n-1 dimensions: then some node would have to
/// send twice by one link. `topology` has equal sides.
void require_links_for_extra_phase(const Topology& topology, const std::string& algorithm);

}  // namespace flitscope::tsay_wang
