// What both ways of playing a schedule have in common: loading steps, checking possession, counting.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/possession.h"
#include "model/schedule.h"
#include "routers/machine.h"
#include "sim/driver/transport.h"

namespace flitscope {

/// What was measured of one step. Times are cycles.
struct StepRecord {
  std::uint64_t messages = 0;  ///< handed to their network interfaces
  std::uint64_t arrived = 0;   ///< of these
  std::uint64_t flits = 0;
  Cycle begin = kNever;  ///< first message handed to its network interface; kNever if there was none
  Cycle end = 0;         ///< last message fully arrived so far

  /// From the first message's start to the last one's arrival; 0 for a step without messages.
  [[nodiscard]] Cycle cycles() const { return begin < end ? end - begin : 0; }
};

/// A message that has arrived, for those who record messages.
struct ArrivedMessage {
  const Message& message;
  const Delivery& delivery;
  std::uint32_t flits = 0;
};

/// "step 3, message 5 ([0, 1] to [2, 1])"; the place counts from 1.
[[nodiscard]] std::string message_text(const Topology& topology, MessageName name, const Message& message);

/// Flits of a message on this machine. Throws Inadmissible, naming the message, if the machine cannot carry
/// it: it is too long for the buffers of virtual cut-through or store-and-forward, or for any network.
[[nodiscard]] std::uint32_t carriable_flits(const MachineConfig& machine, const ScheduleFacts& facts,
                                            const Step& step, MessageName name);

/// Plays a schedule into a network and keeps account of the collective's data. The rest is how steps advance:
/// see BarrierDriver and DataflowDriver.
///
/// Messages get ids that rise in the order of the schedule. Every send is checked (the sender must hold what
/// it sends) and every delivery recorded. Throws ScheduleError for a message that may not be sent, and
/// Inadmissible for one that the machine cannot carry.
class ScheduleDriver : public Driver {
 public:
  /// All three must outlive the driver.
  ScheduleDriver(Schedule& schedule, const MachineConfig& machine);

  void on_arrival(std::function<void(const ArrivedMessage&)> callback) { on_arrival_ = std::move(callback); }

  [[nodiscard]] bool finished() const override { return exhausted_ && loaded_.empty(); }

  /// Messages whose senders rearrange data first are handed over later.
  [[nodiscard]] Cycle next_event() const override {
    return rearranging_.empty() ? kNever : rearranging_.begin()->first;
  }
  void at(Transport& network, Cycle now) override;

  /// One record a step, for the steps loaded so far.
  [[nodiscard]] const std::vector<StepRecord>& steps() const { return records_; }
  [[nodiscard]] const Possession& possession() const { return possession_; }
  [[nodiscard]] std::uint64_t messages_arrived() const { return messages_arrived_; }
  /// Messages on their way that have not arrived: handed to the network, or about to be.
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }

  /// Why nothing more can be sent although the schedule is not finished and nothing is in flight.
  [[nodiscard]] virtual std::string hindrance() const = 0;

 protected:
  struct LoadedStep {
    std::uint64_t number = 0;
    Step step;
    std::uint64_t missing = 0;  ///< messages that have not arrived
  };

  [[nodiscard]] const ScheduleFacts& facts() const { return schedule_.facts(); }
  [[nodiscard]] const MachineConfig& machine() const { return machine_; }

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
  /// Takes a delivered message into account; returns its step, which may be complete now.
  LoadedStep& accept(const Delivery& delivery);
  /// Forgets complete steps.
  void retire_steps();

  [[nodiscard]] std::string name(const LoadedStep& step, std::uint64_t index) const;
  /// What the sender of a message lacks: "[0, 1] does not hold chunk 7".
  [[nodiscard]] std::string lack(const LoadedStep& step, std::uint64_t index) const;

 private:
  void hand_over(Transport& network, std::uint64_t id);

  Schedule& schedule_;
  const MachineConfig& machine_;
  Possession possession_;
  std::deque<std::unique_ptr<LoadedStep>> loaded_;
  std::unique_ptr<LoadedStep> spare_;
  std::vector<StepRecord> records_;
  /// Messages that wait for their senders' memory, by the cycle in which they can go, and the nodes that are
  /// busy until then.
  std::set<std::pair<Cycle, std::uint64_t>> rearranging_;
  std::unordered_map<NodeId, Cycle> busy_until_;
  std::function<void(const ArrivedMessage&)> on_arrival_;
  std::uint64_t loaded_messages_ = 0;
  std::uint64_t messages_arrived_ = 0;
  std::uint64_t in_flight_ = 0;
  bool exhausted_ = false;
};

}  // namespace flitscope
