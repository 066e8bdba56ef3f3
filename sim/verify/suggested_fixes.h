// Changes that would make an experiment free of deadlock: settings, layers of virtual channels, turns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/verify/deadlock_check.h"

namespace flitscope {

/// From one link port into another.
struct Turn {
  unsigned from = 0;
  unsigned into = 0;
  bool operator==(const Turn&) const = default;
};

/// Each was computed and tried.
struct SuggestedFixes {
  /// Settings, each of which alone frees the experiment, such as "router.virtual_channels=2"; several that
  /// belong together are separated by line breaks.
  std::vector<std::string> settings;
  /// Layers of virtual channels that suffice if each message stays in one: an upper bound. Only of
  /// deterministic routing functions.
  std::optional<unsigned> layers;
  /// A smallest set of kinds of turns without which there is no dependency cycle and still a path for every
  /// message; nothing if it takes more than four, or the network is too large to try. Only of adaptive
  /// routing functions.
  std::optional<std::vector<Turn>> turns;
};

/// Requires a verdict that is not free.
[[nodiscard]] SuggestedFixes suggest_fixes(const DeadlockCheck& check, const ExperimentConfig& config);

}  // namespace flitscope
