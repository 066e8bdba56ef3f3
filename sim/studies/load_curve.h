// Latency against offered load: one run a point, many at once.
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

/// One run of a curve.
struct LoadPoint {
  /// The load that was asked for, flits per node and cycle: of all classes, or of the one that is varied.
  Decimal load;
  TrafficResult traffic;
  /// Whether its run was verified; if not, why.
  bool verified = true;
  std::string objection;
  /// The run ended in a deadlock.
  bool deadlock = false;
};

struct LoadCurve {
  /// By rising load.
  std::vector<LoadPoint> points;
  /// The highest load below which no point is saturated; nothing if none is saturated at all, or the lowest
  /// is.
  std::optional<double> saturation;
  /// Of a message that is alone: by the closed form, or else the mean of the point with the lowest load.
  std::optional<double> zero_load_latency;
  /// What no router can exceed.
  std::optional<double> ideal_saturation;
  /// The name of the class whose load is varied; nothing: all are.
  std::optional<std::string> varied;
};

struct LoadPlan {
  /// The loads to run. Empty: chosen, finer near saturation, which is then searched.
  std::vector<Decimal> loads;
  /// The name of the class whose load is varied while the others keep theirs. Nothing: loads are those of all
  /// classes together, in the proportions that the configuration gives them.
  std::optional<std::string> varied = {};
  unsigned workers = 1;
  /// Called when a point is done, with how many are done.
  std::function<void(const LoadPoint&, std::size_t)> on_point;
};

/// Runs a curve of the traffic that is `described`; its own load does not matter. Throws what run_experiment
/// throws for a configuration that does not fit, and std::runtime_error if a run's process dies.
[[nodiscard]] LoadCurve run_load_curve(const ExperimentConfig& described, const LoadPlan& plan);

}  // namespace flitscope
