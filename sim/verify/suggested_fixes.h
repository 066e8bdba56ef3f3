// What would free an experiment of deadlock: computed, and tried before it is said.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/analysis/cuts.h"
#include "sim/verify/deadlock_check.h"

namespace flitscope {

struct SuggestedFixes {
  /// Settings, each of which alone frees the experiment, such as "router.virtual_channels=2".
  std::vector<std::string> settings;
  /// Layers of virtual channels that would do if each message stayed in one: an upper bound.
  std::optional<unsigned> layers;
  /// Kinds of turns without which there would be no dependency cycle and still a way for every message.
  std::optional<std::vector<Turn>> turns;
};

/// Requires a verdict that is not free.
[[nodiscard]] SuggestedFixes find_repairs(const DeadlockCheck& check, const ExperimentConfig& config);

}  // namespace flitscope
