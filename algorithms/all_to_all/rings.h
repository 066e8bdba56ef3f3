// All-to-all along the rings of a torus, between neighbours only.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/all_to_all/exchange.h"
#include "algorithms/common/stepwise_schedule.h"

namespace flitscope::all_to_all {

/// In each phase all data goes round the rings of one dimension until it has come to its coordinate: every
/// node sends on what came in the step before and stays not there. With both directions data goes the shorter
/// way, where they are equally long half of it each way. Piece i begins in dimension i.
class RingPhases final : public StepwiseSchedule {
 public:
  RingPhases(ScheduleFacts facts, bool both_directions, unsigned pieces);

  /// Steps of a dimension of side k.
  [[nodiscard]] static std::uint32_t steps_of(std::uint32_t side, bool both_directions) {
    return both_directions ? side / 2 : side - 1;
  }

 private:
  void produce(std::uint64_t number, Step& step) override;
  void produce(std::uint64_t number, unsigned piece, Step& step);
  void send(NodeId node, unsigned phase, std::uint32_t place, Sign sign, const Dimensions& way,
            Step& step) const;

  bool both_directions_;
  std::vector<Dimensions> pieces_;
};

/// An all-to-all by RingPhases.
[[nodiscard]] std::unique_ptr<Schedule> ring_phases(const Topology& topology, const ParameterValues& values,
                                                    const std::string& algorithm, bool both_directions,
                                                    unsigned pieces);

}  // namespace flitscope::all_to_all
