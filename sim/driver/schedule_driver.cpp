#include "sim/driver/schedule_driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/schedule.h"

namespace flitscope {

ScheduleDriver::LoadedStep* ScheduleDriver::load_step() {
  if (exhausted_) return nullptr;
  auto step = spare_ ? std::move(spare_) : std::make_unique<LoadedStep>();
  if (!schedule_.next(step->step)) {
    exhausted_ = true;
    return nullptr;
  }
  step->number = begin_record();
  require_combined(*step);
  for (const std::uint32_t index : step->step.awaited()) {
    awaited_.emplace(message_id(step->number, index), Awaited());
  }
  if (facts().waits) require_earlier(*step);
  step->missing = step->step.messages().size();
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
          fmt::format("{} reduces chunk {}, which no node contributes to", name(step, index), chunk));
    }
  }
}

void ScheduleDriver::require_earlier(const LoadedStep& step) {
  const auto messages = step.step.messages();
  for (std::uint64_t index = 0; index < messages.size(); ++index) {
    const std::uint64_t id = message_id(step.number, index);
    if (const std::string objection = kinds_.add(facts().topology, step.step, index); !objection.empty())
      throw IllegalMessage({step.number, index + 1}, name(step, index) + " " + objection);
    for (const Dependency& dependency : step.step.dependencies(messages[index])) {
      if (dependency.message == 0 || dependency.count != 0) continue;
      if (dependency.message < id && awaited_.contains(dependency.message)) continue;
      throw IllegalMessage(
          {step.number, index + 1},
          fmt::format("{} waits for message {}, which is no earlier message that can be waited for",
                      name(step, index), message_label(dependency.message)));
    }
  }
}

Cycle ScheduleDriver::since(NodeId source, const Dependency& dependency) const {
  if (dependency.count != 0) {
    const auto counter = counters_.find({source, dependency.message});
    const bool reached = counter != counters_.end() && counter->second.arrivals.size() >= dependency.count;
    return reached ? counter->second.arrivals[dependency.count - 1].at : kNever;
  }
  return dependency.message == 0 ? beginning() : awaited_.at(dependency.message).when(dependency);
}

bool ScheduleDriver::may_go(const LoadedStep& step, std::uint64_t index, Cycle now) {
  const NodeId source = step.step.messages()[index].source;
  const auto dependencies = step.step.dependencies(step.step.messages()[index]);
  if (dependencies.empty()) return true;
  const std::uint64_t id = message_id(step.number, index);
  if (held_.contains(id)) return false;
  Cycle until = 0;
  for (const Dependency& dependency : dependencies) {
    const Cycle satisfied = since(source, dependency);
    if (satisfied == kNever) {
      held_.insert(id);
      if (dependency.count != 0) {
        counters_[{source, dependency.message}].waiters.emplace(dependency.count, id);
      } else {
        waiters_[dependency.message].push_back(id);
      }
      return false;
    }
    until = std::max(until, satisfied + dependency.wait);
  }
  if (until <= now) return true;
  held_.insert(id);
  due_.emplace(until, id);
  return false;
}

std::span<const std::uint64_t> ScheduleDriver::awaited_messages() {
  returned_.clear();
  returned_.swap(resumed_);
  std::ranges::sort(returned_);
  for (const std::uint64_t id : returned_) held_.erase(id);
  return returned_;
}

std::string ScheduleDriver::awaits(const LoadedStep& step, std::uint64_t index) const {
  const Message& message = step.step.messages()[index];
  for (const Dependency& dependency : step.step.dependencies(message)) {
    if (since(message.source, dependency) != kNever) continue;
    if (dependency.count != 0)
      return fmt::format("{} messages of kind {}", dependency.count, dependency.message);
    return "message " + message_label(dependency.message);
  }
  return {};
}

void ScheduleDriver::at(Transport& network, Cycle now) {
  CollectiveDriver::at(network, now);
  if (due_.empty() || due_.begin()->first > now) return;
  std::vector<std::uint64_t> ids;
  for (; !due_.empty() && due_.begin()->first <= now; due_.erase(due_.begin())) {
    ids.push_back(due_.begin()->second);
    held_.erase(ids.back());
  }
  std::ranges::sort(ids);
  resume(network, ids, now);
}

bool ScheduleDriver::sender_holds(const LoadedStep& step, const Message& message) const {
  return std::ranges::all_of(step.step.chunks(message),
                             [&](ChunkId chunk) { return possession().holds(message.source, chunk); });
}

std::optional<Release> ScheduleDriver::release_of(const LoadedStep& step, const Message& message,
                                                  Cycle now) const {
  std::optional<Release> release;
  for (const Dependency& dependency : step.step.dependencies(message)) {
    if (since(message.source, dependency) + dependency.wait < now) continue;
    if (dependency.count == 0) {
      release = Release{dependency.message, dependency.sent};
    } else {
      const Counter& counter = counters_.at({message.source, dependency.message});
      release = Release{counter.arrivals[dependency.count - 1].message};
    }
  }
  return release;
}

