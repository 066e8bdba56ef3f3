// A schedule whose steps are computed one by one from their numbers.
#pragma once

#include <cstdint>
#include <utility>

#include "model/schedule.h"

namespace flitscope {

/// What an algorithm derives from: it says what is known beforehand, and makes one step at a time, so that a
/// long schedule costs one step's memory.
class StepwiseSchedule : public Schedule {
 public:
  [[nodiscard]] const ScheduleFacts& facts() const final { return facts_; }

  [[nodiscard]] bool next(Step& step) final {
    if (made_ == facts_.steps) return false;
    step.clear();
    produce(++made_, step);
    return true;
  }

 protected:
  explicit StepwiseSchedule(ScheduleFacts facts) : facts_(std::move(facts)) {}

  [[nodiscard]] const Topology& topology() const { return facts_.topology; }

 private:
  /// Adds the messages of step `number`, counted from 1, to an empty step. Called once for every step, in
  /// order.
  virtual void produce(std::uint64_t number, Step& step) = 0;

  ScheduleFacts facts_;
  std::uint64_t made_ = 0;
};

}  // namespace flitscope
