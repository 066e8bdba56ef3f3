#include "sim/driver/collective_driver.h"

#include <fmt/format.h>

#include "model/error.h"

namespace flitscope {

std::string message_text(const Topology& topology, MessageName name, const Message& message) {
  return fmt::format("step {}, message {} ({} to {})", name.step, name.place,
                     topology.node_name(message.source), topology.node_name(message.destination));
}

void refuse_length(const MachineConfig& machine, std::uint64_t flits, const std::string& who,
                   const std::string& length) {
  if (flits > kMaxFlits) {
    throw Inadmissible(length, fmt::format("{} has {} flits; at most {} are possible: use larger flits", who,
                                           flits, kMaxFlits));
  }
  if (machine.switching != Switching::wormhole && flits > machine.buffer) {
    throw Inadmissible("router.buffer",
                       fmt::format("{} needs room for whole messages: {} has {} flits, so 'router.buffer' "
                                   "must be at least {}, not {}",
                                   name_of(machine.switching), who, flits, flits, machine.buffer));
  }
  if (machine.ejection_buffer && flits > *machine.ejection_buffer) {
    throw Inadmissible("node.ejection_buffer",
                       fmt::format("an ejection buffer needs room for whole messages: {} has {} flits, so "
                                   "'node.ejection_buffer' must be at least {}, not {}",
                                   who, flits, flits, *machine.ejection_buffer));
  }
  throw Inadmissible("router.buffer",
                     fmt::format("bubble flow control needs room for two messages: {} has {} flits, so "
                                 "'router.buffer' must be at least {}, not {}",
                                 who, flits, 2 * flits, machine.buffer));
}

std::uint32_t carriable_flits(const MachineConfig& machine, const Topology& topology, std::uint64_t bytes,
                              MessageName name, const Message& message) {
  const std::uint64_t flits = flits_of(bytes, machine.flit_bytes);
  if (!carries(machine, flits))
    refuse_length(machine, flits, message_text(topology, name, message), "node.flit_bytes");
  return static_cast<std::uint32_t>(flits);
}

void CollectiveDriver::hand_over(Transport& network, std::uint64_t id, const Message& message,
                                 std::uint64_t bytes, Cycle now) {
  const MessageName name = message_name(id);
  const std::uint32_t flits = carriable_flits(machine_, facts_.topology, bytes, name, message);
  StepRecord& record = records_[name.step - 1];
  record.begin = std::min(record.begin, now);
  ++in_flight_;
  const Packet packet{
      id, message.source, message.destination, message.route, flits, static_cast<std::uint32_t>(name.step)};
  const bool rearranges = message.rearranged_bytes != 0 && machine_.copy_cycles_per_byte != Decimal();
  const auto waiting = waiting_until_.find(message.source);
  if (!rearranges && waiting == waiting_until_.end()) return enter(network, packet);
  // Messages of a node keep their order.
  const Cycle ready =
      rearranges ? memory_done(message.source, machine_.copy_cycles_per_byte, message.rearranged_bytes, now)
                 : waiting->second;
  waiting_until_[message.source] = ready;
  rearranging_.emplace(std::pair(ready, ++rearranged_), packet);
}

void CollectiveDriver::enter(Transport& network, const Packet& packet) {
  StepRecord& record = records_[packet.step - 1];
  ++record.messages;
  record.flits += packet.flits;
  network.send(packet);
}

Cycle CollectiveDriver::memory_done(NodeId node, const Decimal& cost, std::uint64_t bytes, Cycle now) {
  Cycle& free = memory_free_[node];
  free = std::max(free, now) + cost.times_rounded_up(bytes);
  return free;
}

bool CollectiveDriver::combine(const Delivery& delivery, NodeId receiver, std::uint64_t bytes, Cycle now) {
  if (bytes == 0 || machine_.reduce_cycles_per_byte == Decimal()) return false;
  combining_.emplace(
      std::pair(memory_done(receiver, machine_.reduce_cycles_per_byte, bytes, now), delivery.id), delivery);
  return true;
}

void CollectiveDriver::at(Transport& network, Cycle now) {
  combined_.clear();
  while (!combining_.empty() && combining_.begin()->first.first <= now) {
    combined_.push_back(combining_.begin()->second);
    combining_.erase(combining_.begin());
  }
  if (!combined_.empty()) combined(network, combined_, now);
  while (!rearranging_.empty() && rearranging_.begin()->first.first <= now) {
    const Packet packet = rearranging_.begin()->second;
    rearranging_.erase(rearranging_.begin());
    const auto waiting = waiting_until_.find(packet.source);
    if (waiting != waiting_until_.end() && waiting->second <= now) waiting_until_.erase(waiting);
    enter(network, packet);
  }
}

void CollectiveDriver::report(const Delivery& delivery, const Message& message,
                              std::span<const ChunkId> chunks, std::uint64_t bytes) const {
  if (!on_arrival_) return;
  on_arrival_({message, chunks, delivery, static_cast<std::uint32_t>(flits_of(bytes, machine_.flit_bytes))});
}

void CollectiveDriver::receive(const Delivery& delivery, const Message& message,
                               std::span<const ChunkId> chunks, Cycle now) {
  for (const ChunkId chunk : chunks) {
    if (operands_ && operands_->combines(chunk)) {
      possession_.put(message.destination, chunk);
    } else {
      possession_.add(message.destination, chunk);
    }
  }
  StepRecord& record = records_[message_name(delivery.id).step - 1];
  ++record.arrived;
  record.end = std::max(record.end, now);
  last_arrival_ = now;
  --in_flight_;
  ++messages_arrived_;
}

}  // namespace flitscope
