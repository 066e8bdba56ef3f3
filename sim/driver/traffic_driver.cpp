#include "sim/driver/traffic_driver.h"

#include <algorithm>
#include <array>

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
    : topology_(topology), phases_(phases, sending_times(classes)), sent_(topology.nodes()) {
  classes_.reserve(classes.size());
  for (const OfferedTraffic& offered : classes) classes_.emplace_back(topology, machine, offered);
  find_next();
}

TrafficDriver::TrafficDriver(const Topology& topology, const MachineConfig& machine,
                             const TrafficConfig& config, const TrafficPattern& pattern)
    : TrafficDriver(topology, machine, config, std::array{OfferedTraffic{config, pattern}}) {}

TrafficTally TrafficDriver::tally() const {
  TrafficTally all = classes_.front().tally;
  for (std::size_t i = 1; i < classes_.size(); ++i) all += classes_[i].tally;
  return all;
}

void TrafficDriver::find_next() {
  next_ = kNever;
  for (const Class& each : classes_) next_ = std::min(next_, each.source.next());
}

void TrafficDriver::start(Transport& network) {
  at(network, 0);
}

Cycle TrafficDriver::next_event() const {
  return finished() ? kNever : std::min(next_, phases_.next());
}

void TrafficDriver::advance_phase(Cycle now) {
  if (now < phases_.next()) return;
  integrate(now);
  const TrafficPhase before = phases_.phase();
  phases_.advance(now, tally(), topology_.nodes());
  if (on_phase_ && phases_.phase() != before) on_phase_(phases_.phase(), now);
}

void TrafficDriver::at(Transport& network, Cycle now) {
  advance_phase(now);
  if (!finished() && next_ == now) generate(network, now);
}

void TrafficDriver::generate(Transport& network, Cycle now) {
  integrate(now);
  for (std::uint32_t i = 0; i < classes_.size(); ++i) {
    if (classes_[i].source.next() == now) generate(network, i, now);
  }
  find_next();
}

void TrafficDriver::generate(Transport& network, std::uint32_t traffic_class, Cycle now) {
  Class& of = classes_[traffic_class];
  const bool measured = phases_.measures(now);
  of.source.generate(now, [&](const GeneratedMessage& message) {
    SentMessages& sent = sent_[message.source];
    const std::uint64_t number = sent.next_number();
    sent.add({message.source, message.destination, message.flits, message.route, traffic_class});
    ++of.tally.generated_messages;
    of.tally.generated_flits += message.flits;
    if (measured) phases_.measured_generated();
    network.send({message_id(number, message.source), message.source, message.destination, message.route,
                  message.flits, static_cast<std::uint32_t>(number), of.source.message_class()});
  });
}

void TrafficDriver::delivered(Transport& /*network*/, std::span<const Delivery> deliveries, Cycle now) {
  advance_phase(now);
  integrate(now);
  for (const Delivery& delivery : deliveries) {
    const MessageName name = message_name(delivery.id);
    const auto source = static_cast<NodeId>(name.index());
    const SentMessages::Record record = sent_[source].take(name.step);
    TrafficTally& tally = classes_[record.traffic_class].tally;
    ++tally.arrived_messages;
    tally.arrived_flits += record.flits;
    tally.latencies += now - delivery.ready;
    const bool measured = phases_.measures(delivery.ready);
    if (measured) phases_.measured_arrived(delivery.ready, now, record.traffic_class);
    if (!on_arrival_) continue;
    const Message message{.source = source, .destination = record.destination, .route = record.route};
    on_arrival_({message, {}, delivery, record.flits}, record.traffic_class, measured);
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
