#include "sim/driver/packet_driver.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "model/error.h"
#include "routers/engine/router_numbers.h"

namespace flitscope {

PacketDriver::PacketDriver(Driver& messages, const PacketFormat& format, const Topology& topology,
                           const MachineConfig& machine, std::uint64_t stride)
    : RelayDriver(messages),
      format_(format),
      machine_(machine),
      topology_(topology),
      channels_(node_channels(topology, machine)),
      stride_(stride) {
  if (machine.ports) return;
  routing_ = of_networks(topology, [&](const Topology& network) {
    return std::shared_ptr<const RoutingFunction>(routing_of(network, machine));
  });
}

std::uint64_t PacketDriver::key_of(std::uint64_t id) const {
  const MessageName name = message_name(id);
  return message_id(name.step, name.index() % stride_);
}

std::uint64_t PacketDriver::queue_of(const Packet& message) const {
  const unsigned classes = machine_.queues_of_node();
  const std::uint64_t of_class = classes == 1 ? 0 : message.message_class;
  if (machine_.ports) return std::uint64_t{message.source} * classes + of_class;
  const unsigned network = machine_.network_of(message.message_class);
  unsigned port = topology_.first_port(network);
  // A message to its own node enters by the first channel.
  if (message.source != message.destination) {
    Head head{.destination = message.destination, .route = message.route};
    routing_[network]->prepare(head, message.source);
    const Arrival injected{static_cast<std::uint8_t>(topology_.ports_of_network()), 0};
    port += routing_[network]->first_candidate(message.source, injected, head).port;
  }
  return (std::uint64_t{message.source} * channels_ + port) * classes + of_class;
}

void PacketDriver::send(const Packet& message) {
  const std::uint64_t packets = format_.packets(message.flits);
  refuse_if(packets > kMessageNumbers / stride_, "packet.payload",
            "a message of {} flits would have {} packets, and at most {} have names beside the other "
            "messages: use larger packets",
            message.flits, packets, kMessageNumbers / stride_);
  const std::uint64_t key = key_of(message.id);
  if (!in_flight_.try_emplace(key, InFlight{.whole = message, .ready = now(), .packets = packets}).second) {
    throw std::length_error("more messages in the network than packets have names");
  }
  ++unsent_;
  ++sent_.messages;
  sent_.data_flits += message.flits;
  const std::uint64_t number = queue_of(message);
  Queue& queue = queues_[number];
  if (queue.senders.empty()) queue.senders.resize(machine_.ports.value_or(1));
  queue.waiting.push_back(key);
  ++queue.untaken;
  plan_idle(queue, number, 0);
}

bool PacketDriver::is_full(NodeId node, std::uint32_t message_class) const {
  if (!machine_.injection_queue) return false;
  const unsigned classes = machine_.queues_of_node();
  std::uint64_t messages = 0;
  for (unsigned i = classes == 1 ? 0 : message_class; i < queues_of_node(); i += classes) {
    const auto found = queues_.find(std::uint64_t{node} * queues_of_node() + i);
    if (found != queues_.end()) messages += found->second.untaken;
  }
  return messages >= *machine_.injection_queue;
}

bool PacketDriver::can_send(NodeId node, std::uint32_t message_class) const {
  return network().can_send(node, message_class) && !is_full(node, message_class);
}

void PacketDriver::take(std::uint64_t id) {
  const auto found = in_flight_.find(key_of(id));
  network().take(found->second.last);
  in_flight_.erase(found);
}

void PacketDriver::wait_to_send(std::uint64_t id, std::optional<std::uint32_t> reply) {
  network().wait_to_send(in_flight_.at(key_of(id)).last, reply);
}

void PacketDriver::can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle now) {
  enter(network, now);
  for (const NodeId node : nodes) {
    relieved_.emplace(now, node);
    const std::uint64_t first = std::uint64_t{node} * queues_of_node();
    for (std::uint64_t number = first; number < first + queues_of_node(); ++number) {
      if (const auto found = queues_.find(number); found != queues_.end())
        plan_idle(found->second, number, 0);
    }
  }
}

