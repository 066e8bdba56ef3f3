// A schedule out of a plan: real nodes, chunks of bytes, and what follows for companions.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/stepwise_schedule.h"
#include "algorithms/seidel/plan.h"
#include "algorithms/seidel/resizing.h"

namespace flitscope::seidel {

/// `bytes` cut into `parts` as evenly as possible: any run of k parts has floor or ceil(k * bytes / parts)
/// bytes. `parts` is below 2^32; some have no bytes if there are more parts than bytes.
[[nodiscard]] std::vector<std::uint64_t> cut_evenly(std::uint64_t bytes, std::uint64_t parts);

/// Throws Inadmissible("topology.shape") if a step of the plan is too large to be kept in memory.
void require_room_for_steps(const Plan& plan, const Topology& topology);

/// Plays a plan.
class PlannedSchedule final : public StepwiseSchedule {
 public:
  /// `facts` has its collective; steps, messages and stages are filled in.
  PlannedSchedule(ScheduleFacts facts, Plan plan, Placement placement, bool merges);

  /// With virtual nodes several messages of a step can become one, and some go nowhere, so that only making
  /// the steps tells how many messages there are.
  [[nodiscard]] static ScheduleFacts completed(ScheduleFacts facts, const Plan& plan,
                                               const Placement& placement, bool merges);

 private:
  void produce(std::uint64_t number, Step& step) override;
  void put_messages_together(Step& step) const;

  Plan plan_;
  Placement placement_;
  bool merges_;
};

}  // namespace flitscope::seidel
