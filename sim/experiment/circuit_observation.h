// Everything that watches one run on a complete network, from the configuration.
#pragma once

#include <filesystem>
#include <optional>

#include "sim/experiment/config.h"
#include "sim/network/optical_network.h"
#include "sim/observe/circuit_log.h"
#include "sim/observe/circuit_timeline.h"
#include "sim/observe/circuit_waves.h"
#include "sim/observe/latency.h"
#include "sim/observe/wave_scope.h"

namespace flitscope {

/// Opens the files that `observe` wants and watches the network.
class CircuitObservation final : private CircuitObserver {
 public:
  /// Before the run, when the network has its first circuits; all must outlive it. Without a directory no
  /// files are written. Throws OutputError.
  CircuitObservation(const ExperimentConfig& config, const WaveScope& waves,
                     const std::filesystem::path& directory, OpticalNetwork& network);

  [[nodiscard]] LatencySummary latency() const { return latencies_.summary(); }
  /// The run is over; `last` was its last cycle. Throws OutputError if a file could not be written
  /// completely.
  void close(Cycle last);

 private:
  void arrived(const Beam& beam) override { latencies_.add(beam.end - beam.begin); }

  LatencyCounter latencies_;
  std::optional<CircuitLog> log_;
  std::optional<CircuitTimeline> timeline_;
  std::optional<CircuitWaves> waves_;
};

}  // namespace flitscope
