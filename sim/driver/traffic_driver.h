// Drivers of synthetic traffic: alone, or in the background of a schedule.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/driver/collective_driver.h"
#include "sim/driver/measured_traffic.h"
#include "sim/driver/traffic_source.h"
#include "sim/network/transport.h"

namespace flitscope {

/// A class of traffic: its configuration and its pattern.
struct OfferedTraffic {
  const TrafficConfig& config;
  const TrafficPattern& pattern;
};

/// Plays a TrafficSource for each class of traffic in a network. Classes take turns in a cycle, the first one
/// first.
class TrafficDriver final : public MeasuredTraffic {
 public:
  /// All must outlive the driver. `phases` has the warm-up and the measurement of all classes.
  TrafficDriver(const Topology& topology, const MachineConfig& machine, const TrafficConfig& phases,
                std::span<const OfferedTraffic> classes);

  void start(Transport& network) override;
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] Cycle next_event() const override;
  void at(Transport& network, Cycle now) override;
  /// The sources have stopped.
  [[nodiscard]] bool finished() const override { return phases().phase() >= TrafficPhase::emptying; }

 private:
  void generate(Transport& network, Cycle now);
  void generate(Transport& network, std::uint32_t traffic_class, Cycle now);
  void find_next();

  std::vector<TrafficSource> sources_;  ///< by class
  Cycle next_ = kNever;                 ///< in which a class generates
};

/// Performs a collective with background traffic of a TrafficSource, from cycle 0 to the end of the
/// collective, which begins after the traffic's warm-up (docs/timing.md, "Traffic beside a schedule").
/// Messages of the source have step 0: 0.17 is the 17th of them. Their numbers wrap at kMessageNumbers.
class BackgroundDriver final : public Driver {
 public:
  /// All must outlive the driver.
  BackgroundDriver(CollectiveDriver& collective, const Topology& topology, const MachineConfig& machine,
                   const TrafficConfig& traffic, const TrafficPattern& pattern)
      : collective_(collective),
        source_(topology, machine, traffic, pattern),
        beginning_(traffic.warmup.value_or(0)) {}

  /// Called for every message of the source that arrives.
  void on_arrival(std::function<void(const ArrivedMessage&)> callback) { on_arrival_ = std::move(callback); }

  void start(Transport& network) override {
    if (beginning_ == 0) collective_.start(network);
  }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] Cycle next_event() const override;
  void at(Transport& network, Cycle now) override;
  void can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle now) override {
    collective_.can_send_again(network, nodes, now);
  }
  [[nodiscard]] bool holds_deliveries() const override { return collective_.holds_deliveries(); }
  /// All messages of the collective have arrived, and it sends no more: it is done or blocked.
  [[nodiscard]] bool finished() const override {
    return has_begun_ && collective_.in_flight() == 0 && collective_.next_event() == kNever;
  }

  /// Counters of the source's messages, without message_cycles.
  [[nodiscard]] const TrafficTally& tally() const { return tally_; }

 private:
  void send(Transport& network, const GeneratedMessage& message);

  CollectiveDriver& collective_;
  TrafficSource source_;
  Cycle beginning_;  ///< of the collective
  bool has_begun_ = beginning_ == 0;
  SentMessages sent_;
  TrafficTally tally_;
  std::function<void(const ArrivedMessage&)> on_arrival_;
};

}  // namespace flitscope
