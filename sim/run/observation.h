// What watches a run: the observers that its configuration asks for, and what the result itself needs.
#pragma once

#include <memory>
#include <vector>

#include "routers/engine/router_pool.h"
#include "sim/observe/flits/latency.h"
#include "sim/observe/flits/waits.h"
#include "sim/observe/observer.h"
#include "sim/run/profile_run.h"
#include "sim/run/result.h"
#include "sim/run/run_options.h"

namespace flitscope {

/// The observers of one run. Without a directory for files there are none.
class ObserverSet {
 public:
  /// Before any simulation: runs the experiment once with `run` if an observer needs to know what it finds.
  /// `config` must be complete (see resolve_auto_settings).
  ObserverSet(const ExperimentConfig& config, const RunOptions& options, const RunFunction& run);

  /// The run to watch. `config` must outlive it.
  [[nodiscard]] ObservedRun observed(const ExperimentConfig& config) const;
  /// The network is there: observers are made and say what they listen to. Throws OutputError if a file
  /// cannot be opened.
  void watch(LinkRun& run);
  void watch(CircuitRun& run);
  void ended(Cycle last);
  /// Throws OutputError if a file could not be written completely.
  void close(const RunEnd& end);

 private:
  std::filesystem::path directory_;
  std::vector<const ObserverKind*> wanted_;
  ProfileRun first_run_;
  std::vector<std::unique_ptr<Observer>> observers_;
};

/// What a run on links is watched for in any case: latencies, and who waited for whom.
class LinkStatistics {
 public:
  explicit LinkStatistics(LinkRun& run);
  LinkStatistics(const LinkStatistics&) = delete;
  LinkStatistics& operator=(const LinkStatistics&) = delete;

  /// Takes a message into account and tells the observers.
  void arrived(const ArrivedMessage& message);
  /// A message has arrived that is no part of what is measured.
  void passed(const ArrivedMessage& message) { static_cast<void>(waits_.take(message.delivery.id)); }
  /// The run is over, its stalls are settled, and `links` has its channels.
  void fill(RunResult& result, LinkResult& links) const;

 private:
  LinkRun& run_;
  LatencyCounter latencies_;
  Paths ways_;
  Waits waits_;
  MostDelayed most_delayed_{kWorstShown};
};

/// What all links have done so far, by number.
[[nodiscard]] std::vector<ChannelRecord> channel_records(const Topology& topology, const RouterPool& routers);

/// The latencies of a run on circuits.
class CircuitLatencies final : public CircuitObserver {
 public:
  void arrived(const Transmission& transmission) override {
    latencies_.add(transmission.end - transmission.begin);
  }
  [[nodiscard]] LatencySummary summary() const { return latencies_.summary(); }

 private:
  LatencyCounter latencies_;
};

}  // namespace flitscope
