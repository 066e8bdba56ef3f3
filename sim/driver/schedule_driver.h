// Drivers of schedules: loading of steps, checks of possession, counters; and the driver with barriers.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "sim/driver/collective_driver.h"

namespace flitscope {

/// Plays a schedule into a network and keeps account of the collective's data. BarrierDriver and
/// DataflowDriver decide how steps advance.
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
  [[nodiscard]] Cycle next_event() const final {
    const Cycle due = due_.empty() ? kNever : due_.begin()->first;
    return std::min(due, CollectiveDriver::next_event());
  }
  void at(Transport& network, Cycle now) final;

 protected:
  /// Takes messages that arrived in cycle `now` or are combined by now, sorted by id.
  virtual void arrived(Transport& network, std::span<const Delivery> deliveries, Cycle now) = 0;
  void combined(Transport& network, std::span<const Delivery> deliveries, Cycle now) final {
    arrived(network, deliveries, now);
  }

  /// Takes messages that may_go() held back and whose waits are over, by id; none twice.
  virtual void resume(Transport& network, std::span<const std::uint64_t> ids, Cycle now) = 0;

  struct LoadedStep {
    std::uint64_t number = 0;
    Step step;
    std::uint64_t missing = 0;  ///< messages that have not arrived
  };

  /// The next step of the schedule, or nullptr after the last. Throws ScheduleError for an illegal one.
  LoadedStep* load_step();
  [[nodiscard]] LoadedStep& loaded(std::uint64_t step) { return *loaded_[step - loaded_.front()->number]; }
  [[nodiscard]] const LoadedStep& loaded(std::uint64_t step) const {
    return *loaded_[step - loaded_.front()->number];
  }
  [[nodiscard]] bool nothing_loaded() const { return loaded_.empty(); }
  /// Messages of the steps in memory.
  [[nodiscard]] std::uint64_t loaded_messages() const { return loaded_messages_; }

  [[nodiscard]] bool sender_holds(const LoadedStep& step, const Message& message) const;
  /// Whether all waits of a message are over. Otherwise it is held back, and awaited_messages() or resume()
  /// gets it after its waits.
  [[nodiscard]] bool may_go(const LoadedStep& step, std::uint64_t index, Cycle now);
  /// Held messages whose waits may be over by messages accepted or sent since the last call, by id; none
  /// twice. Valid until the next call.
  [[nodiscard]] std::span<const std::uint64_t> awaited_messages();
  /// What a message waits for: "message 1.3", or "4 messages of kind 2"; empty if there is nothing.
  [[nodiscard]] std::string awaits(const LoadedStep& step, std::uint64_t index) const;
  /// Hands a message over, in this cycle or when its sender has rearranged the data for it and for those
  /// before it. The sender must hold its chunks. `ahead` is what released a message in this cycle behind
  /// which it waited; returns what has released this one, if either is known.
  std::optional<Release> send(Transport& network, LoadedStep& step, std::uint64_t index, Cycle now,
                              const std::optional<Release>& ahead = {});
  /// Accepts an arrived message; returns its step, which may be complete now.
  LoadedStep& accept(const Delivery& delivery, Cycle now);
  /// Removes complete steps. Throws IllegalMessage for an illegal combination in one of them.
  void retire_steps();

  [[nodiscard]] std::string name(const LoadedStep& step, std::uint64_t index) const;
  /// The data that the sender of a message lacks: "[0, 1] does not hold chunk 7".
  [[nodiscard]] std::string lack(const LoadedStep& step, std::uint64_t index) const;

 private:
  /// Requires operands for every chunk that a message combines.
  void require_combined(const LoadedStep& step) const;
  /// Requires that messages wait for earlier ones only.
  void require_earlier(const LoadedStep& step);
  /// Updates the values after a complete step.
  void play(const LoadedStep& step);

  Schedule& schedule_;
  std::vector<Delivery> arrived_;
  std::deque<std::unique_ptr<LoadedStep>> loaded_;
  std::unique_ptr<LoadedStep> spare_;
  std::uint64_t loaded_messages_ = 0;
  bool exhausted_ = false;
  /// A message that others may wait for; kNever: not yet.
  struct Awaited {
    Cycle sent = kNever;
    Cycle delivered = kNever;
    [[nodiscard]] Cycle when(const Dependency& dependency) const {
      return dependency.sent ? sent : delivered;
    }
  };
  /// Releases the messages that wait for the send or the delivery of message `id`.
  void wake(std::uint64_t id, Cycle Awaited::*event, Cycle now);
  std::unordered_map<std::uint64_t, Awaited> awaited_;
  /// Messages of a kind that have arrived at a node.
  struct Counter {
    struct Arrival {
      Cycle at = 0;
      std::uint64_t message = 0;
    };
    std::vector<Arrival> arrivals;
    std::multimap<std::uint64_t, std::uint64_t> waiters;  ///< held messages, by the number they wait for
  };
  /// Counts an arrived message and releases those that wait for it.
  void count(NodeId node, std::uint32_t kind, std::uint64_t id, Cycle now);
  std::map<std::pair<NodeId, std::uint64_t>, Counter> counters_;  ///< by node and kind
  KindCounts kinds_;
  /// When a dependency of a message of `source` was satisfied, without its wait; kNever: not yet.
  [[nodiscard]] Cycle since(NodeId source, const Dependency& dependency) const;
  /// The wait of a message that ends in cycle `now`; nothing if none does.
  [[nodiscard]] std::optional<Release> release_of(const LoadedStep& step, const Message& message,
                                                  Cycle now) const;
  /// Held messages, by id; each is in waiters_, by the message that it waits for first, or in those of a
  /// counter, or in due_, by the end of its wait.
  std::unordered_set<std::uint64_t> held_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> waiters_;
  std::set<std::pair<Cycle, std::uint64_t>> due_;
  std::vector<std::uint64_t> resumed_;  ///< released and not yet returned
  std::vector<std::uint64_t> returned_;
};

/// Synchronous steps: a step starts when all messages of the step before have arrived. The cycles of a step
/// are those of its slowest message. A message that waits for others starts when its step has started and its
/// waits are over; it delays no other message.
class BarrierDriver final : public ScheduleDriver {
 public:
  using ScheduleDriver::ScheduleDriver;

  [[nodiscard]] std::string hindrance() const override;

 private:
  void begin(Transport& network, Cycle now) override { begin_step(network, now); }
  void resume(Transport& network, std::span<const std::uint64_t> ids, Cycle now) override;
  void arrived(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  void begin_step(Transport& network, Cycle now);
};

}  // namespace flitscope
