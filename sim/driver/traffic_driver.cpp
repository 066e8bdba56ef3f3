#include "sim/driver/traffic_driver.h"

#include <algorithm>

#include "model/schedule.h"

namespace flitscope {

namespace {

std::vector<SendingTime> sending_times(std::span<const OfferedTraffic> classes) {
  std::vector<SendingTime> times;
  for (const auto& [config, pattern] : classes) times.push_back({config.start, config.end.has_value()});
  return times;
}

}  // namespace

TrafficDriver::TrafficDriver(const Topology& topology, const MachineConfig& machine,
                             const TrafficConfig& phases, std::span<const OfferedTraffic> classes)
    : MeasuredTraffic(TrafficPhases(phases, sending_times(classes)), topology.nodes(), classes.size()) {
  sources_.reserve(classes.size());
  for (const auto& [config, pattern] : classes) sources_.emplace_back(topology, machine, config, pattern);
  find_next();
}

void TrafficDriver::find_next() {
  next_ = kNever;
  for (const TrafficSource& source : sources_) next_ = std::min(next_, source.next());
}

void TrafficDriver::start(Transport& network) {
  at(network, 0);
}

Cycle TrafficDriver::next_event() const {
  return finished() ? kNever : std::min(next_, phases().next());
}

void TrafficDriver::at(Transport& network, Cycle now) {
  advance_phase(now);
  if (!finished() && next_ == now) generate(network, now);
}

void TrafficDriver::generate(Transport& network, Cycle now) {
  integrate(now);
  for (std::uint32_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].next() == now) generate(network, i, now);
  }
  find_next();
}

void TrafficDriver::generate(Transport& network, std::uint32_t traffic_class, Cycle now) {
  const bool measured = phases().measures(now);
  TrafficSource& source = sources_[traffic_class];
  source.generate(now, [&](const GeneratedMessage& message) {
    if (measured) phases_.measured_generated();
    hand_over(network, {message.source, message.destination, message.flits, message.route, traffic_class},
              source.message_class());
  });
}

void TrafficDriver::delivered(Transport& /*network*/, std::span<const Delivery> deliveries, Cycle now) {
  advance_phase(now);
  integrate(now);
  for (const Delivery& delivery : deliveries) {
    const SentMessages::Record record = receive(delivery, now);
    if (phases().measures(delivery.ready))
      phases_.measured_arrived(delivery.ready, now, record.traffic_class);
  }
}

namespace {

bool is_of_background(const Delivery& delivery) {
  return message_name(delivery.id).step == 0;
}

}  // namespace

void BackgroundDriver::send(Transport& network, const GeneratedMessage& message) {
  const std::uint64_t index = (sent_.next_number() - 1) % kMessageNumbers;
  sent_.add({message.source, message.destination, message.flits, message.route});
  ++tally_.generated_messages;
  tally_.generated_flits += message.flits;
  network.send({message_id(0, index), message.source, message.destination, message.route, message.flits, 0,
                source_.message_class()});
}

void BackgroundDriver::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  // Step 0 comes first.
  const auto schedule = std::ranges::partition_point(deliveries, is_of_background);
  const auto count = static_cast<std::size_t>(schedule - deliveries.begin());
  for (const Delivery& delivery : deliveries.first(count)) {
    const SentMessages::Record record = sent_.take(message_name(delivery.id).place);
    if (holds_deliveries()) network.take(delivery.id);
    ++tally_.arrived_messages;
    tally_.arrived_flits += record.flits;
    tally_.latencies += now - delivery.ready;
    if (!on_arrival_) continue;
    const Message message{.source = record.source, .destination = record.destination, .route = record.route};
    on_arrival_({message, {}, delivery, record.flits});
  }
  if (count < deliveries.size()) collective_.delivered(network, deliveries.subspan(count), now);
}

Cycle BackgroundDriver::next_event() const {
  if (!has_begun_) return std::min(source_.next(), beginning_);
  return finished() ? kNever : std::min(source_.next(), collective_.next_event());
}

void BackgroundDriver::at(Transport& network, Cycle now) {
  if (!has_begun_ && now == beginning_) {
    has_begun_ = true;
    collective_.start_in(network, now);
  }
  if (collective_.next_event() <= now) collective_.at(network, now);
  if (finished() || source_.next() != now) return;
  source_.generate(now, [&](const GeneratedMessage& message) { send(network, message); });
}

}  // namespace flitscope
