#include "sim/driver/memories.h"

#include <algorithm>
#include <limits>

namespace flitscope {

const char* name_of(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::first_come:
      return "first-come";
    case MemoryOrder::round_robin:
      return "round-robin";
    case MemoryOrder::vc_round_robin:
      break;
  }
  return "vc-round-robin";
}

Memories::Waiting Memories::Turns::next() {
  auto turn = queues.upper_bound(last_turn);
  if (turn == queues.end()) turn = queues.begin();
  last_turn = turn->first;
  const Waiting first = turn->second.front();
  turn->second.pop_front();
  if (turn->second.empty()) queues.erase(turn);
  return first;
}

std::uint64_t Memories::Port::first_number() const {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  for (const Turns& each : by_vc_class) {
    for (const auto& [turn, queue] : each.queues) first = std::min(first, queue.front().number);
  }
  return first;
}

Memories::Waiting Memories::Port::next() {
  const unsigned other = 1 - last_class;
  if (!by_vc_class[other].queues.empty()) last_class = other;
  return by_vc_class[last_class].next();
}

const MemoryPort& Memories::port_of(const MemoryRead& read) const {
  return is_shared(read) ? class_of(read).shared : class_of(read).own;
}

unsigned Memories::turn_of(const MemoryRead& read) const {
  if (map_.order == MemoryOrder::first_come || !class_of(read).is_reply || !topology_.is_grid()) return 0;
  for (unsigned turn = topology_.dimensions(); turn > 0; --turn) {
    const unsigned dimension = dimension_of(read, turn);
    if (topology_.coordinate(read.node, dimension) != topology_.coordinate(read.reader, dimension))
      return turn;
  }
  return 0;
}

unsigned Memories::vc_class_of(const MemoryRead& read, unsigned turn) const {
  if (map_.order != MemoryOrder::vc_round_robin || turn == 0 || !topology_.wraps()) return 0;
  const unsigned dimension = dimension_of(read, turn);
  const std::uint32_t side = topology_.side(dimension);
  const std::uint32_t from = topology_.coordinate(read.reader, dimension);
  const std::uint32_t to = topology_.coordinate(read.node, dimension);
  const bool is_minus =
      networks_[class_of(read).network].shorter_direction(dimension, from, to) == Sign::minus;
  // Places on the way from the dateline on.
  const auto place = [&](std::uint32_t coordinate) {
    return ((is_minus ? side - 1 - coordinate : coordinate) + side - map_.dateline % side) % side;
  };
  return place(from) == 0 || (place(from) > place(to) && place(to) != 0) ? 1 : 0;
}

void Memories::put(const MemoryRead& read, Cycle now) {
  // Shared memories have the numbers behind those of all nodes.
  constexpr std::uint64_t kFirstShared = std::uint64_t{1} << 32;
  const MemoryKey key(is_shared(read) ? kFirstShared + map_.shared_by.at(read.node) : read.node,
                      class_of(read).is_reply);
  Memory& memory = memories_[key];
  const unsigned turn = turn_of(read);
  memory.ports[{read.node, class_of(read).network}]
      .by_vc_class[vc_class_of(read, turn)]
      .queues[turn]
      .push_back({read, now, put_++});
  serve(key, memory, now);
}

void Memories::write(NodeId node, std::uint32_t flits, Cycle now) {
  if (map_.write_millionths == 0 || flits == 1) return;
  const auto memory = memories_.find(MemoryKey(node, true));
  if (memory == memories_.end()) return;
  for (auto& [key, port] : memory->second.ports) {
    if (port.free.cycles > now) port.free.cycles += flits * map_.write_millionths / 1'000'000;
  }
}

Memories::Port* Memories::next_port(Memory& memory, Cycle now) const {
  const auto can_begin = [&](const auto& port) {
    return !port.second.is_empty() && port.second.free.cycles <= now;
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

void Memories::serve(const MemoryKey& key, Memory& memory, Cycle now) {
  while (memory.all.cycles <= now) {
    Port* const port = next_port(memory, now);
    if (port == nullptr) break;
    begin(memory, *port, port->next(), now);
  }
  Cycle free = kNever;
  for (const auto& [node, port] : memory.ports) {
    if (!port.is_empty()) free = std::min(free, port.free.cycles);
  }
  if (free != kNever) busy_.emplace(std::max({memory.all.cycles, free, now + 1}), key);
}

void Memories::begin(Memory& memory, Port& port, const Waiting& message, Cycle now) {
  const MemoryRead& read = message.read;
  const MemoryPort& how = port_of(read);
  const bool asks_itself = !class_of(read).is_reply && read.node == read.reader;
  const Ratio interval = how.cycles_per_flit;
  port.free.begin(now, std::uint64_t{read.flits} * interval.numerator(), interval.denominator());
  if (class_of(read).is_reply) {
    memory.all.begin(now, read.flits * (is_shared(read) ? map_.shared_millionths : map_.own_millionths),
                     1'000'000);
  } else if (asks_itself) {
    memory.all.begin(now, read.flits * map_.self_millionths, 1'000'000);
  }
  if (on_wait_ && message.since < now) on_wait_(read, now - message.since);
  // The network interface takes a flit a cycle: it begins so late that the last one is there in time.
  const std::uint64_t others = read.flits - 1;
  const Cycle latency = how.latency + (asks_itself ? map_.self_latency : 0);
  const bool by_flit = map_.flit_by_flit && !map_.shared_by.contains(read.node);
  const Cycle late = by_flit ? 0 : interval.times_rounded_down(others) - others;
  leaving_.emplace(std::pair(now + latency + late, begun_++), read);
}

Cycle Memories::next_event() const {
  return std::min(leaving_.empty() ? kNever : leaving_.begin()->first.first,
                  busy_.empty() ? kNever : busy_.begin()->first);
}

void Memories::serve(Cycle now) {
  while (!busy_.empty() && busy_.begin()->first <= now) {
    const MemoryKey key = busy_.begin()->second;
    busy_.erase(busy_.begin());
    serve(key, memories_.at(key), now);
  }
}

std::optional<MemoryRead> Memories::take(Cycle now) {
  if (leaving_.empty() || leaving_.begin()->first.first > now) return std::nullopt;
  const MemoryRead read = leaving_.begin()->second;
  leaving_.erase(leaving_.begin());
  return read;
}

}  // namespace flitscope
