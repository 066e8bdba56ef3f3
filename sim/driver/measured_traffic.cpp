#include "sim/driver/measured_traffic.h"

#include <algorithm>
#include <cmath>

#include "model/schedule.h"

namespace flitscope {

namespace {

// The warm-up's rule.
constexpr unsigned kSteadyPart = 20;  ///< the mean of a window differs by this part of the last one's at most
constexpr unsigned kSteadyWindows = 2;  ///< so many times on end
constexpr unsigned kMaxWindows = 20;

// Thresholds of saturation.
constexpr double kMaxGrowth = 0.01;  ///< of the flits waiting, in parts of those generated
constexpr double kMaxMessages = 2;   ///< the same, in messages a node

constexpr unsigned kMaxProlongations = 50;
constexpr Cycle kLeastDrain = 10'000;

}  // namespace

TrafficTally MeasuredTraffic::tally() const {
  TrafficTally all = tallies_.front();
  for (std::size_t i = 1; i < tallies_.size(); ++i) all += tallies_[i];
  return all;
}

void MeasuredTraffic::advance_phase(Cycle now) {
  if (now < phases_.next()) return;
  integrate(now);
  const TrafficPhase before = phases_.phase();
  phases_.advance(now, measured(), sent_.size());
  if (phases_.phase() != before) report_phase(now);
}

void MeasuredTraffic::integrate(Cycle now) {
  for (TrafficTally& tally : tallies_) tally.message_cycles += (now - integrated_to_) * tally.in_flight();
  integrated_to_ = now;
}

void MeasuredTraffic::hand_over(Transport& network, const SentMessages::Record& message,
                                std::uint32_t message_class) {
  SentMessages& sent = sent_[message.source];
  const std::uint64_t number = sent.next_number();
  sent.add(message);
  TrafficTally& tally = tallies_[message.traffic_class];
  ++tally.generated_messages;
  tally.generated_flits += message.flits;
  network.send({message_id(number, message.source), message.source, message.destination, message.route,
                message.flits, static_cast<std::uint32_t>(number), message_class});
}

SentMessages::Record MeasuredTraffic::receive(const Delivery& delivery, Cycle now) {
  const MessageName name = message_name(delivery.id);
  const SentMessages::Record record = sent_[name.index()].take(name.step);
  TrafficTally& tally = tallies_[record.traffic_class];
  ++tally.arrived_messages;
  tally.arrived_flits += record.flits;
  tally.latencies += now - delivery.ready;
  if (on_arrival_) {
    const Message message{.source = record.source, .destination = record.destination, .route = record.route};
    on_arrival_({message, {}, delivery, record.flits}, record.traffic_class,
                phases_.measures(delivery.ready));
  }
  return record;
}

TrafficTally& TrafficTally::operator+=(const TrafficTally& other) {
  generated_messages += other.generated_messages;
  generated_flits += other.generated_flits;
  arrived_messages += other.arrived_messages;
  arrived_flits += other.arrived_flits;
  latencies += other.latencies;
  message_cycles += other.message_cycles;
  return *this;
}

std::optional<MeanInterval> BatchMeans::interval(std::size_t parts) const {
  constexpr double kStudent19 = 2.0930240544;  // 97.5% with 19 degrees of freedom
  const std::size_t length = parts / kBatches;
  if (length == 0 || parts_.size() <= length * (kBatches - 1)) return std::nullopt;
  std::vector<double> means;
  double sum = 0;
  double count = 0;
  for (std::size_t first = 0; means.size() < kBatches; first += length) {
    Part batch;
    for (std::size_t part = first; part < std::min(first + length, parts_.size()); ++part) {
      batch.sum += parts_[part].sum;
      batch.count += parts_[part].count;
    }
    if (batch.count == 0) return std::nullopt;
    means.push_back(static_cast<double>(batch.sum) / static_cast<double>(batch.count));
    sum += static_cast<double>(batch.sum);
    count += static_cast<double>(batch.count);
  }
  double centre = 0;
  for (const double mean : means) centre += mean / kBatches;
  double squares = 0;
  for (const double mean : means) squares += (mean - centre) * (mean - centre);
  return MeanInterval{sum / count, kStudent19 * std::sqrt(squares / (kBatches - 1) / kBatches)};
}

TrafficPhases::TrafficPhases(const TrafficConfig& config, const std::vector<SendingTime>& classes,
                             bool bounded)
    : config_(config), bounded_(bounded) {
  for (const SendingTime& sends : classes) {
    if (!sends.ends) windows_begin_ = std::max(windows_begin_, sends.start);
    if (classes.size() > 1) classes_.push_back({sends, {}});
  }
  next_ = config.warmup.value_or(windows_begin_ == 0 ? config.window : windows_begin_);
}

TrafficPhases TrafficPhases::of_batch(const TrafficConfig& config) {
  TrafficPhases phases(config, {}, true);
  phases.phase_ = TrafficPhase::measurement;
  phases.begin_ = 0;
  phases.next_ = kNever;
  return phases;
}

void TrafficPhases::end_batch(Cycle now, const TrafficTally& tally) {
  end_ = now;
  at_end_ = tally;
  phase_ = TrafficPhase::emptying;
}

void TrafficPhases::advance(Cycle now, const TrafficTally& tally, std::uint64_t nodes) {
  switch (phase_) {
    case TrafficPhase::warm_up:
      if (config_.warmup) return begin_measurement(now, tally);
      return end_window(now, tally);
    case TrafficPhase::measurement:
      if (now < end_) {
        at_middle_ = tally;
        next_ = end_;
        return;
      }
      return end_measurement(now, tally, nodes);
    case TrafficPhase::drain:
      saturated_ = true;
      phase_ = TrafficPhase::over;
      next_ = kNever;
      return;
    case TrafficPhase::emptying:
    case TrafficPhase::over:
      return;
  }
}

bool TrafficPhases::Window::is_like(const Window& before) const {
  if (messages == 0 || before.messages == 0) return false;
  // Whole numbers: means that differ by 5% exactly are alike.
  using Wide = unsigned __int128;
  const Wide mean = Wide{latencies} * before.messages;  // times both numbers of messages
  const Wide mean_before = Wide{before.latencies} * messages;
  return kSteadyPart * (std::max(mean, mean_before) - std::min(mean, mean_before)) <= mean_before;
}

void TrafficPhases::end_window(Cycle now, const TrafficTally& tally) {
  if (now == windows_begin_) {
    window_begin_ = tally;
    next_ = now + config_.window;
    return;
  }
  const Window window{tally.latencies - window_begin_.latencies,
                      tally.arrived_messages - window_begin_.arrived_messages};
  steady_windows_ = window.is_like(last_window_) ? steady_windows_ + 1 : 0;
  last_window_ = window;
  window_begin_ = tally;
  steady_ = steady_windows_ >= kSteadyWindows;
  if (steady_ || ++windows_ == kMaxWindows) return begin_measurement(now, tally);
  next_ = now + config_.window;
}

void TrafficPhases::begin_measurement(Cycle now, const TrafficTally& tally) {
  phase_ = TrafficPhase::measurement;
  begin_ = now;
  end_ = now + config_.measure;
  // A given warm-up may have been too short to fill the network.
  next_ = config_.warmup ? now + std::max<Cycle>(1, config_.measure / 2) : end_;
  at_begin_ = tally;
}

bool TrafficPhases::precise() const {
  const auto is_precise = [&](const std::optional<MeanInterval>& reached) {
    return reached && reached->half_width <= config_.precision->approximate() * reached->mean;
  };
  // A class that starts or ends within the measurement would have empty batches.
  return is_precise(interval()) && std::ranges::all_of(classes_, [&](const Class& each) {
           return each.sends.ends || each.sends.start > begin_ || is_precise(each.batches.interval(parts_));
         });
}

void TrafficPhases::end_measurement(Cycle now, const TrafficTally& tally, std::uint64_t nodes) {
  parts_ += BatchMeans::kBatches;
  const auto generated_since = [&](const TrafficTally& from) {
    return static_cast<double>(tally.generated_flits - from.generated_flits);
  };
  const double generated = generated_since(at_begin_);
  const double messages = static_cast<double>(tally.generated_messages - at_begin_.generated_messages);
  const double flits_each = generated / std::max(messages, 1.0);
  const auto grows_since = [&](const TrafficTally& from) {
    const double growth =
        static_cast<double>(tally.waiting_flits()) - static_cast<double>(from.waiting_flits());
    const double part = generated == 0 ? 1 : generated_since(from) / generated;
    return growth > kMaxGrowth * part * generated &&
           growth > kMaxMessages * part * flits_each * static_cast<double>(nodes);
  };
  saturated_ = !bounded_ && grows_since(at_begin_) && (!at_middle_ || grows_since(*at_middle_));
  if (!saturated_ && config_.precision) reached_precision_ = precise();
  if (reached_precision_ == false && !saturated_ &&
      parts_ < std::size_t{kMaxProlongations} * BatchMeans::kBatches) {
    end_ = now + config_.measure;
    next_ = end_;
    if (at_middle_) at_middle_ = tally;
    return;
  }
  if (saturated_) reached_precision_.reset();
  at_end_ = tally;
  phase_ = saturated_ ? TrafficPhase::over : TrafficPhase::drain;
  next_ = saturated_ || bounded_ ? kNever : now + std::max(now - begin_, kLeastDrain);
  if (!saturated_ && outstanding_ == 0) {
    phase_ = TrafficPhase::emptying;
    next_ = kNever;
  }
}

void TrafficPhases::measured_arrived(Cycle generated, Cycle now, std::size_t traffic_class) {
  const Cycle part = (generated - begin_) * BatchMeans::kBatches / config_.measure;
  batches_.add(part, now - generated);
  if (!classes_.empty()) classes_[traffic_class].batches.add(part, now - generated);
  --outstanding_;
  if (phase_ != TrafficPhase::drain || outstanding_ > 0) return;
  phase_ = TrafficPhase::emptying;
  next_ = kNever;
}

}  // namespace flitscope
