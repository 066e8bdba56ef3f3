// Latencies of messages: how long they took, and where the time went.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/machine.h"
#include "model/route.h"
#include "model/stall_cause.h"
#include "model/topology.h"
#include "model/types.h"
#include "routers/routing/paths.h"
#include "sim/observe/flits/waits.h"

namespace flitscope {

/// Messages with latencies from `from` to `to`, both included.
struct LatencyBin {
  Cycle from = 0;
  Cycle to = 0;
  std::uint64_t messages = 0;
};

/// Latencies of messages from ready to the arrival of the tail, in cycles. Quantiles are exact: the smallest
/// latency that at least that share of the messages did not exceed.
struct LatencySummary {
  std::uint64_t messages = 0;
  Cycle min = 0;
  double mean = 0;
  Cycle p50 = 0;
  Cycle p99 = 0;
  Cycle p999 = 0;  ///< 99.9%
  Cycle max = 0;
};

/// Counts latencies by value: memory follows the number of different ones.
class LatencyCounter {
 public:
  void add(Cycle latency) { ++counts_[latency]; }
  [[nodiscard]] LatencySummary summary() const;
  /// How many there are of each.
  [[nodiscard]] const std::map<Cycle, std::uint64_t>& counts() const { return counts_; }
  /// Bins without messages are left out. Below 32 cycles a bin is one latency, above it has a 16th of the
  /// largest power of two that is not larger: bins of different runs are the same.
  [[nodiscard]] std::vector<LatencyBin> distribution() const;

 private:
  std::map<Cycle, std::uint64_t> counts_;
};

struct ArrivedMessage;

/// The terms of docs/timing.md, in cycles:
///
///   latency = startup + queueing + hops + head stalls by cause + hol_blocked + serialization +
///   tail_serialization
struct LatencyParts {
  Cycle latency = 0;
  Cycle startup = 0;
  Cycle queueing = 0;
  Cycle hops = 0;
  std::array<Cycle, kStallCauses> head_stalls{};
  Cycle hol_blocked = 0;  ///< head usable but not at the front; with store-and-forward also without its tail
  Cycle serialization = 0;
  Cycle tail_serialization = 0;
  std::uint32_t links = 0;  ///< of its path

  /// What an empty network would not have cost.
  [[nodiscard]] Cycle delay() const { return latency - startup - hops - serialization; }
};

[[nodiscard]] LatencyParts split_latency(const ArrivedMessage& arrived, const Paths& paths,
                                         const MachineConfig& machine);

/// A message that took long, and what it waited for.
struct DelayedMessage {
  std::uint64_t message = 0;
  NodeId source = 0;
  NodeId destination = 0;
  LatencyParts parts;
  std::optional<Wait> longest_wait;  ///< of its head, if it ever waited
};

/// Keeps the messages with the longest delays, the longest first (of equal ones that with the lower number).
class MostDelayed {
 public:
  explicit MostDelayed(std::size_t keep) : keep_(keep) {}
  void add(DelayedMessage candidate);
  [[nodiscard]] const std::vector<DelayedMessage>& messages() const { return messages_; }

 private:
  std::size_t keep_;
  std::vector<DelayedMessage> messages_;
};

// The critical path of a run: the chain of messages, each released by the arrival of the one before it, of
// which the last is the last to arrive.

/// Between the arrival of a message and the next one being ready its receiver combines or rearranges data.
struct CriticalMessage {
  std::uint64_t message = 0;
  NodeId source = 0;
  NodeId destination = 0;
  Route route;
  std::uint32_t flits = 0;
  /// As in Delivery.
  Cycle ready = 0;
  Cycle head_entered = 0;
  Cycle head_arrived = 0;
  Cycle arrived = 0;
  std::array<Cycle, kStallCauses> head_stalls{};
  std::optional<Wait> longest_wait = {};  ///< of its head
};

}  // namespace flitscope
