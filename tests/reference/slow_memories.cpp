#include "tests/reference/slow_memories.h"

#include <algorithm>
#include <set>

namespace flitscope::reference {

MemoryPort SlowMemories::port_of(const Packet& packet) const {
  const MemoryClass& how = *map_.classes[packet.message_class];
  return how.is_reply && map_.shared_by.contains(packet.source) ? how.shared : how.own;
}

unsigned SlowMemories::dimension(const Packet& packet, unsigned place) const {
  const std::uint32_t network = map_.classes[packet.message_class]->network;
  return (topology_.network(network).first_dimension() + place - 1) % topology_.dimensions();
}

unsigned SlowMemories::place_of(const Packet& packet) const {
  if (map_.order == MemoryOrder::first_come || !map_.classes[packet.message_class]->is_reply) return 0;
  unsigned last = 0;
  for (unsigned place = 1; place <= topology_.dimensions(); ++place) {
    const unsigned travelled = dimension(packet, place);
    if (topology_.coordinate(packet.source, travelled) != topology_.coordinate(packet.destination, travelled))
      last = place;
  }
  return last;
}

bool SlowMemories::leaves_dateline(const Packet& packet, unsigned place) const {
  if (map_.order != MemoryOrder::vc_round_robin || place == 0 || !topology_.wraps()) return false;
  const unsigned along = dimension(packet, place);
  const std::uint32_t side = topology_.side(along);
  const Topology network = topology_.network(map_.classes[packet.message_class]->network);
  // Link by link on the way of the request.
  std::uint32_t at = topology_.coordinate(packet.destination, along);
  const std::uint32_t end = topology_.coordinate(packet.source, along);
  const Sign sign = network.shorter_direction(along, at, end);
  for (; at != end; at = (at + (sign == Sign::plus ? 1 : side - 1)) % side) {
    if ((sign == Sign::plus ? at : side - 1 - at) == map_.dateline % side) return true;
  }
  return false;
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
  entry.place = place_of(packet);
  entry.vc_class = leaves_dateline(packet, entry.place) ? 1 : 0;
  messages_.push_back(entry);
  serve(messages_.back().memory);
}

SlowMemories::Entry* SlowMemories::next_of_port(const MemoryName& name, const PortName& port) {
  PortState& state = states_[name].ports[port];
  // The first message of each queue.
  std::map<unsigned, std::map<unsigned, Entry*>> queues;
  for (Entry& entry : messages_) {
    if (entry.service == 0 && entry.memory == name && entry.port == port)
      queues[entry.vc_class].try_emplace(entry.place, &entry);
  }
  if (queues.empty()) return nullptr;
  const unsigned other = 1 - state.last_class;
  const auto& queue = queues.contains(other) ? queues[other] : queues[state.last_class];
  const auto behind = queue.upper_bound(state.last_place[queues.contains(other) ? other : state.last_class]);
  return behind == queue.end() ? queue.begin()->second : behind->second;
}

SlowMemories::Entry* SlowMemories::next(const MemoryName& name) {
  MemoryState& memory = states_[name];
  if (memory.free >= (now() + 1) * 1'000'000) return nullptr;
  std::vector<Entry*> candidates;  // in the order of ports
  std::set<PortName> ports;
  for (const Entry& entry : messages_) {
    if (entry.service == 0 && entry.memory == name) ports.insert(entry.port);
  }
  for (const PortName& port : ports) {
    Entry* const entry = next_of_port(name, port);
    const std::uint64_t whole = port_of(entry->packet).cycles_per_flit.denominator();
    if (memory.ports[port].free < (now() + 1) * whole) candidates.push_back(entry);
  }
  if (candidates.empty()) return nullptr;
  if (map_.order == MemoryOrder::first_come) return *std::ranges::min_element(candidates);
  const auto behind =
      std::ranges::find_if(candidates, [&](const Entry* entry) { return entry->port > memory.last_port; });
  return behind == candidates.end() ? candidates.front() : *behind;
}

void SlowMemories::serve(const MemoryName& name) {
  while (Entry* const entry = next(name)) {
    MemoryState& memory = states_[name];
    PortState& port = memory.ports[entry->port];
    memory.last_port = entry->port;
    port.last_class = entry->vc_class;
    port.last_place[entry->vc_class] = entry->place;
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
