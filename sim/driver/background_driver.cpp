#include "sim/driver/background_driver.h"

#include <algorithm>

namespace flitscope {

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
  network.send({message_id(0, index), message.source, message.destination, message.route, message.flits, 0});
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
