// Step by step: a step starts when everything of the step before has arrived.
#pragma once

#include "sim/driver/schedule_driver.h"

namespace flitscope {

/// The papers' machine: synchronous steps. The cycles of a step are those of its slowest message. A message
/// that waits for others starts when the step has started and its waiting is over; nobody waits behind it.
class BarrierDriver final : public ScheduleDriver {
 public:
  using ScheduleDriver::ScheduleDriver;

  [[nodiscard]] std::string hindrance() const override;

 private:
  void begin(Transport& network, Cycle now) override { begin_step(network, now); }
  void resume(Transport& network, std::span<const std::uint64_t> ids, Cycle now) override;
  void arrived(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  void begin_step(Transport& network, Cycle now);
  /// Sends what need not wait any more since something was accepted or sent.
  void send_awaited(Transport& network, Cycle now);
};

}  // namespace flitscope
