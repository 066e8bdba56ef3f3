#include "sim/driver/collective_driver.h"

#include <fmt/format.h>

#include "model/error.h"
#include "routers/engine/flit.h"

namespace flitscope {

std::string message_text(const Topology& topology, MessageName name, const Message& message) {
  return fmt::format("step {}, message {} ({} to {})", name.step, name.place,
                     topology.node_name(message.source), topology.node_name(message.destination));
}

std::uint32_t carriable_flits(const MachineConfig& machine, const Topology& topology, std::uint64_t bytes,
                              MessageName name, const Message& message) {
  const std::uint64_t flits = flits_of(bytes, machine.flit_bytes);
  if (flits > kMaxFlits) {
    throw Inadmissible("node.flit_bytes",
                       fmt::format("{} has {} flits; at most {} are possible: use larger flits",
                                   message_text(topology, name, message), flits, kMaxFlits));
  }
  if (machine.switching != Switching::wormhole && flits > machine.buffer) {
    throw Inadmissible(
        "router.buffer",
        fmt::format("{} needs room for whole messages: {} has {} flits, so 'router.buffer' must be "
                    "at least {}, not {}",
                    name_of(machine.switching), message_text(topology, name, message), flits, flits,
                    machine.buffer));
  }
  if (machine.flow == FlowControl::bubble && 2 * flits > machine.buffer) {
    throw Inadmissible(
        "router.buffer",
        fmt::format(
            "bubble flow control needs room for two messages: {} has {} flits, so 'router.buffer' must "
            "be at least {}, not {}",
            message_text(topology, name, message), flits, 2 * flits, machine.buffer));
  }
  return static_cast<std::uint32_t>(flits);
}

void CollectiveDriver::hand_over(Transport& network, std::uint64_t id, const Message& message,
                                 std::uint64_t bytes, Cycle now) {
  const MessageName name = message_name(id);
  const std::uint32_t flits = carriable_flits(machine_, facts_.topology, bytes, name, message);
  StepRecord& record = records_[name.step - 1];
  record.begin = std::min(record.begin, now);
  ++record.messages;
  record.flits += flits;
  ++in_flight_;
  const Packet packet{
      id, message.source, message.destination, message.route, flits, static_cast<std::uint32_t>(name.step)};
  const bool rearranges = message.rearranged_bytes != 0 && machine_.copy != Decimal();
  if (!rearranges && !busy_until_.contains(message.source)) return network.send(packet);
  // One after the other: the memory serves one message at a time, and messages keep their order.
  Cycle& busy = busy_until_.try_emplace(message.source, now).first->second;
  busy += machine_.copy.times_rounded_up(message.rearranged_bytes);
  rearranging_.emplace(std::pair(busy, id), packet);
}

void CollectiveDriver::at(Transport& network, Cycle now) {
  while (next_event() <= now) {
    const Packet packet = rearranging_.begin()->second;
    rearranging_.erase(rearranging_.begin());
    const auto busy = busy_until_.find(packet.source);
    if (busy != busy_until_.end() && busy->second <= now) busy_until_.erase(busy);
    network.send(packet);
  }
}

void CollectiveDriver::receive(const Delivery& delivery, const Message& message,
                               std::span<const ChunkId> chunks, std::uint64_t bytes) {
  for (const ChunkId chunk : chunks) possession_.add(message.destination, chunk);
  StepRecord& record = records_[message_name(delivery.id).step - 1];
  ++record.arrived;
  record.end = std::max(record.end, delivery.arrived);
  --in_flight_;
  ++messages_arrived_;
  if (!on_arrival_) return;
  on_arrival_({message, chunks, delivery, static_cast<std::uint32_t>(flits_of(bytes, machine_.flit_bytes))});
}

}  // namespace flitscope
