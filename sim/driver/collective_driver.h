// What all ways of performing a collective have in common: the account of data, messages and steps.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/possession.h"
#include "model/schedule.h"
#include "routers/machine.h"
#include "sim/driver/step_record.h"
#include "sim/network/transport.h"

namespace flitscope {

/// A message that has arrived, for those who record messages.
struct ArrivedMessage {
  const Message& message;
  std::span<const ChunkId> chunks;
  const Delivery& delivery;
  std::uint32_t flits = 0;
};

/// "step 3, message 5 ([0, 1] to [2, 1])"; the place counts from 1.
[[nodiscard]] std::string message_text(const Topology& topology, MessageName name, const Message& message);

/// Flits of a message of `bytes` bytes on this machine. Throws Inadmissible, naming the message, if the
/// machine cannot carry it: it is too long for the buffers of virtual cut-through or store-and-forward, or
/// for any network.
[[nodiscard]] std::uint32_t carriable_flits(const MachineConfig& machine, const Topology& topology,
                                            std::uint64_t bytes, MessageName name, const Message& message);

/// Performs a collective in a network and keeps account of its data. Who sends what and when is left to
/// ScheduleDriver and TableDriver.
class CollectiveDriver : public Driver {
 public:
  /// Both must outlive the driver.
  CollectiveDriver(const ScheduleFacts& facts, const MachineConfig& machine)
      : facts_(facts), machine_(machine), possession_(facts.collective, facts.topology.nodes()) {}

  void on_arrival(std::function<void(const ArrivedMessage&)> callback) { on_arrival_ = std::move(callback); }

  /// One record a step, for the steps begun so far.
  [[nodiscard]] const std::vector<StepRecord>& steps() const { return records_; }
  [[nodiscard]] const Possession& possession() const { return possession_; }
  [[nodiscard]] std::uint64_t messages_arrived() const { return messages_arrived_; }
  /// Messages on their way that have not arrived: handed to the network, or about to be.
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }

  /// Messages whose senders rearrange data first enter the network later.
  [[nodiscard]] Cycle next_event() const override {
    return rearranging_.empty() ? kNever : rearranging_.begin()->first.first;
  }
  void at(Transport& network, Cycle now) override;

  /// Why nothing more can be sent although not all is done and nothing is in flight.
  [[nodiscard]] virtual std::string hindrance() const = 0;
  /// The message that this is about, if it is about one.
  [[nodiscard]] virtual std::optional<MessageName> hindered() const { return std::nullopt; }

 protected:
  [[nodiscard]] const ScheduleFacts& facts() const { return facts_; }
  [[nodiscard]] const MachineConfig& machine() const { return machine_; }

  /// Makes the record of the step after the last one and returns its number, from 1.
  std::uint64_t begin_record() {
    records_.emplace_back();
    return records_.size();
  }
  /// Hands a message over whose step has its record; the id is that of message_id(). It enters the network in
  /// this cycle, or when its sender has rearranged the data for it and for those before it.
  void hand_over(Transport& network, std::uint64_t id, const Message& message, std::uint64_t bytes,
                 Cycle now);
  /// Takes a delivery into account.
  void receive(const Delivery& delivery, const Message& message, std::span<const ChunkId> chunks,
               std::uint64_t bytes);

 private:
  const ScheduleFacts& facts_;
  const MachineConfig& machine_;
  Possession possession_;
  std::vector<StepRecord> records_;
  /// Messages that wait for their senders' memory, by the cycle in which they can go and their id; and the
  /// nodes that are busy until then.
  std::map<std::pair<Cycle, std::uint64_t>, Packet> rearranging_;
  std::unordered_map<NodeId, Cycle> busy_until_;
  std::function<void(const ArrivedMessage&)> on_arrival_;
  std::uint64_t messages_arrived_ = 0;
  std::uint64_t in_flight_ = 0;
};

}  // namespace flitscope
