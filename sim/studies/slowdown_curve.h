// The time of a schedule against the load of the traffic beside it: one run a point, many at once.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/units.h"
#include "sim/config/config.h"
#include "sim/run/result.h"

namespace flitscope {

/// One run of the curve. What the background did is absent without one.
struct SlowdownPoint {
  /// Of the background, flits per node and cycle; 0: there is none.
  Decimal load;
  RunStatus status = RunStatus::completed;
  Cycle cycles = 0;
  std::optional<BackgroundResult> background;
  bool verified = true;
  std::string objection;
};

struct SlowdownPlan {
  /// The loads of the background to run, beside none at all. Empty: nine up to 0.9 times what no router can
  /// exceed.
  std::vector<Decimal> loads;
  unsigned workers = 1;
  /// Called when a point is done, with how many are done.
  std::function<void(const SlowdownPoint&, std::size_t)> on_point;
};

/// By rising load; the first point has none. A point is given up, with the status `limit`, when the schedule
/// takes more than 20 times its time alone: behind a source's queue that grows without end it never gets
/// done. `described` must have a background, whose own load does not matter. Throws what run_load_curve
/// throws.
[[nodiscard]] std::vector<SlowdownPoint> run_slowdown_curve(const ExperimentConfig& described,
                                                            const SlowdownPlan& plan);

}  // namespace flitscope
