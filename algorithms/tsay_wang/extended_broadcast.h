// A broadcast that grows out of one on a smaller torus.
#pragma once

#include <functional>
#include <memory>

#include "algorithms/common/broadcast_schedule.h"
#include "algorithms/tsay_wang/lattice.h"

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

/// First the steps of a broadcast on a torus of side N from its node 0, played on those nodes of a torus of
/// side n whose coordinates relative to the source are 0, q, 2q, .., (N-1)q; then further steps.
///
/// A link of the small torus becomes the path to the next of these coordinates in the same direction (from
/// (N-1)q back to 0 that has n - (N-1)q links). Paths keep their dimensions and directions and, if they were
/// disjoint, stay so.
class ExtendedBroadcast final : public BroadcastSchedule {
 public:
  /// Adds the messages of further step e = 1, 2, ..
  using FurtherStep = std::function<void(unsigned e, MessageSink& sink)>;

  /// Adds to `facts` the steps, messages and stages of `inner`, which may be null: a torus of a single node.
  /// `facts` must know the further ones.
  ExtendedBroadcast(ScheduleFacts facts, std::unique_ptr<Schedule> inner, std::uint32_t stretch,
                    FurtherStep further);

 private:
  void produce(std::uint64_t number, Step& step) override;

  RelativeNodes nodes_;
  std::unique_ptr<Schedule> inner_;
  std::uint64_t inner_steps_;
  std::uint32_t stretch_;
  FurtherStep further_;
  Step inner_step_;
};

/// A broadcast of `bytes` from node 0 of a torus of d sides of n nodes, by the algorithm of that name.
[[nodiscard]] std::unique_ptr<Schedule> inner_broadcast(const std::string& algorithm, unsigned d,
                                                        std::uint32_t n, std::uint64_t bytes);

}  // namespace flitscope::tsay_wang
