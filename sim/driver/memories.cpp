#include "sim/driver/memories.h"

namespace flitscope {

void MemoryDriver::send(const Packet& packet) {
  const bool is_served = packet.message_class < map_.classes.size() && map_.classes[packet.message_class];
  if (!is_served) return network().send(packet);
  const Sent& sent = sent_[packet.id] = {packet, now(), put_++};
  // Shared memories have the numbers behind those of all nodes.
  constexpr std::uint64_t kFirstShared = std::uint64_t{1} << 32;
  const MemoryKey key(is_shared(packet) ? kFirstShared + map_.shared_by.at(packet.source) : packet.source,
                      class_of(packet).is_reply);
  Memory& memory = memories_[key];
  memory.ports[{packet.source, class_of(packet).network}].queue.push_back(&sent);
  serve(key, memory);
}

void MemoryDriver::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  enter(network, now);
  deliveries_.assign(deliveries.begin(), deliveries.end());
  for (Delivery& delivery : deliveries_) {
    const auto found = sent_.find(delivery.id);
    if (found == sent_.end()) continue;
    delivery.ready = found->second.since;
    sent_.erase(found);
  }
  inner().delivered(*this, deliveries_, now);
}

Cycle MemoryDriver::next_event() const {
  return std::min({inner().next_event(), leaving_.empty() ? kNever : leaving_.begin()->first.first,
                   busy_.empty() ? kNever : busy_.begin()->first});
}

void MemoryDriver::at(Transport& network, Cycle now) {
  enter(network, now);
  if (inner().next_event() <= now) inner().at(*this, now);
  while (!busy_.empty() && busy_.begin()->first <= now) {
    const MemoryKey key = busy_.begin()->second;
    busy_.erase(busy_.begin());
    serve(key, memories_.at(key));
  }
  for (; !leaving_.empty() && leaving_.begin()->first.first <= now; leaving_.erase(leaving_.begin())) {
    network.send(leaving_.begin()->second->packet);
  }
}

const MemoryPort& MemoryDriver::port_of(const Packet& read) const {
  return is_shared(read) ? class_of(read).shared : class_of(read).own;
}

MemoryDriver::Port* MemoryDriver::next_port(Memory& memory) const {
  Port* next = nullptr;
  for (auto& [key, port] : memory.ports) {
    if (port.queue.empty() || port.free.cycles > now()) continue;
    if (next == nullptr || port.queue.front()->number < next->queue.front()->number) next = &port;
  }
  return next;
}

void MemoryDriver::serve(const MemoryKey& key, Memory& memory) {
  while (memory.all.cycles <= now()) {
    Port* const port = next_port(memory);
    if (port == nullptr) break;
    const Sent& first = *port->queue.front();
    port->queue.pop_front();
    begin(memory, *port, first);
  }
  Cycle free = kNever;
  for (const auto& [node, port] : memory.ports) {
    if (!port.queue.empty()) free = std::min(free, port.free.cycles);
  }
  if (free != kNever) busy_.emplace(std::max({memory.all.cycles, free, now() + 1}), key);
}

void MemoryDriver::begin(Memory& memory, Port& port, const Sent& message) {
  const Packet& read = message.packet;
  const MemoryPort& how = port_of(read);
  const bool asks_itself = !class_of(read).is_reply && read.source == read.destination;
  const Ratio interval = how.cycles_per_flit;
  port.free.begin(now(), std::uint64_t{read.flits} * interval.numerator(), interval.denominator());
  if (class_of(read).is_reply) {
    memory.all.begin(now(), read.flits * (is_shared(read) ? map_.shared_millionths : map_.own_millionths),
                     1'000'000);
  } else if (asks_itself) {
    memory.all.begin(now(), read.flits * map_.self_millionths, 1'000'000);
  }
  if (on_wait_ && message.since < now()) on_wait_(read, now() - message.since);
  // The network interface takes a flit a cycle: it begins so late that the last one is there in time.
  const std::uint64_t others = read.flits - 1;
  const Cycle latency = how.latency + (asks_itself ? map_.self_latency : 0);
  const bool by_flit = map_.flit_by_flit && !map_.shared_by.contains(read.source);
  const Cycle late = by_flit ? 0 : interval.times_rounded_down(others) - others;
  leaving_.emplace(std::pair(now() + latency + late, begun_++), &message);
}

}  // namespace flitscope
