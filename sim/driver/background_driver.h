// A schedule and synthetic traffic in one network.
#pragma once

#include <functional>
#include <span>

#include "sim/driver/collective_driver.h"
#include "sim/driver/sent_messages.h"
#include "sim/driver/traffic_phases.h"
#include "sim/driver/traffic_source.h"
#include "sim/network/transport.h"

namespace flitscope {

/// Performs a collective while a TrafficSource sends beside it, from cycle 0 until the collective is done; it
/// begins behind the traffic's warm-up (docs/timing.md, "Traffic beside a schedule"). Messages of the source
/// are those of step 0: 0.17 is the 17th of them. Their numbers start again behind kMessageNumbers.
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
  /// Everything that the collective has sent has arrived, and it will send nothing more: it is done, or
  /// cannot go on.
  [[nodiscard]] bool finished() const override {
    return has_begun_ && collective_.in_flight() == 0 && collective_.next_event() == kNever;
  }

  /// Of the source's messages. Messages over time are not counted.
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
