// Everything that watches one run on a complete network, from the configuration.
#pragma once

#include <filesystem>
#include <optional>

#include "sim/config/config.h"
#include "sim/network/circuit_network.h"
#include "sim/observe/circuits/circuit_log.h"
#include "sim/observe/circuits/circuit_timeline.h"
#include "sim/observe/circuits/circuit_waves.h"
#include "sim/observe/flits/latency.h"
#include "sim/observe/flits/wave_scope.h"

namespace flitscope {

/// Opens the files that `observe` wants and watches the network.
class CircuitObservation final : private CircuitObserver {
 public:
  /// Before the run, when the network has its first circuits; all must outlive it. Without a directory no
  /// files are written. Throws OutputError.
  CircuitObservation(const ExperimentConfig& config, const WaveScope& waves,
                     const std::filesystem::path& directory, CircuitNetwork& network);

  [[nodiscard]] LatencySummary latency() const { return latencies_.summary(); }
  /// The run is over; `last` was its last cycle. Throws OutputError if a file could not be written
  /// completely.
  void close(Cycle last);

 private:
  void arrived(const Transmission& transmission) override {
    latencies_.add(transmission.end - transmission.begin);
  }

  LatencyCounter latencies_;
  std::optional<CircuitLog> log_;
  std::optional<CircuitTimeline> timeline_;
  std::optional<CircuitWaves> waves_;
};

}  // namespace flitscope
