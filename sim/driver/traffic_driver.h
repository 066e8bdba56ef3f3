// Synthetic traffic: hands over what the nodes generate, and measures what becomes of it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/driver/collective_driver.h"
#include "sim/driver/sent_messages.h"
#include "sim/driver/traffic_phases.h"
#include "sim/driver/traffic_source.h"
#include "sim/network/transport.h"

namespace flitscope {

/// Plays a TrafficSource in a network. Message 3.5 is the third one of the node with the number 4.
class TrafficDriver final : public Driver {
 public:
  /// All must outlive the driver.
  TrafficDriver(const Topology& topology, const MachineConfig& machine, const TrafficConfig& config,
                const TrafficPattern& pattern);

  /// Called for every message that arrives, with whether it is measured.
  void on_arrival(std::function<void(const ArrivedMessage&, bool measured)> callback) {
    on_arrival_ = std::move(callback);
  }
  /// Called when the measurement begins and when it ends, before routers move in that cycle.
  void on_phase(std::function<void(TrafficPhase, Cycle)> callback) { on_phase_ = std::move(callback); }

  void start(Transport& network) override;
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] Cycle next_event() const override;
  void at(Transport& network, Cycle now) override;
  /// The sources have stopped.
  [[nodiscard]] bool finished() const override { return phases_.phase() >= TrafficPhase::emptying; }

  [[nodiscard]] const TrafficPhases& phases() const { return phases_; }
  [[nodiscard]] const TrafficTally& tally() const { return tally_; }
  [[nodiscard]] std::uint64_t in_flight() const {
    return tally_.generated_messages - tally_.arrived_messages;
  }

 private:
  void advance_phase(Cycle now);
  void generate(Transport& network, Cycle now);
  void integrate(Cycle now) {
    tally_.message_cycles += (now - integrated_to_) * in_flight();
    integrated_to_ = now;
  }

  const Topology& topology_;
  TrafficSource source_;
  TrafficPhases phases_;
  TrafficTally tally_;
  Cycle integrated_to_ = 0;
  std::vector<SentMessages> sent_;  ///< by source
  std::function<void(const ArrivedMessage&, bool)> on_arrival_;
  std::function<void(TrafficPhase, Cycle)> on_phase_;
};

}  // namespace flitscope
