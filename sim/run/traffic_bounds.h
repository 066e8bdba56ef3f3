// Bounds of synthetic traffic that need no run: load of links, saturation, zero-load latency.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "sim/analysis/channel_load.h"
#include "sim/config/config.h"
#include "sim/run/workload.h"

namespace flitscope {

/// Values that would take too long to compute, or depend on the run, are missing.
struct TrafficBounds {
  /// Of one class, for a load of one flit per node and cycle.
  struct Class {
    std::optional<TrafficLoad> load;
    /// The mean latency of a message alone in the network. Nothing where docs/timing.md has no formula, and
    /// where it does not follow from the mean number of links.
    std::optional<double> zero_load_latency;
  };
  std::vector<Class> classes;
  /// Of all classes in the proportions of their loads, as if all lasted for the whole run.
  Class all;
  /// The class whose load is rounded, while those of the others are exact. Nothing: all loads are rounded.
  std::optional<std::size_t> rounded_class = {};

  /// The load of all, in flits per node and cycle, that no router can exceed. None, as of one class, if a
  /// class begins late or ends.
  [[nodiscard]] std::optional<double> ideal_saturation(const ExperimentConfig& config) const;
  /// The load of one class that no router can exceed while the others keep theirs.
  [[nodiscard]] std::optional<double> ideal_saturation(const ExperimentConfig& config,
                                                       std::size_t traffic_class) const;
};

/// Whether the configured loads are beyond `bounds`, by more than loads are rounded, and offered for as long
/// as the run lasts: messages wait ever longer. Not where senders wait for answers, a class begins late or
/// ends, or the bounds are missing.
[[nodiscard]] bool is_beyond(const ExperimentConfig& config, const TrafficBounds& bounds);

/// `config` must be complete (see resolve_auto_settings).
[[nodiscard]] TrafficBounds traffic_bounds(const ExperimentConfig& config, const OfferedPatterns& patterns);

}  // namespace flitscope
