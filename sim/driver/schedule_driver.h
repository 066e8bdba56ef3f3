// What both ways of playing a schedule have in common: loading steps, checking possession, counting.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "sim/driver/collective_driver.h"

namespace flitscope {

/// Plays a schedule into a network and keeps account of the collective's data. The rest is how steps advance:
/// see BarrierDriver and DataflowDriver.
///
/// Messages get ids that rise in the order of the schedule. Every send is checked (the sender must hold what
/// it sends) and every delivery recorded. Throws ScheduleError for a message that may not be sent, and
/// Inadmissible for one that the machine cannot carry.
class ScheduleDriver : public CollectiveDriver {
 public:
  /// Both must outlive the driver.
  ScheduleDriver(Schedule& schedule, const MachineConfig& machine)
      : CollectiveDriver(schedule.facts(), machine), schedule_(schedule) {}

  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) final;
  [[nodiscard]] bool finished() const override { return exhausted_ && loaded_.empty(); }

 protected:
  /// What has arrived in cycle `now` and needs no combining any more, sorted by id.
  virtual void arrived(Transport& network, std::span<const Delivery> deliveries, Cycle now) = 0;
  void combined(Transport& network, std::span<const Delivery> deliveries, Cycle now) final {
    arrived(network, deliveries, now);
  }

  struct LoadedStep {
    std::uint64_t number = 0;
    Step step;
    std::uint64_t missing = 0;  ///< messages that have not arrived
  };

  /// The next step of the schedule, or nullptr after the last. Throws ScheduleError if a message of it goes
  /// to its own source.
  LoadedStep* load_step();
  [[nodiscard]] LoadedStep& loaded(std::uint64_t step) { return *loaded_[step - loaded_.front()->number]; }
  [[nodiscard]] const LoadedStep& loaded(std::uint64_t step) const {
    return *loaded_[step - loaded_.front()->number];
  }
  [[nodiscard]] bool nothing_loaded() const { return loaded_.empty(); }
  /// Messages of the steps in memory.
  [[nodiscard]] std::uint64_t loaded_messages() const { return loaded_messages_; }

  [[nodiscard]] bool sender_holds(const LoadedStep& step, const Message& message) const;
  /// Hands a message over, in this cycle or when its sender has rearranged the data for it and for those
  /// before it. The sender must hold its chunks.
  void send(Transport& network, LoadedStep& step, std::uint64_t index, Cycle now);
  /// Takes an arrived message into account; returns its step, which may be complete now.
  LoadedStep& accept(const Delivery& delivery, Cycle now);
  /// Forgets complete steps. Throws IllegalMessage if one of them has combined what may not be.
  void retire_steps();

  [[nodiscard]] std::string name(const LoadedStep& step, std::uint64_t index) const;
  /// What the sender of a message lacks: "[0, 1] does not hold chunk 7".
  [[nodiscard]] std::string lack(const LoadedStep& step, std::uint64_t index) const;

 private:
  /// What messages want to combine must have operands.
  void require_combined(const LoadedStep& step) const;
  /// The values that the messages of a complete step have made.
  void play(const LoadedStep& step);

  Schedule& schedule_;
  std::vector<Delivery> here_;
  std::deque<std::unique_ptr<LoadedStep>> loaded_;
  std::unique_ptr<LoadedStep> spare_;
  std::uint64_t loaded_messages_ = 0;
  bool exhausted_ = false;
};

}  // namespace flitscope
