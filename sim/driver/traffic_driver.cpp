#include "sim/driver/traffic_driver.h"

#include <algorithm>

#include "model/schedule.h"

namespace flitscope {

TrafficDriver::TrafficDriver(const Topology& topology, const MachineConfig& machine,
                             const TrafficConfig& config, const TrafficPattern& pattern)
    : topology_(topology),
      source_(topology, machine, config, pattern),
      phases_(config),
      sent_(topology.nodes()) {}

void TrafficDriver::start(Transport& network) {
  at(network, 0);
}

Cycle TrafficDriver::next_event() const {
  return finished() ? kNever : std::min(source_.next(), phases_.next());
}

void TrafficDriver::advance_phase(Cycle now) {
  if (now < phases_.next()) return;
  integrate(now);
  const TrafficPhase before = phases_.phase();
  phases_.advance(now, tally_, topology_.nodes());
  if (on_phase_ && phases_.phase() != before) on_phase_(phases_.phase(), now);
}

void TrafficDriver::at(Transport& network, Cycle now) {
  advance_phase(now);
  if (!finished() && source_.next() == now) generate(network, now);
}

void TrafficDriver::generate(Transport& network, Cycle now) {
  integrate(now);
  const bool measured = phases_.measures(now);
  source_.generate(now, [&](const GeneratedMessage& message) {
    SentMessages& sent = sent_[message.source];
    const std::uint64_t number = sent.next_number();
    sent.add({message.source, message.destination, message.flits, message.route});
    ++tally_.generated_messages;
    tally_.generated_flits += message.flits;
    if (measured) phases_.measured_generated();
    network.send({message_id(number, message.source), message.source, message.destination, message.route,
                  message.flits, static_cast<std::uint32_t>(number)});
  });
}

void TrafficDriver::delivered(Transport& /*network*/, std::span<const Delivery> deliveries, Cycle now) {
  advance_phase(now);
  integrate(now);
  for (const Delivery& delivery : deliveries) {
    const MessageName name = message_name(delivery.id);
    const auto source = static_cast<NodeId>(name.index());
    const SentMessages::Record record = sent_[source].take(name.step);
    ++tally_.arrived_messages;
    tally_.arrived_flits += record.flits;
    tally_.latencies += now - delivery.ready;
    const bool measured = phases_.measures(delivery.ready);
    if (measured) phases_.measured_arrived(delivery.ready, now);
    if (!on_arrival_) continue;
    const Message message{.source = source, .destination = record.destination, .route = record.route};
    on_arrival_({message, {}, delivery, record.flits}, measured);
  }
}

}  // namespace flitscope
