// Synthetic traffic beside a schedule, and what is measured of it.
#pragma once

#include <memory>

#include "sim/driver/traffic_driver.h"
#include "sim/run/observation.h"
#include "sim/run/result.h"
#include "sim/run/workload.h"

namespace flitscope {

class Background {
 public:
  /// The configuration must have a background. All must outlive it.
  Background(CollectiveDriver& collective, const ExperimentConfig& config, LinkStatistics& statistics)
      : pattern_(make_background_pattern(config)),
        driver_(collective, config.topology, config.machine, *config.workload.background, *pattern_),
        warmup_(config.workload.background->warmup.value_or(0)) {
    driver_.on_arrival([&](const ArrivedMessage& message) {
      const Delivery& delivery = message.delivery;
      latencies_.add(delivery.arrived - delivery.ready);
      network_latencies_.add(delivery.arrived - delivery.head_entered);
      statistics.passed(message);
    });
  }

  /// Drives both.
  [[nodiscard]] BackgroundDriver& driver() { return driver_; }
  [[nodiscard]] const TrafficTally& tally() const { return driver_.tally(); }

  /// After `cycles` cycles.
  [[nodiscard]] BackgroundResult result(NodeId nodes, Cycle cycles) const;

 private:
  std::unique_ptr<TrafficPattern> pattern_;
  BackgroundDriver driver_;
  Cycle warmup_;
  LatencyCounter latencies_;
  LatencyCounter network_latencies_;
};

}  // namespace flitscope
