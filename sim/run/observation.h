// Observation of a run: the observers of its configuration, statistics, deadlock watch, progress reports.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/topology.h"
#include "sim/driver/collective_driver.h"
#include "sim/driver/measured_traffic.h"
#include "sim/network/clock_domain.h"
#include "sim/observe/deadlock/deadlock.h"
#include "sim/observe/flits/latency.h"
#include "sim/observe/observer.h"
#include "sim/run/experiment.h"
#include "sim/run/result.h"

namespace flitscope {

// Detours: the links that messages take beyond a shortest path.

/// Counts flits on links beyond the shortest paths of their messages. On graphs it keeps the distances from
/// every source that it has met.
class DetourCounter {
 public:
  /// `topology`: one network, of which it can count.
  explicit DetourCounter(Topology topology) : topology_(std::move(topology)) {}

  /// False if the network has too many routers to keep distances.
  [[nodiscard]] static bool can_count(const Topology& topology) {
    return topology.is_fault_free_grid() || topology.routers() <= kMaxRouters;
  }
  /// A message of so many flits took a path of so many links.
  void add(NodeId source, NodeId destination, std::uint32_t links, std::uint32_t flits) {
    flit_hops_ += std::uint64_t{links - distance(source, destination)} * flits;
  }
  [[nodiscard]] std::uint64_t flit_hops() const { return flit_hops_; }

 private:
  [[nodiscard]] std::uint32_t distance(NodeId source, NodeId destination);

  /// Distances between all of them take 128 MiB.
  static constexpr std::uint64_t kMaxRouters = 8192;

  Topology topology_;
  std::unordered_map<NodeId, std::vector<std::uint16_t>> distances_;  ///< by source
  std::uint64_t flit_hops_ = 0;
};

/// Detects deadlocks, and halts the clock when the run ends before the network is empty.
class RunWatch final : public ClockWatcher {
 public:
  /// Both must outlive it.
  RunWatch(const ClockDomain& clock, const ObservedRun& observed) : observed_(observed), deadlocks_(clock) {}

  /// Halts the clock after the first cycle in which `over` holds. This calls it in every cycle.
  void halt_when(std::function<bool()> over) { over_ = std::move(over); }

  /// The first cycle to watch.
  [[nodiscard]] Cycle first() const { return looks_at_cycles() ? 0 : DeadlockWatch::kFirstLook; }

  void look(Cycle now) override { observed_.after_cycle(now); }
  std::optional<Cycle> after_cycle(Cycle now) override {
    if (over_ && over_()) return std::nullopt;
    if (now >= next_look_) {
      const auto again = deadlocks_.after_cycle(now);
      if (!again) return std::nullopt;
      next_look_ = *again;
    }
    return looks_at_cycles() ? now + 1 : next_look_;
  }

  [[nodiscard]] const std::optional<Deadlock>& deadlock() const { return deadlocks_.deadlock(); }

 private:
  [[nodiscard]] bool looks_at_cycles() const { return over_ || observed_.looks_at_cycles(); }

  const ObservedRun& observed_;
  std::function<bool()> over_;
  DeadlockWatch deadlocks_;
  Cycle next_look_ = DeadlockWatch::kFirstLook;
};

/// Reports the progress of a run, which it does not influence, if the last report is long enough ago: the
/// messages that have arrived of `messages` that the schedule announces, and the flit-hops so far. Empty if
/// no reports are wanted. The options must outlive it.
using ProgressReport = std::function<void(Cycle now, std::uint64_t arrived, std::uint64_t flit_hops)>;
[[nodiscard]] ProgressReport progress_report(const RunOptions& options, std::uint64_t messages);

/// The observers of one run. Without a directory for files there are none.
class ObserverSet {
 public:
  /// Before any simulation: if an observer needs a profile, runs the experiment once in another process.
  /// `config` must be complete (see resolve_auto_settings).
  ObserverSet(const ExperimentConfig& config, const RunOptions& options);

  /// The run to watch. `config` must outlive it; `packet_stride` as in RunFacts.
  [[nodiscard]] RunFacts observed(const ExperimentConfig& config, std::uint64_t packet_stride) const;
  /// Makes the observers, which register with the run. Throws OutputError if a file cannot be opened.
  void watch(ObservedRun& run);
  void ended(Cycle last);
  /// Throws OutputError if a file could not be written completely.
  void close(const RunEnd& end);

