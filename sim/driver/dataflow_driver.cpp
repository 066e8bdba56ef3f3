#include "sim/driver/dataflow_driver.h"

#include <algorithm>

#include "model/route.h"

namespace flitscope {

DataflowDriver::DataflowDriver(Schedule& schedule, const MachineConfig& machine, std::uint64_t lookahead)
    : ScheduleDriver(schedule, machine),
      lookahead_(lookahead),
      queues_per_node_(!machine.ports ? schedule.facts().topology.link_ports() : 1),
      queues_(std::size_t{schedule.facts().topology.nodes()} * queues_per_node_) {}

void DataflowDriver::read_ahead(Transport& network, Cycle now) {
  while (nothing_loaded() || loaded_messages() < lookahead_) {
    LoadedStep* const step = load_step();
    if (step == nullptr) return;
    const auto messages = step->step.messages();
    for (std::uint64_t index = 0; index < messages.size(); ++index) enqueue(*step, index);
    for (const Message& message : messages) release(network, message.source, now);
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
  if (message.control_bytes != 0) await_control(message.destination, step.number);
  const unsigned number = queues_per_node_ == 1 ? 0
                                                : first_port(facts().topology, message.source,
                                                             message.destination, message.route);
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
    while (queue.front != kNone) {
      const Waiting first = waiting_[queue.front];
      const MessageName name = message_name(first.id);
      LoadedStep& step = loaded(name.step);
      const std::uint64_t index = name.index();
      if (!is_decided(node, step.number) || !sender_holds(step, step.step.messages()[index])) break;
      send(network, step, index, now);
      free_.push_back(queue.front);
      queue.front = first.next;
    }
  }
}

void DataflowDriver::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  // All deliveries of the cycle count before any node acts on them.
  std::vector<NodeId> receivers;
  receivers.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) {
    const LoadedStep& step = accept(delivery);
    const Message& message = step.step.messages()[message_name(delivery.id).index()];
    if (message.control_bytes != 0) accept_control(message.destination, step.number);
    receivers.push_back(message.destination);
  }
  std::ranges::sort(receivers);
  const auto repeated = std::ranges::unique(receivers);
  receivers.erase(repeated.begin(), repeated.end());
  for (const NodeId node : receivers) release(network, node, now);
  retire_steps();
  read_ahead(network, now);
}

void DataflowDriver::await_control(NodeId node, std::uint64_t step) {
  awaited_control_.resize(facts().topology.nodes());
  auto& awaited = awaited_control_[node];
  if (awaited.empty() || awaited.back().step != step) awaited.push_back({step, 0});
  ++awaited.back().messages;
}

void DataflowDriver::accept_control(NodeId node, std::uint64_t step) {
  auto& awaited = awaited_control_[node];
  --std::ranges::find(awaited, step, &AwaitedControl::step)->messages;
  while (!awaited.empty() && awaited.front().messages == 0) awaited.pop_front();
}

bool DataflowDriver::is_decided(NodeId node, std::uint64_t step) const {
  return awaited_control_.empty() || awaited_control_[node].empty() ||
         awaited_control_[node].front().step >= step;
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
  if (!first) return "nothing waits";
  const LoadedStep& step = loaded(first->step);
  const std::uint64_t index = first->place - 1;
  return name(step, index) + " waits for data that never comes: " + lack(step, index);
}

}  // namespace flitscope
