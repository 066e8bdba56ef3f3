// Measures the round trips of a protocol.
#pragma once

#include <cstdint>
#include <vector>

#include "model/topology.h"
#include "sim/driver/protocol_driver.h"
#include "sim/run/result.h"
#include "sim/run/workload.h"

namespace flitscope {

/// Sums over equal parts of time, at most kParts: their length doubles as time goes on.
class TimeParts {
 public:
  static constexpr std::size_t kParts = 128;

  /// Adds 1 for every cycle from `from` to before `end`.
  void add(Cycle from, Cycle end);
  [[nodiscard]] Cycle length() const { return length_; }
  /// The sum from cycle index * length() on.
  [[nodiscard]] std::uint64_t sum(std::size_t index) const { return index < sums_.size() ? sums_[index] : 0; }

 private:
  Cycle length_ = 1;
  std::vector<std::uint64_t> sums_;
};

/// Measures what a ProtocolDriver reports.
class ProtocolStatistics {
 public:
  /// All must outlive it. `patterns` are those of the requests and the replies.
  ProtocolStatistics(ProtocolDriver& driver, const ProtocolConfig& protocol, const OfferedPatterns& patterns,
                     const Topology& topology);
  ProtocolStatistics(const ProtocolStatistics&) = delete;
  ProtocolStatistics& operator=(const ProtocolStatistics&) = delete;

  /// After the run, whose last cycle is `last`.
  [[nodiscard]] ProtocolResult result(Cycle last);

 private:
  struct Node {
    std::uint64_t round_trips = 0;
    std::uint64_t measured = 0;
    std::uint64_t measured_cycles = 0;
    std::uint64_t outstanding_cycles = 0;
    std::uint64_t served = 0;
    std::uint64_t queue_cycles = 0;
  };

  void done(const RoundTrip& trip);
  /// Counts what is within the measurement, of which the cycles before `until` are over.
  void count(const RoundTrip& trip, Cycle until);

  ProtocolDriver& driver_;
  const ProtocolConfig& protocol_;
  const OfferedPatterns& patterns_;
  std::vector<Node> nodes_;
  LatencyCounter round_trips_;
  LatencyCounter reads_;
  LatencyCounter writes_;
  LatencyCounter queueing_;
  // Sums over measured round trips.
  std::uint64_t issue_ = 0;
  std::uint64_t request_ = 0;
  std::uint64_t service_ = 0;
  std::uint64_t reply_ = 0;
  std::uint64_t bytes_ = 0;
  TimeParts outstanding_;
  TimeParts completions_;
};

}  // namespace flitscope
