// What drivers of measured traffic have in common: phases (docs/traffic.md, "Phases") and counters.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "model/types.h"
#include "sim/driver/collective_driver.h"
#include "sim/driver/traffic_source.h"
#include "sim/network/transport.h"
#include "traffic/traffic.h"

namespace flitscope {

// Phases of a run of synthetic traffic: warm-up, measurement, drain, end (docs/traffic.md, "Phases").

/// Counters from the beginning to a cycle.
struct TrafficTally {
  std::uint64_t generated_messages = 0;
  std::uint64_t generated_flits = 0;
  std::uint64_t arrived_messages = 0;
  std::uint64_t arrived_flits = 0;
  std::uint64_t latencies = 0;  ///< sum of those of the messages that have arrived
  /// Sum over all cycles of the messages in flight.
  std::uint64_t message_cycles = 0;

  [[nodiscard]] std::uint64_t waiting_flits() const { return generated_flits - arrived_flits; }
  [[nodiscard]] std::uint64_t in_flight() const { return generated_messages - arrived_messages; }
  TrafficTally& operator+=(const TrafficTally& other);
};

/// The interval [low, high] around a mean, as its half width.
struct MeanInterval {
  double mean = 0;
  double half_width = 0;
};

/// Means of equally long parts of a measurement, of the messages generated in them.
class BatchMeans {
 public:
  static constexpr unsigned kBatches = 20;

  /// Adds a latency to part `part`, from 0.
  void add(std::size_t part, std::uint64_t latency) {
    if (part >= parts_.size()) parts_.resize(part + 1);
    parts_[part].sum += latency;
    ++parts_[part].count;
  }
  /// 95% by Student's distribution over `parts` parts, put together to kBatches batches. Nothing if a batch
  /// is empty.
  [[nodiscard]] std::optional<MeanInterval> interval(std::size_t parts) const;

 private:
  struct Part {
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
  };
  std::vector<Part> parts_;
};

enum class TrafficPhase : std::uint8_t {
  warm_up,
  measurement,
  drain,     ///< until all messages of the measurement have arrived; sources go on
  emptying,  ///< sources have stopped
  over,      ///< saturated: messages in flight are dropped
};

/// Sending time of a class of traffic.
struct SendingTime {
  Cycle start = 0;
  /// It has a last message.
  bool ends = false;
};

/// The phases of one run.
class TrafficPhases {
 public:
  /// `classes` are all that send. What is `bounded` cannot saturate: it waits for answers.
  TrafficPhases(const TrafficConfig& config, const std::vector<SendingTime>& classes, bool bounded = false);
  /// Of a batch: the run is one measurement until end_batch().
  [[nodiscard]] static TrafficPhases of_batch(const TrafficConfig& config);

  [[nodiscard]] TrafficPhase phase() const { return phase_; }
  /// The next cycle in which advance() must be called; kNever if only arrivals matter.
  [[nodiscard]] Cycle next() const { return next_; }
  /// Begins cycle `now` == next(); `tally` is without the arrivals of `now`.
  void advance(Cycle now, const TrafficTally& tally, std::uint64_t nodes);
  /// The batch is done in cycle `now`, the arrivals of which are in `tally`.
  void end_batch(Cycle now, const TrafficTally& tally);

  /// Whether a message that was generated in this cycle is measured.
  [[nodiscard]] bool measures(Cycle generated) const { return generated >= begin_ && generated < end_; }
  void measured_generated() { ++outstanding_; }
  /// A measured message has arrived in cycle `now`.
  void measured_arrived(Cycle generated, Cycle now, std::size_t traffic_class);

  /// The measurement: [begin, end). kNever while it has not begun, or not ended.
  [[nodiscard]] Cycle begin() const { return begin_; }
  [[nodiscard]] Cycle end() const { return phase_ <= TrafficPhase::measurement ? kNever : end_; }
  [[nodiscard]] const TrafficTally& at_begin() const { return at_begin_; }
  [[nodiscard]] const TrafficTally& at_end() const { return at_end_; }
  /// Latencies were steady when the measurement began; true if the length of the warm-up was given.
  [[nodiscard]] bool steady() const { return steady_; }
  /// Whether the measurement ended with confidence intervals as narrow as `precision` asks; nothing if none
  /// is asked for, or the network saturated.
  [[nodiscard]] std::optional<bool> reached_precision() const { return reached_precision_; }
  [[nodiscard]] bool saturated() const { return saturated_; }
  /// Measured messages that have not arrived.
  [[nodiscard]] std::uint64_t outstanding() const { return outstanding_; }
  /// Of the mean latency of all messages, and of those of one class.
  [[nodiscard]] std::optional<MeanInterval> interval() const { return batches_.interval(parts_); }
  [[nodiscard]] std::optional<MeanInterval> interval(std::size_t traffic_class) const {
    return classes_.empty() ? interval() : classes_[traffic_class].batches.interval(parts_);
  }

 private:
  void end_window(Cycle now, const TrafficTally& tally);
  void begin_measurement(Cycle now, const TrafficTally& tally);
  void end_measurement(Cycle now, const TrafficTally& tally, std::uint64_t nodes);
  [[nodiscard]] bool precise() const;

  /// What arrived in a window of the warm-up.
  struct Window {
    std::uint64_t latencies = 0;
    std::uint64_t messages = 0;
    /// Both have a mean latency, and that of `before` differs by 5% of itself or less.
    [[nodiscard]] bool is_like(const Window& before) const;
  };
  /// One of several classes.
  struct Class {
    SendingTime sends;
    BatchMeans batches;
  };

  TrafficConfig config_;
  bool bounded_;
  std::vector<Class> classes_;  ///< empty if there is only one
  Cycle windows_begin_ = 0;     ///< of an automatic warm-up
  TrafficPhase phase_ = TrafficPhase::warm_up;
  Cycle next_ = 0;
  // Warm-up.
  TrafficTally window_begin_;
  Window last_window_;
  unsigned windows_ = 0;
  unsigned steady_windows_ = 0;
  bool steady_ = true;
  std::optional<bool> reached_precision_;
  // Measurement.
  Cycle begin_ = kNever;
  Cycle end_ = kNever;
  std::size_t parts_ = 0;
  std::uint64_t outstanding_ = 0;
  TrafficTally at_begin_;
  std::optional<TrafficTally>
      at_middle_;  ///< of the measurement, or at its last prolongation; with a given warm-up
  TrafficTally at_end_;
  BatchMeans batches_;
  bool saturated_ = false;
};

/// A driver whose messages are of one class or several, with a warm-up and a measurement. Message 3.5 is the
/// third one of the node with the number 4.
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
      : phases_(std::move(phases)), tallies_(classes), sent_(nodes) {}

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

  /// Sends the next message of its source; the class of the record is that of its traffic.
  void hand_over(Transport& network, const SentMessages::Record& message, std::uint32_t message_class);
  /// Counts and reports a message that has arrived in cycle `now`.
  SentMessages::Record receive(const Delivery& delivery, Cycle now);

  TrafficPhases phases_;

 private:
  std::vector<TrafficTally> tallies_;
  std::vector<SentMessages> sent_;  ///< by source
  Cycle integrated_to_ = 0;
  Arrival on_arrival_;
  std::function<void(TrafficPhase, Cycle)> on_phase_;
};

}  // namespace flitscope
