#include "sim/driver/barrier_driver.h"

#include "model/message_errors.h"

namespace flitscope {

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
  send_awaited(network, now);
}

void BarrierDriver::resume(Transport& network, std::span<const std::uint64_t> ids, Cycle now) {
  for (const std::uint64_t id : ids) {
    const MessageName name = message_name(id);
    LoadedStep& step = loaded(name.step);
    if (may_go(step, name.index(), now)) send(network, step, name.index(), now);
  }
  send_awaited(network, now);
}

void BarrierDriver::send_awaited(Transport& network, Cycle now) {
  for (auto ids = awaited_messages(); !ids.empty(); ids = awaited_messages()) {
    for (const std::uint64_t id : ids) {
      const MessageName name = message_name(id);
      LoadedStep& step = loaded(name.step);
      if (may_go(step, name.index(), now)) send(network, step, name.index(), now);
    }
  }
}

void BarrierDriver::arrived(Transport& network, std::span<const Delivery> deliveries, Cycle now) {
  for (const Delivery& delivery : deliveries) accept(delivery, now);
  send_awaited(network, now);
  retire_steps();
  if (nothing_loaded()) begin_step(network, now);
}

std::string BarrierDriver::hindrance() const {
  return "the step before has not arrived";
}

}  // namespace flitscope
