// Results in the units of the clock: times in nanoseconds, rates in GB/s, bandwidths of collectives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/formats/strict_json.h"
#include "sim/run/result.h"

namespace flitscope {

/// So many flits a cycle; the configuration must have a clock.
[[nodiscard]] double gigabytes_per_second(const ExperimentConfig& config, double flits_per_cycle);
/// A flit a cycle, likewise.
[[nodiscard]] inline double flit_bandwidth(const ExperimentConfig& config) {
  return gigabytes_per_second(config, 1);
}
/// " (25.6 GB/s)", so many flits a cycle; without a clock nothing.
[[nodiscard]] std::string bandwidth_in_brackets(const ExperimentConfig& config, double flits_per_cycle);
/// " (12.106 us)"; without a clock nothing.
[[nodiscard]] std::string time_in_brackets(const ExperimentConfig& config, double cycles);
/// "12106 cycles (12.106 us)", with a clock.
[[nodiscard]] std::string cycles_text(const ExperimentConfig& config, Cycle cycles);

/// Quantities of the configuration beside what is simulated: bandwidths, and lengths of messages of traffic.
[[nodiscard]] std::vector<SimulatedQuantity> simulated_quantities(const ExperimentConfig& config);

/// GB/s of a collective, as NCCL's tests define them.
struct CollectiveBandwidth {
  CollectiveKind kind = CollectiveKind::other;
  /// The size of the operation by its time.
  double algorithm = 0;
  /// That times bytes_of_each_node().
  double bus = 0;
};
/// Nothing without a clock, and of workloads that are no such collective or did not complete. A schedule from
/// a file is the collective that its data is.
[[nodiscard]] std::optional<CollectiveBandwidth> collective_bandwidth(const RunResult& result);

/// The unit of a key, or of a number of a result by its names with dots: "cycles" of "latency.mean",
/// "flits/node/cycle" of "traffic.accepted". Empty for what has none, or says it in its name.
[[nodiscard]] std::string unit_of(const std::string& name);

/// With a clock: adds beside every time in cycles the same in nanoseconds, and beside rates of flits the same
/// in GB/s; in the objects `latency`, `round_trip` and their like "mean_ns" beside "mean" and likewise.
void add_units(Json& json, const ExperimentConfig& config);

}  // namespace flitscope
