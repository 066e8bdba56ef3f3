#include "sim/driver/schedule_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/error.h"
#include "routers/flit.h"

namespace flitscope {

std::string message_text(const Topology& topology, MessageName name, const Message& message) {
  return fmt::format("step {}, message {} ({} to {})", name.step, name.place,
                     topology.node_name(message.source), topology.node_name(message.destination));
}

std::uint32_t carriable_flits(const MachineConfig& machine, const ScheduleFacts& facts, const Step& step,
                              MessageName name) {
  const Message& message = step.messages()[name.place - 1];
  const std::uint64_t flits = flits_of(message_bytes(facts.collective, step, message), machine.flit_bytes);
  if (flits > kMostFlits) {
    throw Inadmissible("node.flit_bytes",
                       fmt::format("{} has {} flits; at most {} are possible: use larger flits",
                                   message_text(facts.topology, name, message), flits, kMostFlits));
  }
  if (machine.switching != Switching::wormhole && flits > machine.buffer) {
    throw Inadmissible(
        "router.buffer",
        fmt::format("{} needs room for whole messages: {} has {} flits, so 'router.buffer' must be "
                    "at least {}, not {}",
                    name_of(machine.switching), message_text(facts.topology, name, message), flits, flits,
                    machine.buffer));
  }
  return static_cast<std::uint32_t>(flits);
}

ScheduleDriver::ScheduleDriver(Schedule& schedule, const MachineConfig& machine)
    : schedule_(schedule),
      machine_(machine),
      possession_(schedule.facts().collective, schedule.facts().topology.nodes()) {}

ScheduleDriver::LoadedStep* ScheduleDriver::load_step() {
  if (exhausted_) return nullptr;
  auto step = spare_ ? std::move(spare_) : std::make_unique<LoadedStep>();
  if (!schedule_.next(step->step)) {
    exhausted_ = true;
    return nullptr;
  }
  records_.emplace_back();
  step->number = records_.size();
  const auto messages = step->step.messages();
  for (std::uint64_t index = 0; index < messages.size(); ++index) {
    if (messages[index].source != messages[index].destination) continue;
    throw ScheduleError(name(*step, index) + " goes nowhere: source and destination must differ");
  }
  step->missing = messages.size();
  loaded_messages_ += step->missing;
  return loaded_.emplace_back(std::move(step)).get();
}

bool ScheduleDriver::sender_holds(const LoadedStep& step, const Message& message) const {
  return std::ranges::all_of(step.step.chunks(message),
                             [&](ChunkId chunk) { return possession_.holds(message.source, chunk); });
}

void ScheduleDriver::send(Transport& network, LoadedStep& step, std::uint64_t index, Cycle now) {
  const Message& message = step.step.messages()[index];
  const std::uint32_t flits = carriable_flits(machine_, facts(), step.step, {step.number, index + 1});
  StepRecord& record = records_[step.number - 1];
  record.begin = std::min(record.begin, now);
  ++record.messages;
  record.flits += flits;
  ++in_flight_;
  const std::uint64_t id = message_id(step.number, index);
  const auto busy = busy_until_.find(message.source);
  if (busy == busy_until_.end() && (message.rearranged_bytes == 0 || machine_.copy == 0)) {
    return hand_over(network, id);
  }
  // One after the other: the memory serves one message at a time, and messages keep their order.
  const Cycle free = busy == busy_until_.end() ? now : busy->second;
  const Cycle done =
      free + static_cast<Cycle>(std::ceil(static_cast<double>(message.rearranged_bytes) * machine_.copy));
  busy_until_[message.source] = done;
  rearranging_.insert({done, id});
}

void ScheduleDriver::hand_over(Transport& network, std::uint64_t id) {
  const LoadedStep& step = loaded(id >> 32);
  const MessageName name = message_name(id);
  const Message& message = step.step.messages()[name.place - 1];
  network.send({id, message.source, message.destination, message.route,
                carriable_flits(machine_, facts(), step.step, name), static_cast<std::uint32_t>(name.step)});
}

void ScheduleDriver::at(Transport& network, Cycle now) {
  while (!rearranging_.empty() && rearranging_.begin()->first <= now) {
    const std::uint64_t id = rearranging_.begin()->second;
    rearranging_.erase(rearranging_.begin());
    const NodeId source = loaded(id >> 32).step.messages()[id & 0xFFFFFFFF].source;
    const auto busy = busy_until_.find(source);
    if (busy != busy_until_.end() && busy->second <= now) busy_until_.erase(busy);
    hand_over(network, id);
  }
}

ScheduleDriver::LoadedStep& ScheduleDriver::accept(const Delivery& delivery) {
  LoadedStep& step = loaded(delivery.id >> 32);
  const Message& message = step.step.messages()[delivery.id & 0xFFFFFFFF];
  for (const ChunkId chunk : step.step.chunks(message)) possession_.add(message.destination, chunk);
  StepRecord& record = records_[step.number - 1];
  ++record.arrived;
  record.end = std::max(record.end, delivery.arrived);
  --step.missing;
  --in_flight_;
  ++messages_arrived_;
  if (on_arrival_) {
    const std::uint64_t bytes = message_bytes(facts().collective, step.step, message);
    on_arrival_({message, delivery, static_cast<std::uint32_t>(flits_of(bytes, machine_.flit_bytes))});
  }
  return step;
}

void ScheduleDriver::retire_steps() {
  while (!loaded_.empty() && loaded_.front()->missing == 0) {
    spare_ = std::move(loaded_.front());
    loaded_messages_ -= spare_->step.messages().size();
    loaded_.pop_front();
  }
}

std::string ScheduleDriver::name(const LoadedStep& step, std::uint64_t index) const {
  return message_text(facts().topology, {step.number, index + 1}, step.step.messages()[index]);
}

std::string ScheduleDriver::lack(const LoadedStep& step, std::uint64_t index) const {
  const Message& message = step.step.messages()[index];
  for (const ChunkId chunk : step.step.chunks(message)) {
    if (!possession_.holds(message.source, chunk)) {
      return fmt::format("{} does not hold chunk {}", facts().topology.node_name(message.source), chunk);
    }
  }
  return "nothing is lacking";
}

}  // namespace flitscope
