#include "tests/reference/slow_memories.h"

#include <algorithm>
#include <set>

namespace flitscope::reference {

MemoryPort SlowMemories::port_of(const Packet& packet) const {
  const MemoryClass& how = *map_.classes[packet.message_class];
  return how.is_reply && map_.shared_by.contains(packet.source) ? how.shared : how.own;
}

void SlowMemories::send(const Packet& packet) {
  ready_[packet.id] = now();
  if (packet.message_class >= map_.classes.size() || !map_.classes[packet.message_class])
    return network().send(packet);
  const MemoryClass& how = *map_.classes[packet.message_class];
  Entry entry;
  entry.packet = packet;
  const auto shared = map_.shared_by.find(packet.source);
  entry.memory = !how.is_reply || shared == map_.shared_by.end()
                     ? MemoryName{false, packet.source, how.is_reply}
                     : MemoryName{true, shared->second, how.is_reply};
  entry.port = {packet.source, how.network};
  messages_.push_back(entry);
  serve(messages_.back().memory);
}

SlowMemories::Entry* SlowMemories::next(const MemoryName& name) {
  MemoryState& memory = states_[name];
  if (memory.free >= (now() + 1) * 1'000'000) return nullptr;
  for (Entry& entry : messages_) {
    if (entry.service != 0 || entry.memory != name) continue;
    const std::uint64_t whole = port_of(entry.packet).cycles_per_flit.denominator();
    if (memory.ports[entry.port].free < (now() + 1) * whole) return &entry;
  }
  return nullptr;
}

void SlowMemories::serve(const MemoryName& name) {
  while (Entry* const entry = next(name)) {
    MemoryState& memory = states_[name];
    PortState& port = memory.ports[entry->port];
    const MemoryPort how = port_of(entry->packet);
    const std::uint64_t flits = entry->packet.flits;
    const std::uint64_t whole = how.cycles_per_flit.denominator();
    port.whole = whole;
    port.free = std::max(port.free, now() * whole) + flits * how.cycles_per_flit.numerator();
    const bool is_to_itself = entry->packet.source == entry->packet.destination;
    const std::uint64_t limit = !name.is_reply   ? (is_to_itself ? map_.self_millionths : 0)
                                : name.is_shared ? map_.shared_millionths
                                                 : map_.own_millionths;
    memory.free = std::max(memory.free, now() * 1'000'000) + flits * limit;
    entry->service = ++services_;
    const Cycle latency = how.latency + (is_to_itself && !name.is_reply ? map_.self_latency : 0);
    entry->leaves = now() + latency;
    if (!map_.flit_by_flit || map_.shared_by.contains(entry->packet.source))
      entry->leaves += (flits - 1) * how.cycles_per_flit.numerator() / whole - (flits - 1);
  }
}

Cycle SlowMemories::next_event() const {
  return messages_.empty() ? inner().next_event() : std::min(inner().next_event(), std::max(next_, now()));
}

void SlowMemories::at(Transport& network, Cycle now) {
  enter(network, now);
  next_ = now + 1;
  if (inner().next_event() <= now) inner().at(*this, now);
  std::set<MemoryName> names;
  for (const Entry& entry : messages_) names.insert(entry.memory);
  for (const MemoryName& name : names) serve(name);
  std::ranges::stable_sort(messages_, {},
                           [](const Entry& entry) { return std::pair(entry.service == 0, entry.service); });
  for (const Entry& entry : messages_) {
    if (entry.service != 0 && entry.leaves == now) network.send(entry.packet);
  }
  std::erase_if(messages_, [&](const Entry& entry) { return entry.service != 0 && entry.leaves == now; });
}

void SlowMemories::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  enter(network, now);
  std::vector<Delivery> since_ready(deliveries.begin(), deliveries.end());
  for (Delivery& delivery : since_ready) delivery.ready = ready_.at(delivery.id);
  inner().delivered(*this, since_ready, now);
}

}  // namespace flitscope::reference