 private:
  std::filesystem::path directory_;
  std::vector<const ObserverKind*> wanted_;
  ProfileRun profile_;
  std::vector<std::unique_ptr<Observer>> observers_;
};

/// Measurements of every run on links: latencies, and the waits of heads.
class LinkStatistics {
 public:
  explicit LinkStatistics(ObservedRun& run);
  LinkStatistics(const LinkStatistics&) = delete;
  LinkStatistics& operator=(const LinkStatistics&) = delete;

  /// Counts the latency of a message, without what observers see of it.
  void count(const ArrivedMessage& message) {
    latencies_.add(message.delivery.arrived - message.delivery.ready);
  }
  /// The terms of its latency.
  [[nodiscard]] LatencyParts parts_of(const ArrivedMessage& message) const {
    return split_latency(message, paths_of(message), are_paths_taken_, run_.machine);
  }
  /// Notifies the observers of a message, or of a packet of one.
  void observe(const ArrivedMessage& message);
  /// Both.
  void arrived(const ArrivedMessage& message) {
    count(message);
    observe(message);
  }
  /// Ignores a message that is not measured.
  void ignore(const ArrivedMessage& arrived);
  /// Requires that the run is over, its stalls are settled, and `links` has its channels.
  void fill(RunResult& result, LinkResult& links) const;

 private:
  [[nodiscard]] unsigned network_of(const ArrivedMessage& message) const {
    return run_.machine.network_of(message.delivery.message_class);
  }
  [[nodiscard]] const Paths& paths_of(const ArrivedMessage& message) const {
    return paths_[network_of(message)];
  }
  void count_detour(const ArrivedMessage& message, std::uint32_t links) {
    if (detours_.empty()) return;
    detours_[network_of(message)].add(message.message.source, message.message.destination, links,
                                      message.flits);
  }

  ObservedRun& run_;
  LatencyCounter latencies_;
  std::vector<Paths> paths_;  ///< by network
  bool are_paths_taken_;
  std::vector<DetourCounter> detours_;  ///< by network, with a table of energy and if they can be counted
  Waits waits_;
  MostDelayed most_delayed_{kWorstShown};
};

/// Measures messages of traffic.
class TrafficMeter {
 public:
  /// Counts the latencies of a message that has arrived.
  void add(const Delivery& delivery) {
    latencies_.add(delivery.arrived - delivery.ready);
    network_latencies_.add(delivery.arrived - delivery.head_entered);
  }
  [[nodiscard]] const LatencyCounter& latencies() const { return latencies_; }
  /// Sets the latencies of a result.
  void fill(TrafficClassResult& result) const {
    result.latency = latencies_.summary();
    result.network_latency = network_latencies_.summary();
  }
  /// The same, and counts and rates of the cycles between two tallies.
  void fill(TrafficClassResult& result, const TrafficTally& from, const TrafficTally& to, NodeId nodes,
            Cycle cycles) const;

 private:
  LatencyCounter latencies_;
  LatencyCounter network_latencies_;
};

/// Messages that were delivered, by message class.
class MessageClasses {
 public:
  explicit MessageClasses(const MachineConfig& machine);

  void add(const ArrivedMessage& message);
  /// Empty if the machine has no message classes. Requires that the stalls are settled.
  [[nodiscard]] std::vector<MessageClassRecord> records(const RouterGroups& routers) const;

 private:
  std::vector<MessageClassRecord> records_;
  std::vector<Cycle> latencies_;  ///< their sums
};

/// The counters of all links so far, by number.
[[nodiscard]] std::vector<ChannelRecord> channel_records(const Topology& topology,
                                                         const RouterGroups& routers);

/// Sets status and failed_checks of a run that ended with `in_flight` messages; false if they are in no
/// deadlock.
bool end_in_deadlock(RunResult& result, LinkResult& links, const ClockDomain& clock, std::uint64_t in_flight);

/// Settles the stalls of a run on links, whose last cycle was `last`, and fills in all that its network
/// counted.
void fill_counters(RunResult& result, LinkResult& links, const MessageClasses& classes, ClockDomain& clock,
                   Cycle last);

/// Measurements of every run on circuits: latencies.
class CircuitStatistics final : public CircuitObserver {
 public:
  explicit CircuitStatistics(ObservedRun& run) : run_(run) { run.on_circuits(*this); }

  /// Counts a message and notifies the observers.
  void arrived(const Transmission& transmission) override;
  [[nodiscard]] const LatencyCounter& latencies() const { return latencies_; }

 private:
  ObservedRun& run_;
  LatencyCounter latencies_;
};

}  // namespace flitscope
