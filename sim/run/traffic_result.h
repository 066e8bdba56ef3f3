// What a run of synthetic traffic has measured: plain data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "sim/observe/flits/latency.h"
#include "sim/run/traffic_bounds.h"

namespace flitscope {

enum class TrafficStatus : std::uint8_t {
  ok,
  saturated,   ///< the network takes less than is offered: latencies would grow without end
  unfinished,  ///< a deadlock or the limit of cycles came first
};

/// "ok", "saturated", "unfinished": as in results.
[[nodiscard]] const char* name_of(TrafficStatus status);

/// What a link did in the measurement.
struct TrafficChannel {
  ChannelId channel = 0;
  std::uint64_t flits = 0;
  std::uint64_t stalled = 0;  ///< flit-cycles that flits were stalled for want of this link
  std::array<std::uint64_t, kStallCauses> causes{};
};

/// What one of several classes did; all is of the measurement.
struct TrafficClassResult {
  /// Flits per node and cycle.
  double offered = 0;
  double accepted = 0;
  /// Generated.
  std::uint64_t messages = 0;
  std::uint64_t flits = 0;
  /// Of those messages that have arrived, and how many have not.
  LatencySummary latency;
  LatencySummary network_latency;  ///< from the entry of the head
  std::uint64_t undelivered = 0;
  /// Half the width of the 95% confidence interval of its mean latency, as of all messages.
  std::optional<double> ci95;
  /// Messages generated and not arrived, over time.
  double messages_in_flight_mean = 0;
};

/// Rates are flits per node and cycle, times cycles. All is of the measurement, [begin, end), if nothing else
/// is said.
struct TrafficResult {
  TrafficStatus status = TrafficStatus::unfinished;
  /// Latencies were steady before the measurement, or the length of the warm-up was given.
  bool steady = true;
  /// The confidence intervals are as narrow as `precision` asks; nothing if it asks for none, or if the
  /// network is saturated.
  std::optional<bool> precise;
  Cycle begin = 0;
  Cycle end = 0;
  double offered = 0;
  double accepted = 0;
  /// Of the messages generated in the measurement that have arrived, and how many have not.
  LatencySummary latency;
  LatencySummary network_latency;  ///< from the entry of the head
  std::uint64_t undelivered = 0;
  /// Half the width of the 95% confidence interval of the mean latency, by batch means; nothing if there are
  /// too few messages.
  std::optional<double> ci95;
  /// Links that a flit travels.
  double hops_mean = 0;
  /// Messages generated and not arrived, over time.
  double messages_in_flight_mean = 0;
  /// By how many flits those rose.
  std::int64_t waiting_flits_growth = 0;
  std::array<std::uint64_t, kStallCauses> stalls{};
  /// The links that flits were stalled for longest, the worst first, at most kWorstShown.
  std::vector<TrafficChannel> worst;
  /// The link with the most flits; nothing if none has any.
  std::optional<TrafficChannel> busiest;
  /// Of each class, if there are several.
  std::vector<TrafficClassResult> classes;
  /// What can be said without a run.
  TrafficBounds bounds;
};

/// Of the traffic beside a schedule, from cycle 0 to the end of the schedule.
struct BackgroundResult {
  /// In which the schedule started.
  Cycle schedule_begin = 0;
  std::uint64_t messages = 0;
  std::uint64_t flits = 0;
  std::uint64_t arrived_messages = 0;
  std::uint64_t arrived_flits = 0;
  /// Flits per node and cycle.
  double offered = 0;
  double accepted = 0;
  /// Of the messages that have arrived.
  LatencySummary latency;
  LatencySummary network_latency;  ///< from the entry of the head
};

}  // namespace flitscope
