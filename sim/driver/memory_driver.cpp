#include "sim/driver/memory_driver.h"

namespace flitscope {

void MemoryDriver::send(const Packet& packet) {
  if (!memories_.serves(packet.message_class)) return network().send(packet);
  sent_[packet.id] = {packet, now()};
  memories_.put({.node = packet.source,
                 .reader = packet.destination,
                 .message_class = packet.message_class,
                 .flits = packet.flits,
                 .tag = packet.id},
                now());
}

void MemoryDriver::at(Transport& network, Cycle now) {
  enter(network, now);
  if (inner().next_event() <= now) inner().at(*this, now);
  memories_.serve(now);
  while (const auto read = memories_.take(now)) network.send(sent_.at(read->tag).packet);
}

void MemoryDriver::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  enter(network, now);
  deliveries_.assign(deliveries.begin(), deliveries.end());
  for (Delivery& delivery : deliveries_) {
    const auto found = sent_.find(delivery.id);
    if (found == sent_.end()) continue;
    delivery.ready = found->second.ready;
    memories_.write(found->second.packet.destination, found->second.packet.flits, now);
    sent_.erase(found);
  }
  inner().delivered(*this, deliveries_, now);
}

}  // namespace flitscope
