// What drivers of measured traffic have in common: phases and counters.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "sim/driver/collective_driver.h"
#include "sim/driver/traffic_phases.h"
#include "sim/network/transport.h"

namespace flitscope {

/// A driver whose messages are of one class or several, with a warm-up and a measurement.
class MeasuredTraffic : public Driver {
 public:
  /// Called for every message that arrives, with its class, counted from 0, and whether it was ready in the
  /// measurement.
  using Arrival = std::function<void(const ArrivedMessage&, std::size_t traffic_class, bool measured)>;
  void on_arrival(Arrival callback) { on_arrival_ = std::move(callback); }
  /// Called when the measurement begins and when it ends, before routers move in that cycle.
  void on_phase(std::function<void(TrafficPhase, Cycle)> callback) { on_phase_ = std::move(callback); }

  [[nodiscard]] const TrafficPhases& phases() const { return phases_; }
  [[nodiscard]] std::size_t classes() const { return tallies_.size(); }
  /// Of the messages of all classes, and of one of them.
  [[nodiscard]] TrafficTally tally() const;
  [[nodiscard]] const TrafficTally& tally(std::size_t traffic_class) const { return tallies_[traffic_class]; }
  [[nodiscard]] std::uint64_t in_flight() const { return tally().in_flight(); }

 protected:
  MeasuredTraffic(TrafficPhases phases, std::uint64_t nodes, std::size_t classes)
      : phases_(std::move(phases)), nodes_(nodes), tallies_(classes) {}

  /// What the phases measure: messages, unless a driver measures something else.
  [[nodiscard]] virtual TrafficTally measured() const { return tally(); }
  /// Begins cycle `now` of the phases if one ends.
  void advance_phase(Cycle now);
  /// Reports a change of phase.
  void report_phase(Cycle now) {
    if (on_phase_) on_phase_(phases_.phase(), now);
  }
  /// Counts the messages in flight up to `now`.
  virtual void integrate(Cycle now);

  void count_sent(std::size_t traffic_class, std::uint32_t flits) {
    ++tallies_[traffic_class].generated_messages;
    tallies_[traffic_class].generated_flits += flits;
  }
  void count_arrived(std::size_t traffic_class, std::uint32_t flits, Cycle latency) {
    ++tallies_[traffic_class].arrived_messages;
    tallies_[traffic_class].arrived_flits += flits;
    tallies_[traffic_class].latencies += latency;
  }
  void report_arrival(const ArrivedMessage& message, std::size_t traffic_class) const {
    if (on_arrival_) on_arrival_(message, traffic_class, phases_.measures(message.delivery.ready));
  }

  TrafficPhases phases_;

 private:
  std::uint64_t nodes_;
  std::vector<TrafficTally> tallies_;
  Cycle integrated_to_ = 0;
  Arrival on_arrival_;
  std::function<void(TrafficPhase, Cycle)> on_phase_;
};

}  // namespace flitscope