std::optional<Release> ScheduleDriver::send(Transport& network, LoadedStep& step, std::uint64_t index,
                                            Cycle now, const std::optional<Release>& ahead) {
  const Message& message = step.step.messages()[index];
  const std::uint64_t id = message_id(step.number, index);
  Relations relations{.message_class = step.step.message_class(message),
                      .is_answered = step.step.reply_follows(message),
                      .released_by = release_of(step, message, now),
                      .is_awaited = step.step.kind(message) != 0 || awaited_.contains(id)};
  if (!relations.released_by) relations.released_by = ahead;
  if (step.step.is_reply(index)) relations.answers = message_id(step.number, index - 1);
  hand_over(network, id, message, message_bytes(facts().collective, step.step, message), now, relations);
  if (!awaited_.empty()) wake(id, &Awaited::sent, now);
  return relations.released_by;
}

void ScheduleDriver::count(NodeId node, std::uint32_t kind, std::uint64_t id, Cycle now) {
  Counter& counter = counters_[{node, kind}];
  counter.arrivals.push_back({now, id});
  const auto [first, last] = counter.waiters.equal_range(counter.arrivals.size());
  for (auto each = first; each != last; ++each) resumed_.push_back(each->second);
  counter.waiters.erase(first, last);
}

void ScheduleDriver::wake(std::uint64_t id, Cycle Awaited::*event, Cycle now) {
  const auto awaited = awaited_.find(id);
  if (awaited == awaited_.end()) return;
  awaited->second.*event = now;
  const auto waiters = waiters_.find(id);
  if (waiters == waiters_.end()) return;
  resumed_.insert(resumed_.end(), waiters->second.begin(), waiters->second.end());
  waiters_.erase(waiters);
}

void ScheduleDriver::delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  arrived_.clear();
  for (const Delivery& delivery : deliveries) {
    const MessageName name = message_name(delivery.id);
    const Step& step = loaded(name.step).step;
    const Message& message = step.messages()[name.index()];
    report(delivery, message, step.chunks(message), message_bytes(facts().collective, step, message));
    take(network, delivery.id, step.reply_follows(message));
    const std::uint64_t bytes =
        message.reduced_count == 0 ? 0 : reduced_bytes(facts().collective, step, message);
    if (!combine(delivery, message.destination, bytes, now)) arrived_.push_back(delivery);
  }
  if (!arrived_.empty()) arrived(network, arrived_, now);
}

ScheduleDriver::LoadedStep& ScheduleDriver::accept(const Delivery& delivery, Cycle now) {
  const MessageName name = message_name(delivery.id);
  LoadedStep& step = loaded(name.step);
  const Message& message = step.step.messages()[name.index()];
  receive(delivery, message, step.step.chunks(message), now);
  --step.missing;
  if (!awaited_.empty()) wake(delivery.id, &Awaited::delivered, now);
  if (const std::uint32_t kind = step.step.kind(message); kind != 0)
    count(message.destination, kind, delivery.id, now);
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
  return "no chunk is missing";
}

void BarrierDriver::begin_step(Transport& network, Cycle now) {
  LoadedStep* step = load_step();
  while (step != nullptr && step->missing == 0) {  // a step without messages takes no time
    retire_steps();
    step = load_step();
  }
  if (step == nullptr) return;
  const auto messages = step->step.messages();
  for (std::uint64_t index = 0; index < messages.size(); ++index) {
    if (!sender_holds(*step, messages[index])) {
      throw IllegalMessage({step->number, index + 1}, name(*step, index) + " sends what it does not hold: " +
                                                          lack(*step, index) + " when the step starts");
    }
  }
  for (std::uint64_t index = 0; index < messages.size(); ++index) {
    if (may_go(*step, index, now)) send(network, *step, index, now);
  }
  resume(network, awaited_messages(), now);
}

void BarrierDriver::resume(Transport& network, std::span<const std::uint64_t> ids, Cycle now) {
  for (; !ids.empty(); ids = awaited_messages()) {  // those that wait for what is sent
    for (const std::uint64_t id : ids) {
      const MessageName name = message_name(id);
      LoadedStep& step = loaded(name.step);
      if (may_go(step, name.index(), now)) send(network, step, name.index(), now);
    }
  }
}

void BarrierDriver::arrived(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  for (const Delivery& delivery : deliveries) accept(delivery, now);
  resume(network, awaited_messages(), now);
  retire_steps();
  if (nothing_loaded()) begin_step(network, now);
}

std::string BarrierDriver::hindrance() const {
  return "the step before has not arrived";
}

}  // namespace flitscope
