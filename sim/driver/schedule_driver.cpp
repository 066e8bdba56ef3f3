#include "sim/driver/schedule_driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/message_errors.h"

namespace flitscope {

ScheduleDriver::LoadedStep* ScheduleDriver::load_step() {
  if (exhausted_) return nullptr;
  auto step = spare_ ? std::move(spare_) : std::make_unique<LoadedStep>();
  if (!schedule_.next(step->step)) {
    exhausted_ = true;
    return nullptr;
  }
  step->number = begin_record();
  const auto messages = step->step.messages();
  for (std::uint64_t index = 0; index < messages.size(); ++index) {
    if (messages[index].source != messages[index].destination) continue;
    throw IllegalMessage({step->number, index + 1},
                         name(*step, index) + " goes nowhere: source and destination must differ");
  }
  require_combined(*step);
  step->missing = messages.size();
  loaded_messages_ += step->missing;
  return loaded_.emplace_back(std::move(step)).get();
}

void ScheduleDriver::require_combined(const LoadedStep& step) const {
  const auto messages = step.step.messages();
  for (std::uint64_t index = 0; index < messages.size(); ++index) {
    for (const ChunkId chunk : step.step.reduced(messages[index])) {
      if (operands() && operands()->combines(chunk)) continue;
      throw IllegalMessage(
          {step.number, index + 1},
          fmt::format("{} combines chunk {}, of which nobody has an operand", name(step, index), chunk));
    }
  }
}

bool ScheduleDriver::sender_holds(const LoadedStep& step, const Message& message) const {
  return std::ranges::all_of(step.step.chunks(message),
                             [&](ChunkId chunk) { return possession().holds(message.source, chunk); });
}

void ScheduleDriver::send(Transport& network, LoadedStep& step, std::uint64_t index, Cycle now) {
  const Message& message = step.step.messages()[index];
  hand_over(network, message_id(step.number, index), message,
            message_bytes(facts().collective, step.step, message), now);
}

void ScheduleDriver::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  here_.clear();
  for (const Delivery& delivery : deliveries) {
    const MessageName name = message_name(delivery.id);
    const Step& step = loaded(name.step).step;
    const Message& message = step.messages()[name.index()];
    tell(delivery, message, step.chunks(message), message_bytes(facts().collective, step, message));
    const std::uint64_t bytes =
        message.reduced_count == 0 ? 0 : reduced_bytes(facts().collective, step, message);
    if (!combine(delivery, message.destination, bytes, now)) here_.push_back(delivery);
  }
  if (!here_.empty()) arrived(network, here_, now);
}

ScheduleDriver::LoadedStep& ScheduleDriver::accept(const Delivery& delivery, Cycle now) {
  const MessageName name = message_name(delivery.id);
  LoadedStep& step = loaded(name.step);
  const Message& message = step.step.messages()[name.index()];
  receive(delivery, message, step.step.chunks(message), now);
  --step.missing;
  return step;
}

void ScheduleDriver::retire_steps() {
  while (!loaded_.empty() && loaded_.front()->missing == 0) {
    if (operands()) play(*loaded_.front());
    spare_ = std::move(loaded_.front());
    loaded_messages_ -= spare_->step.messages().size();
    loaded_.pop_front();
  }
}

void ScheduleDriver::play(const LoadedStep& step) {
  const auto messages = step.step.messages();
  for (std::size_t index = 0; index < messages.size(); ++index) ledger().take(step.step, index);
  ledger().finish_step(step.step, [&](const OperandFault& fault) {
    const Topology& topology = facts().topology;
    const std::string whose = fault.operand ? " of " + topology.node_name(*fault.operand) : std::string();
    throw IllegalMessage(
        {step.number, fault.message + 1},
        name(step, fault.message) +
            (fault.kind == OperandFault::Kind::counted_twice
                 ? fmt::format(" counts an operand{} twice in chunk {}", whose, fault.chunk)
                 : fmt::format(" replaces chunk {} by a value that lacks an operand{}", fault.chunk, whose)));
  });
}

std::string ScheduleDriver::name(const LoadedStep& step, std::uint64_t index) const {
  return message_text(facts().topology, {step.number, index + 1}, step.step.messages()[index]);
}

std::string ScheduleDriver::lack(const LoadedStep& step, std::uint64_t index) const {
  const Message& message = step.step.messages()[index];
  for (const ChunkId chunk : step.step.chunks(message)) {
    if (!possession().holds(message.source, chunk)) {
      return fmt::format("{} does not hold chunk {}", facts().topology.node_name(message.source), chunk);
    }
  }
  return "nothing is lacking";
}

}  // namespace flitscope
