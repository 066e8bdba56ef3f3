// Step by step: a step starts when everything of the step before has arrived.
#pragma once

#include "sim/driver/schedule_driver.h"

namespace flitscope {

/// The papers' machine: synchronous steps. The cycles of a step are those of its slowest message.
class BarrierDriver final : public ScheduleDriver {
 public:
  using ScheduleDriver::ScheduleDriver;

  void start(Transport& network) override { begin_step(network, 0); }
  [[nodiscard]] std::string hindrance() const override;

 private:
  void arrived(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  void begin_step(Transport& network, Cycle now);
};

}  // namespace flitscope
