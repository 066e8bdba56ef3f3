// Measurements of requests and replies: plain data.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/types.h"
#include "sim/observe/flits/latency.h"

namespace flitscope {

/// One node of a protocol, over the measurement.
struct ProtocolNode {
  NodeId node = 0;
  bool requests = false;
  bool answers = false;
  std::uint64_t round_trips = 0;  ///< done, of its requests
  double round_trip_mean = 0;     ///< of those that were generated in the measurement
  double outstanding_mean = 0;    ///< its requests without an answer, over time
  std::uint64_t served = 0;       ///< services begun
  double queue_mean = 0;          ///< requests that wait for their service, over time
  std::uint64_t queue_longest = 0;
};

/// Counts of a part of the measurement.
struct ProtocolPart {
  Cycle begin = 0;
  double outstanding_mean = 0;
  double round_trips = 0;  ///< done per cycle
};

/// Results of a protocol over the measurement. Latencies are those of the requests that were generated in it.
struct ProtocolResult {
  /// From the generation of a request to the delivery of its reply, and of reads and writes alone.
  LatencySummary round_trip;
  LatencySummary reads;
  LatencySummary writes;
  /// What round trips consist of, as means: their sum and the mean queueing are the mean round trip.
  double issue_mean = 0;    ///< until the request may be issued
  double request_mean = 0;  ///< the request's latency
  double service_mean = 0;  ///< until the reply is handed over
  double reply_mean = 0;    ///< the reply's latency
  /// At the targets, until the service begins.
  LatencySummary queueing;
  /// Done, per cycle, and their data.
  double round_trips_per_cycle = 0;
  double bytes_per_cycle = 0;
  double outstanding_mean = 0;
  /// Nodes that request or answer, by number.
  std::vector<ProtocolNode> nodes;
  /// The measurement in parts of equal length; the last one can be shorter.
  std::vector<ProtocolPart> parts;
  /// Measured round trips by their length.
  std::vector<std::pair<Cycle, std::uint64_t>> distribution;
};

}  // namespace flitscope
