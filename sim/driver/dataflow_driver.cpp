#include "sim/driver/dataflow_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/route.h"

namespace flitscope {

namespace {

/// Those of the link ports of all networks, or one.
unsigned queues_of(const Topology& topology, const MachineConfig& machine) {
  if (machine.ports) return 1;
  unsigned networks = 1;
  for (const MessageClass& each : machine.classes) networks = std::max(networks, each.network + 1);
  return networks * topology.ports_of_network();
}

}  // namespace

DataflowDriver::DataflowDriver(Schedule& schedule, const MachineConfig& machine, std::uint64_t lookahead,
                               FirstPort first_port)
    : ScheduleDriver(schedule, machine),
      lookahead_(lookahead),
      first_port_(std::move(first_port)),
      queues_per_node_(queues_of(schedule.facts().topology, machine)),
      queues_(std::size_t{schedule.facts().topology.nodes()} * queues_per_node_) {}

void DataflowDriver::read_ahead(Transport& network, Cycle now) {
  while (nothing_loaded() || loaded_messages() < lookahead_) {
    LoadedStep* const step = load_step();
    if (step == nullptr) return;
    const auto messages = step->step.messages();
    for (std::uint64_t index = 0; index < messages.size(); ++index) enqueue(*step, index);
    for (const Message& message : messages) release(network, message.source, now);
    if (facts().waits) {
      std::vector<NodeId> senders;
      add_sources(awaited_messages(), senders);
      release(network, senders, now);
    }
    retire_steps();  // a step without messages is over at once
  }
}

void DataflowDriver::enqueue(const LoadedStep& step, std::uint64_t index) {
  std::uint32_t place = 0;
  if (free_.empty()) {
    place = static_cast<std::uint32_t>(waiting_.size());
    waiting_.emplace_back();
  } else {
    place = free_.back();
    free_.pop_back();
  }
  waiting_[place] = {message_id(step.number, index), kNone};

  const Message& message = step.step.messages()[index];
  if (message.control_bytes != 0) {
    awaited_control_.resize(facts().topology.nodes());
    ++awaited_control_[message.destination][step.number];
  }
  if (operands()) await_operands(step.step, message, step.number);
  unsigned number = 0;
  if (queues_per_node_ > 1) {
    const unsigned network = machine().network_of(class_of_machine(step.step.message_class(message)));
    number = network * facts().topology.ports_of_network();
    // A message to its own node enters by the first channel.
    if (message.source != message.destination) {
      number += first_port_
                    ? first_port_(message, network)
                    : first_port(facts().topology, message.source, message.destination, message.route);
    }
  }
  Queue& queue = queues_[std::size_t{message.source} * queues_per_node_ + number];
  if (queue.front == kNone) {
    queue.front = place;
  } else {
    waiting_[queue.back].next = place;
  }
  queue.back = place;
}

void DataflowDriver::release(Transport& network, NodeId node, Cycle now) {
  for (unsigned number = 0; number < queues_per_node_; ++number) {
    Queue& queue = queues_[std::size_t{node} * queues_per_node_ + number];
    std::optional<Release> released;
    while (queue.front != kNone) {
      const Waiting first = waiting_[queue.front];
      const MessageName name = message_name(first.id);
      LoadedStep& step = loaded(name.step);
      const std::uint64_t index = name.index();
      const Message& message = step.step.messages()[index];
      if (!is_decided(node, step.number) || !sender_holds(step, message)) break;
      if (operands() && !values_complete(step, message)) break;
      if (!may_go(step, index, now)) break;
      released = send(network, step, index, now, released);
      free_.push_back(queue.front);
      queue.front = first.next;
    }
  }
}

void DataflowDriver::arrived(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  // All deliveries of the cycle are accepted before any node sends.
  std::vector<NodeId> receivers;
  receivers.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) {
    const LoadedStep& step = accept(delivery, now);
    const Message& message = step.step.messages()[message_name(delivery.id).index()];
    if (operands()) accept_operands(step.step, message, step.number);
    if (message.control_bytes != 0) {
      auto& awaited = awaited_control_[message.destination];
      if (--awaited[step.number] == 0) awaited.erase(step.number);
    }
    receivers.push_back(message.destination);
  }
  add_sources(awaited_messages(), receivers);
  release(network, receivers, now);
  retire_steps();
  read_ahead(network, now);
}

void DataflowDriver::resume(Transport& network, std::span<const std::uint64_t> ids, Cycle now) {
  std::vector<NodeId> senders;
  add_sources(ids, senders);
  release(network, senders, now);
}

void DataflowDriver::add_sources(std::span<const std::uint64_t> ids, std::vector<NodeId>& nodes) const {
  for (const std::uint64_t id : ids) {
    const MessageName name = message_name(id);
    nodes.push_back(loaded(name.step).step.messages()[name.index()].source);
  }
}

void DataflowDriver::release(Transport& network, std::vector<NodeId>& nodes, Cycle now) {
  while (!nodes.empty()) {
    std::ranges::sort(nodes);
    const auto repeated = std::ranges::unique(nodes);
    nodes.erase(repeated.begin(), repeated.end());
    for (const NodeId node : nodes) release(network, node, now);
    nodes.clear();
    add_sources(awaited_messages(), nodes);  // of what they have sent
  }
}

void DataflowDriver::await_operands(const Step& step, const Message& message, std::uint64_t number) {
  if (!awaited_operands_) {
    awaited_operands_.emplace(*operands(), facts().topology.nodes(), facts().collective.chunk_bytes.size());
  }
  for (const ChunkId chunk : step.chunks(message)) {
    if (operands()->combines(chunk)) awaited_operands_->await(message.destination, chunk, number);
  }
}

void DataflowDriver::accept_operands(const Step& step, const Message& message, std::uint64_t number) {
  for (const ChunkId chunk : step.chunks(message)) {
    if (operands()->combines(chunk)) awaited_operands_->accept(message.destination, chunk, number);
  }
}

bool DataflowDriver::values_complete(const LoadedStep& step, const Message& message) const {
  return std::ranges::none_of(step.step.chunks(message), [&](ChunkId chunk) {
    return operands()->combines(chunk) &&
           awaited_operands_->is_awaited_before(message.source, chunk, step.number);
  });
}

bool DataflowDriver::is_decided(NodeId node, std::uint64_t step) const {
  return awaited_control_.empty() || awaited_control_[node].empty() ||
         awaited_control_[node].begin()->first >= step;
}

std::optional<MessageName> DataflowDriver::hindered() const {
  std::uint64_t first = kNever;
  for (const Queue& queue : queues_) {
    if (queue.front != kNone) first = std::min(first, waiting_[queue.front].id);
  }
  if (first == kNever) return std::nullopt;
  return message_name(first);
}

std::string DataflowDriver::hindrance() const {
  const auto first = hindered();
  if (!first) return "no message waits";
  const LoadedStep& step = loaded(first->step);
  const std::uint64_t index = first->place - 1;
  const Message& message = step.step.messages()[index];
  if (!is_decided(message.source, step.number)) {
    return fmt::format("{} waits for control data of step {} to its source, which never arrives",
                       name(step, index), awaited_control_[message.source].begin()->first);
  }
  if (sender_holds(step, message)) {
    if (const std::string other = awaits(step, index); !other.empty()) {
      return name(step, index) + " waits for " + other + ", which never arrives";
    }
    if (operands() && !values_complete(step, message))
      return name(step, index) + " waits for values of earlier steps to its source, which never arrive";
  }
  return name(step, index) + " waits for data that never arrives: " + lack(step, index);
}

}  // namespace flitscope
