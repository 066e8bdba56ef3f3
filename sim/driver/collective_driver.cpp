#include "sim/driver/collective_driver.h"

#include <fmt/format.h>

#include "model/error.h"
#include "model/text.h"

namespace flitscope {

std::string message_text(const Topology& topology, MessageName name, const Message& message) {
  return fmt::format("step {}, message {} ({} to {})", name.step, name.place,
                     topology.node_name(message.source), topology.node_name(message.destination));
}

void refuse_length(const MachineConfig& machine, std::uint64_t flits, const std::string& who,
                   const std::string& length) {
  refuse_if(flits > kMaxFlits, length, "{} has {} flits; at most {} are possible: use larger flits", who,
            flits, kMaxFlits);
  refuse_if(
      machine.switching != Switching::wormhole && flits > machine.buffer, "router.buffer",
      "{} needs room for whole messages: {} has {} flits, so 'router.buffer' must be at least {}, not {}",
      name_of(machine.switching), who, flits, flits, machine.buffer);
  refuse_if(machine.ejection_buffer && flits > *machine.ejection_buffer, "node.ejection_buffer",
            "an ejection buffer needs room for whole messages: {} has {} flits, so 'node.ejection_buffer' "
            "must be at least {}, not {}",
            who, flits, flits, machine.ejection_buffer.value_or(0));
  throw Inadmissible("router.buffer",
                     "bubble flow control needs room for two messages: {} has {} flits, so 'router.buffer' "
                     "must be at least {}, not {}",
                     who, flits, 2 * flits, machine.buffer);
}

std::uint32_t carriable_flits(const MachineConfig& machine, const Topology& topology, std::uint64_t bytes,
                              MessageName name, const Message& message) {
  const std::uint64_t flits = flits_of(bytes, machine.flit_bytes);
  if (!carries(machine, flits))
    refuse_length(machine, flits, message_text(topology, name, message), "node.flit_bytes");
  return static_cast<std::uint32_t>(flits);
}

std::vector<std::uint32_t> class_numbers(const ScheduleFacts& facts, const MachineConfig& machine) {
  std::vector<std::uint32_t> numbers{0};
  for (const std::string& name : facts.classes) {
    const auto number = machine.classes.empty() ? 0 : class_number(machine, name);
    refuse_if(!number, "classes",
              "the schedule has messages of a class {}, but the machine has no class of this "
              "name; name one so, or leave classes out",
              in_quotes(name));
    numbers.push_back(*number);
  }
  return numbers;
}

CollectiveDriver::CollectiveDriver(const ScheduleFacts& facts, const MachineConfig& machine)
    : facts_(facts),
      machine_(machine),
      possession_(facts.collective, facts.topology),
      classes_(class_numbers(facts, machine)) {
  if (facts.collective.combines()) operands_.emplace(facts.collective, facts.topology);
}

void CollectiveDriver::hand_over(Transport& network, std::uint64_t id, const Message& message,
                                 std::uint64_t bytes, Cycle now, const Relations& relations) {
  const MessageName name = message_name(id);
  const std::uint32_t flits = carriable_flits(machine_, facts_.topology, bytes, name, message);
  ++in_flight_;
  const Packet outgoing{id,
                        message.source,
                        message.destination,
                        message.route,
                        flits,
                        static_cast<std::uint32_t>(name.step),
                        classes_[relations.message_class],
                        relations.is_answered,
                        relations.answers,
                        relations.released_by,
                        relations.is_awaited};
  const bool rearranges = message.rearranged_bytes != 0 && machine_.copy_cycles_per_byte != Decimal();
  const auto waiting = waiting_until_.find(message.source);
  if (!rearranges && waiting == waiting_until_.end()) return enter(network, outgoing, now);
  StepRecord& record = records_[name.step - 1];
  record.begin = std::min(record.begin, now);
  // Messages of a node keep their order.
  const Cycle ready =
      rearranges ? memory_done(message.source, machine_.copy_cycles_per_byte, message.rearranged_bytes, now)
                 : waiting->second;
  waiting_until_[message.source] = ready;
  rearranging_.emplace(std::pair(ready, ++rearranged_), outgoing);
}

void CollectiveDriver::enter(Transport& network, const Packet& packet, Cycle now) {
  if (!machine_.injection_queue) return give(network, packet, now);
  const std::uint32_t queue = machine_.queues_of_node() == 1 ? 0 : packet.message_class;
  const auto found = waiting_for_room_.find({packet.source, queue});
  if (found == waiting_for_room_.end() && network.can_send(packet.source, packet.message_class))
    return give(network, packet, now);
  waiting_for_room_[{packet.source, queue}].push_back(packet);
  if (packet.answers && (machine_.requests || untaken_.contains(*packet.answers)))
    network.wait_to_send(*packet.answers, packet.message_class);
}

void CollectiveDriver::can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle now) {
  for (const NodeId node : nodes) {
    for (auto each = waiting_for_room_.lower_bound({node, 0});
         each != waiting_for_room_.end() && each->first.first == node;) {
      std::deque<Packet>& messages = each->second;
      while (!messages.empty() && network.can_send(node, messages.front().message_class)) {
        give(network, messages.front(), now);
        messages.pop_front();
      }
      each = messages.empty() ? waiting_for_room_.erase(each) : std::next(each);
    }
  }
}

void CollectiveDriver::give(Transport& network, const Packet& packet, Cycle now) {
  StepRecord& record = records_[packet.step - 1];
  record.begin = std::min(record.begin, now);
  ++record.messages;
  record.flits += packet.flits;
  network.send(packet);
  if (packet.answers && untaken_.erase(*packet.answers) > 0) network.take(*packet.answers);
}

void CollectiveDriver::take(Transport& network, std::uint64_t id, bool has_reply) {
  if (!holds_deliveries()) return;
  if (!has_reply) return network.take(id);
  untaken_.insert(id);
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
    const Packet message = rearranging_.begin()->second;
    rearranging_.erase(rearranging_.begin());
    const auto waiting = waiting_until_.find(message.source);
    if (waiting != waiting_until_.end() && waiting->second <= now) waiting_until_.erase(waiting);
    enter(network, message, now);
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
