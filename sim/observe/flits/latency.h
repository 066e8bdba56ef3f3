// Latencies of messages: how long they took, where the time went, and for whom they waited.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "model/route.h"
#include "model/stall_cause.h"
#include "model/topology.h"
#include "model/types.h"
#include "model/units.h"
#include "routers/engine/flit_observer.h"
#include "routers/routing/paths.h"

namespace flitscope {

// Waits of messages: for which channel, for how long, and because of which message.

/// A stall and why it lasted.
struct Wait : FlitStall {
  /// The culprit's own longest wait so far, if it overlaps this one in time: the cause of this wait.
  std::shared_ptr<const Wait> because;
};

/// Keeps the longest wait for every link and of every message in the network. Memory follows the links that
/// were ever waited for and the messages in flight.
class Waits final : public StallObserver {
 public:
  explicit Waits(const Topology& topology)
      : topology_(topology), place_of_(topology.channel_ids(), kNowhere) {}

  void stalled(const FlitStall& stall) override;
  [[nodiscard]] bool needs_all() const override { return false; }

  /// The head's longest wait, or nothing if it never waited. Forgets it: call it when the message arrives.
  [[nodiscard]] std::optional<Wait> take(std::uint64_t message);

  /// The longest single stall of any flit for a link, the first of several; nullptr: there was none.
  [[nodiscard]] const Wait* of(ChannelId channel) const {
    return place_of_[channel] == kNowhere ? nullptr : &channels_[place_of_[channel]];
  }

 private:
  [[nodiscard]] std::shared_ptr<const Wait> reason(const FlitStall& stall) const;

  static constexpr std::uint32_t kNowhere = 0xFFFFFFFF;

  [[nodiscard]] Wait& at(ChannelId channel) {
    if (place_of_[channel] == kNowhere) add(channel);
    return channels_[place_of_[channel]];
  }
  void add(ChannelId channel);

  const Topology& topology_;
  std::vector<std::uint32_t> place_of_;  ///< by channel, in channels_
  std::vector<Wait> channels_;
  std::pmr::unsynchronized_pool_resource memory_;  ///< entries come and go with every message that is stalled
  std::pmr::unordered_map<std::uint64_t, Wait> longest_{&memory_};
};

/// "worm 1.1 waited 119 cycles from cycle 5 at [1, 0] for a VC of channel [1, 0]+0, held by worm 1.2, which
/// ..."; with a clock "waited 119 cycles (119 ns) from".
[[nodiscard]] std::string describe(const Wait& wait, const Topology& topology,
                                   const std::optional<ClockPeriod>& clock = {});

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

/// Counts latencies by value, in blocks of values beside one another: memory follows the number of different
/// ones.
class LatencyCounter {
 public:
  void add(Cycle latency) { ++blocks_[latency / kBlock][latency % kBlock]; }
  [[nodiscard]] LatencySummary summary() const;
  /// Latencies, rising, and how many there are of each.
  [[nodiscard]] std::vector<std::pair<Cycle, std::uint64_t>> counts() const;
  /// Bins without messages are left out. Below 32 cycles a bin is one latency, above it has a 16th of the
  /// largest power of two that is not larger: bins of different runs are the same.
  [[nodiscard]] std::vector<LatencyBin> distribution() const;

 private:
  static constexpr Cycle kBlock = 64;
  std::unordered_map<Cycle, std::array<std::uint64_t, kBlock>> blocks_;
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
  /// Of a message in packets also the heads of the later ones, and their waits.
  Cycle tail_serialization = 0;
  std::uint32_t links = 0;  ///< of its path
  /// In an empty network, on its path. Where links have different intervals and its path is not known, that
  /// of links that take a flit in every cycle.
  Cycle zero_load = 0;

  /// What an empty network would not have cost.
  [[nodiscard]] Cycle delay() const { return latency - zero_load; }
  void add(const LatencyParts& other);
};

/// "startup_cycles,queueing_cycles,..,tail_serialization_cycles": columns of the terms.
[[nodiscard]] std::string latency_columns();
/// Their cells, in cycles.
[[nodiscard]] std::vector<Cycle> latency_cells(const LatencyParts& parts);

/// Links that the head of a message has travelled.
[[nodiscard]] std::uint32_t links_of(const ArrivedMessage& arrived, const Paths& paths);

/// `are_taken`: messages take `paths`, as the routing function does not choose among links.
[[nodiscard]] LatencyParts split_latency(const ArrivedMessage& arrived, const Paths& paths, bool are_taken,
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
  unsigned network = 0;
  /// As in Delivery.
  Cycle ready = 0;
  Cycle head_entered = 0;
  Cycle head_arrived = 0;
  Cycle arrived = 0;
  LatencyParts parts = {};
  std::optional<Wait> longest_wait = {};  ///< of its head; unknown in packets
};

/// The value below which a share of the values lies: of n sorted ones the one at ceil(share n). 0 of none.
[[nodiscard]] double quantile(std::vector<double> values, double share);

}  // namespace flitscope
