#include "sim/driver/memories.h"

#include <limits>

namespace flitscope {

MemoryDriver::MemoryDriver(Driver& messages, const MemoryMap& map, const Topology& topology)
    : RelayDriver(messages), map_(map), topology_(topology) {
  for (unsigned network = 0; network < topology.networks(); ++network)
    networks_.push_back(topology.network(network));
}

void MemoryDriver::send(const Packet& packet) {
  const bool is_served = packet.message_class < map_.classes.size() && map_.classes[packet.message_class];
  if (!is_served) return network().send(packet);
  const Sent& sent = sent_[packet.id] = {packet, now(), put_++};
  // Shared memories have the numbers behind those of all nodes.
  constexpr std::uint64_t kFirstShared = std::uint64_t{1} << 32;
  const MemoryKey key(is_shared(packet) ? kFirstShared + map_.shared_by.at(packet.source) : packet.source,
                      class_of(packet).is_reply);
  Memory& memory = memories_[key];
  const unsigned turn = turn_of(packet);
  memory.ports[{packet.source, class_of(packet).network}]
      .by_vc_class[vc_class_of(packet, turn)]
      .queues[turn]
      .push_back(&sent);
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

const MemoryDriver::Sent& MemoryDriver::Turns::next() {
  auto turn = queues.upper_bound(last_turn);
  if (turn == queues.end()) turn = queues.begin();
  last_turn = turn->first;
  const Sent& first = *turn->second.front();
  turn->second.pop_front();
  if (turn->second.empty()) queues.erase(turn);
  return first;
}

std::uint64_t MemoryDriver::Port::first_number() const {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  for (const Turns& each : by_vc_class) {
    for (const auto& [turn, queue] : each.queues) first = std::min(first, queue.front()->number);
  }
  return first;
}

const MemoryDriver::Sent& MemoryDriver::Port::next() {
  const unsigned other = 1 - last_class;
  if (!by_vc_class[other].queues.empty()) last_class = other;
  return by_vc_class[last_class].next();
}

const MemoryPort& MemoryDriver::port_of(const Packet& read) const {
  return is_shared(read) ? class_of(read).shared : class_of(read).own;
}

unsigned MemoryDriver::turn_of(const Packet& read) const {
  if (map_.order == MemoryOrder::first_come || !class_of(read).is_reply || !topology_.is_grid()) return 0;
  for (unsigned turn = topology_.dimensions(); turn > 0; --turn) {
    const unsigned dimension = dimension_of(read, turn);
    if (topology_.coordinate(read.source, dimension) != topology_.coordinate(read.destination, dimension))
      return turn;
  }
  return 0;
}

unsigned MemoryDriver::vc_class_of(const Packet& read, unsigned turn) const {
  if (map_.order != MemoryOrder::vc_round_robin || turn == 0 || !topology_.wraps()) return 0;
  const unsigned dimension = dimension_of(read, turn);
  const std::uint32_t side = topology_.side(dimension);
  const std::uint32_t from = topology_.coordinate(read.destination, dimension);
  const std::uint32_t to = topology_.coordinate(read.source, dimension);
  const bool is_minus =
      networks_[class_of(read).network].shorter_direction(dimension, from, to) == Sign::minus;
  // Places on the way from the dateline on.
  const auto place = [&](std::uint32_t coordinate) {
    return ((is_minus ? side - 1 - coordinate : coordinate) + side - map_.dateline % side) % side;
  };
  return place(from) == 0 || (place(from) > place(to) && place(to) != 0) ? 1 : 0;
}

MemoryDriver::Port* MemoryDriver::next_port(Memory& memory) const {
  const auto can_begin = [&](const auto& port) {
    return !port.second.is_empty() && port.second.free.cycles <= now();
  };
  auto& ports = memory.ports;
  auto next = ports.end();
  if (map_.order != MemoryOrder::first_come) {
    const auto behind = ports.upper_bound(memory.last_port);
    next = std::find_if(behind, ports.end(), can_begin);
    if (next == ports.end()) {
      const auto before = std::find_if(ports.begin(), behind, can_begin);
      if (before != behind) next = before;
    }
  } else {
    const auto number = [](const auto& port) { return port.second.first_number(); };
    for (auto each = ports.begin(); each != ports.end(); ++each) {
      if (can_begin(*each) && (next == ports.end() || number(*each) < number(*next))) next = each;
    }
  }
  if (next == ports.end()) return nullptr;
  memory.last_port = next->first;
  return &next->second;
}

void MemoryDriver::serve(const MemoryKey& key, Memory& memory) {
  while (memory.all.cycles <= now()) {
    Port* const port = next_port(memory);
    if (port == nullptr) break;
    begin(memory, *port, port->next());
  }
  Cycle free = kNever;
  for (const auto& [node, port] : memory.ports) {
    if (!port.is_empty()) free = std::min(free, port.free.cycles);
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
