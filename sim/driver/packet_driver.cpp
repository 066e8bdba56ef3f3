#include "sim/driver/packet_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/error.h"

namespace flitscope {

PacketDriver::PacketDriver(Driver& messages, const PacketFormat& format, const Topology& topology,
                           const MachineConfig& machine, std::uint64_t stride)
    : messages_(messages),
      format_(format),
      machine_(machine),
      paths_(topology, machine.routing),
      channels_(node_channels(topology, machine)),
      stride_(stride) {}

void PacketDriver::start(Transport& network) {
  network_ = &network;
  now_ = 0;
  messages_.start(*this);
}

std::uint64_t PacketDriver::key_of(std::uint64_t id) const {
  const MessageName name = message_name(id);
  return message_id(name.step, name.index() % stride_);
}

std::uint64_t PacketDriver::queue_of(const Packet& message) const {
  const unsigned classes = machine_.queues_of_node();
  const std::uint64_t of_class = classes == 1 ? 0 : message.message_class;
  if (machine_.ports) return std::uint64_t{message.source} * classes + of_class;
  // A message to its own node enters by the first channel.
  const unsigned port = message.source == message.destination
                            ? 0
                            : paths_.first_port(message.source, message.destination, message.route);
  return (std::uint64_t{message.source} * channels_ + port) * classes + of_class;
}

void PacketDriver::send(const Packet& message) {
  const std::uint64_t packets = format_.packets(message.flits);
  if (packets > kMessageNumbers / stride_) {
    throw Inadmissible("packet.payload",
                       fmt::format("a message of {} flits would have {} packets, and at most {} have names "
                                   "beside the other messages: use larger packets",
                                   message.flits, packets, kMessageNumbers / stride_));
  }
  const std::uint64_t key = key_of(message.id);
  if (!in_flight_.try_emplace(key, InFlight{.whole = message, .ready = now_, .packets = packets}).second) {
    throw std::length_error("more messages in the network than packets have names");
  }
  ++unsent_;
  ++sent_.messages;
  sent_.data_flits += message.flits;
  const std::uint64_t number = queue_of(message);
  Queue& queue = queues_[number];
  if (queue.senders.empty()) queue.senders.resize(machine_.ports.value_or(1));
  queue.waiting.push_back(key);
  plan_idle(queue, number, 0);
}

void PacketDriver::plan_idle(Queue& queue, std::uint64_t number, std::size_t first) {
  for (std::size_t sender = 0; sender < queue.senders.size(); ++sender) {
    const Sender& own = queue.senders[sender];
    // Those before `first` have had their turn in this cycle.
    const Cycle turn = sender < first ? now_ + 1 : now_;
    if (!own.is_due) plan(number, queue, sender, std::max(turn, own.busy_until));
  }
}

void PacketDriver::plan(std::uint64_t number, Queue& queue, std::size_t sender, Cycle when) {
  queue.senders[sender].is_due = true;
  due_.emplace(when, number, sender);
}

void PacketDriver::serve(Queue& queue, std::uint64_t number, std::size_t sender) {
  Sender& own = queue.senders[sender];
  if (const auto started = std::exchange(own.starting, std::nullopt)) {
    return send_packet(queue, number, sender, *started);
  }
  if (queue.waiting.empty()) return;
  const std::uint64_t key = queue.waiting.front();
  queue.waiting.pop_front();
  if (in_flight_.at(key).sent > 0 || machine_.startup == 0) return send_packet(queue, number, sender, key);
  own.starting = key;
  plan(number, queue, sender, now_ + machine_.startup);
}

void PacketDriver::send_packet(Queue& queue, std::uint64_t number, std::size_t sender, std::uint64_t key) {
  InFlight& message = in_flight_.at(key);
  const std::uint64_t before = message.sent++ * format_.payload_flits;
  const auto data = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(format_.payload_flits, message.whole.flits - before));
  Packet packet = message.whole;
  packet.id = key + (message.sent - 1) * stride_;
  packet.flits = format_.head_flits + data;
  ++sent_.packets;
  sent_.flits += packet.flits;
  if (message.sent == message.packets) {
    --unsent_;
  } else if (format_.interleaved) {
    queue.waiting.push_back(key);
  } else {
    queue.waiting.push_front(key);
  }
  Sender& own = queue.senders[sender];
  own.busy_until = now_ + Cycle{packet.flits} * machine_.injection_interval;
  if (!queue.waiting.empty()) plan_idle(queue, number, sender);
  network_->send(packet);
}

Cycle PacketDriver::next_event() const {
  const Cycle sender = due_.empty() ? kNever : std::get<0>(*due_.begin());
  return std::min(sender, messages_.next_event());
}

void PacketDriver::at(Transport& network, Cycle now) {
  network_ = &network;
  now_ = now;
  if (messages_.next_event() <= now) messages_.at(*this, now);
  while (!due_.empty() && std::get<0>(*due_.begin()) <= now) {
    const auto [when, number, sender] = *due_.begin();
    due_.erase(due_.begin());
    Queue& queue = queues_.at(number);
    queue.senders[sender].is_due = false;
    serve(queue, number, sender);
  }
}

void PacketDriver::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  network_ = &network;
  now_ = now;
  complete_.clear();
  for (const Delivery& delivery : deliveries) {
    const std::uint64_t key = key_of(delivery.id);
    const auto found = in_flight_.find(key);
    InFlight& message = found->second;
    const std::uint64_t number = (message_name(delivery.id).index() - message_name(key).index()) / stride_;
    const std::uint64_t before = number * format_.payload_flits;
    const auto flits = static_cast<std::uint32_t>(
        format_.head_flits + std::min<std::uint64_t>(format_.payload_flits, message.whole.flits - before));
    ++arrived_.packets;
    arrived_.flits += flits;
    message.head_entered = std::min(message.head_entered, delivery.head_entered);
    if (on_packet_) {
      Delivery packet = delivery;
      packet.ready = message.ready;
      const Message ends{.source = message.whole.source,
                         .destination = message.whole.destination,
                         .route = message.whole.route};
      on_packet_({ends, {}, packet, flits});
    }
    if (++message.arrived < message.packets) continue;
    Delivery whole = delivery;
    whole.id = message.whole.id;
    whole.ready = message.ready;
    whole.head_entered = message.head_entered;
    ++arrived_.messages;
    arrived_.data_flits += message.whole.flits;
    complete_.push_back(whole);
    in_flight_.erase(found);
  }
  if (complete_.empty()) return;
  std::ranges::sort(complete_, {}, &Delivery::id);
  messages_.delivered(*this, complete_, now);
}

}  // namespace flitscope