void PacketDriver::plan_idle(Queue& queue, std::uint64_t number, std::size_t first) {
  for (std::size_t sender = 0; sender < queue.senders.size(); ++sender) {
    const Sender& own = queue.senders[sender];
    // Those before `first` have had their turn in this cycle.
    const Cycle turn = sender < first ? now() + 1 : now();
    if (!own.is_due) plan(number, queue, sender, std::max(turn, own.busy_until));
  }
}

void PacketDriver::plan(std::uint64_t number, Queue& queue, std::size_t sender, Cycle when) {
  queue.senders[sender].is_due = true;
  due_.emplace(when, number, sender);
}

void PacketDriver::serve(Queue& queue, std::uint64_t number, std::size_t sender) {
  Sender& own = queue.senders[sender];
  if (!own.message) {
    if (queue.waiting.empty()) return;
    own.message = queue.waiting.front();
    const InFlight& message = in_flight_.at(*own.message);
    const auto& [node, message_class] = std::pair(message.whole.source, message.whole.message_class);
    if (message.sent == 0) {
      if (is_full(node, message_class)) relieved_.emplace(now() + 1, node);
      --queue.untaken;
    }
    queue.waiting.pop_front();
    if (message.sent == 0 && machine_.startup > 0) {
      return plan(number, queue, sender, now() + machine_.startup);
    }
  }
  const Packet& whole = in_flight_.at(*own.message).whole;
  if (!network().can_send(whole.source, whole.message_class)) return;  // until can_send_again()
  send_packet(queue, number, sender, *std::exchange(own.message, std::nullopt));
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
  own.busy_until = now() + Cycle{packet.flits} * machine_.injection_interval;
  if (!queue.waiting.empty()) plan_idle(queue, number, sender);
  network().send(packet);
}

Cycle PacketDriver::next_event() const {
  const Cycle sender = due_.empty() ? kNever : std::get<0>(*due_.begin());
  const Cycle relief = relieved_.empty() ? kNever : relieved_.begin()->first;
  return std::min({sender, relief, inner().next_event()});
}

void PacketDriver::at(Transport& network, Cycle now) {
  enter(network, now);
  std::vector<NodeId> nodes;
  for (; !relieved_.empty() && relieved_.begin()->first <= now; relieved_.erase(relieved_.begin())) {
    nodes.push_back(relieved_.begin()->second);
  }
  if (!nodes.empty()) inner().can_send_again(*this, nodes, now);
  if (inner().next_event() <= now) inner().at(*this, now);
  while (!due_.empty() && std::get<0>(*due_.begin()) <= now) {
    const auto [when, number, sender] = *due_.begin();
    due_.erase(due_.begin());
    Queue& queue = queues_.at(number);
    queue.senders[sender].is_due = false;
    serve(queue, number, sender);
  }
}

void PacketDriver::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  enter(network, now);
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
    if (delivery.head_entered < message.first.head_entered) message.first = delivery;
    if (on_packet_) {
      Delivery packet = delivery;
      packet.ready = message.ready;
      const Message ends{.source = message.whole.source,
                         .destination = message.whole.destination,
                         .route = message.whole.route};
      on_packet_({ends, {}, packet, flits});
    }
    if (++message.arrived < message.packets) {
      if (holds_deliveries()) network.take(delivery.id);
      continue;
    }
    Delivery whole = message.first;
    whole.id = message.whole.id;
    whole.ready = message.ready;
    whole.arrived = delivery.arrived;
    ++arrived_.messages;
    arrived_.data_flits += message.whole.flits;
    complete_.push_back(whole);
    message.last = delivery.id;
    if (!holds_deliveries()) in_flight_.erase(found);
  }
  if (complete_.empty()) return;
  std::ranges::sort(complete_, {}, &Delivery::id);
  inner().delivered(*this, complete_, now);
}

}  // namespace flitscope
