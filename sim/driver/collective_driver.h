// The common part of all drivers of collectives: the account of data, messages and steps.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "model/possession.h"
#include "model/schedule.h"
#include "routers/engine/message_table.h"
#include "sim/network/transport.h"

namespace flitscope {

/// A message that has arrived, for observers of messages.
struct ArrivedMessage {
  const Message& message;
  std::span<const ChunkId> chunks;
  const Delivery& delivery;
  std::uint32_t flits = 0;
};

/// "step 3, message 5 ([0, 1] to [2, 1])"; the position counts from 1.
[[nodiscard]] std::string message_text(const Topology& topology, MessageName name, const Message& message);

/// Whether messages of so many flits fit into the buffers of this machine, and into any network.
[[nodiscard]] inline bool carries(const MachineConfig& machine, std::uint64_t flits) {
  return flits <= kMaxFlits && (machine.switching == Switching::wormhole || flits <= machine.buffer) &&
         (machine.flow != FlowControl::bubble || 2 * flits <= machine.buffer) &&
         (!machine.ejection_buffer || flits <= *machine.ejection_buffer);
}
/// Throws Inadmissible for a message that the machine cannot carry: `who` is too long for the buffers of
/// virtual cut-through or store-and-forward, or for any network; `length` is the key of its length.
[[noreturn]] void refuse_length(const MachineConfig& machine, std::uint64_t flits, const std::string& who,
                                const std::string& length);

/// Flits of a message of `bytes` bytes on this machine. Throws Inadmissible, naming the message, if the
/// machine cannot carry it: it is too long for the buffers of virtual cut-through or store-and-forward, or
/// for any network.
[[nodiscard]] std::uint32_t carriable_flits(const MachineConfig& machine, const Topology& topology,
                                            std::uint64_t bytes, MessageName name, const Message& message);

/// The machine's numbers of the message classes of a schedule; the first one is that of messages without a
/// class. Throws Inadmissible if the machine has message classes, but not these.
[[nodiscard]] std::vector<std::uint32_t> class_numbers(const ScheduleFacts& facts,
                                                       const MachineConfig& machine);

/// Performs a collective in a network and keeps account of its data. ScheduleDriver and TableDriver decide
/// which messages are sent and when.
class CollectiveDriver : public Driver {
 public:
  /// Both must outlive the driver.
  /// Throws Inadmissible if the machine has message classes, but not those of the schedule.
  CollectiveDriver(const ScheduleFacts& facts, const MachineConfig& machine);

  void on_arrival(std::function<void(const ArrivedMessage&)> callback) { on_arrival_ = std::move(callback); }

  void start(Transport& network) final { begin(network, 0); }
  /// Starts in a later cycle, the beginning for messages that wait for it.
  void start_in(Transport& network, Cycle now) {
    beginning_ = now;
    begin(network, now);
  }

  /// One record a step, for the steps begun so far.
  [[nodiscard]] const std::vector<StepRecord>& steps() const { return records_; }
  [[nodiscard]] const Possession& possession() const { return possession_; }
  /// Operands in the values of combined chunks after the complete steps; nothing if none is combined.
  [[nodiscard]] const std::optional<OperandLedger>& operands() const { return operands_; }
  /// The last cycle in which a message arrived, and was combined if it had to be; 0 if none has.
  [[nodiscard]] Cycle last_arrival() const { return last_arrival_; }
  [[nodiscard]] std::uint64_t messages_arrived() const { return messages_arrived_; }
  /// Messages that are handed to the network, or about to be, and have not arrived.
  [[nodiscard]] std::uint64_t in_flight() const { return in_flight_; }

  /// Messages whose senders rearrange data first enter the network later; those whose receivers combine data
  /// count as arrived later.
  [[nodiscard]] Cycle next_event() const override {
    const Cycle sent = rearranging_.empty() ? kNever : rearranging_.begin()->first.first;
    const Cycle combined = combining_.empty() ? kNever : combining_.begin()->first.first;
    return std::min(sent, combined);
  }
  void at(Transport& network, Cycle now) override;
  void can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle now) final;
  [[nodiscard]] bool holds_deliveries() const final {
    return machine_.ejection_buffer.has_value() && facts_.waits;
  }

  /// The reason why no message can be sent although messages remain and none is in flight.
  [[nodiscard]] virtual std::string hindrance() const = 0;
  /// The message of hindrance(), if it is about one.
  [[nodiscard]] virtual std::optional<MessageName> hindered() const { return std::nullopt; }

 protected:
  /// Sends the first messages.
  virtual void begin(Transport& network, Cycle now) = 0;
  [[nodiscard]] Cycle beginning() const { return beginning_; }

  [[nodiscard]] const ScheduleFacts& facts() const { return facts_; }
  [[nodiscard]] const MachineConfig& machine() const { return machine_; }

  /// Makes the record of the step after the last one and returns its number, from 1.
  std::uint64_t begin_record() {
    records_.emplace_back();
    return records_.size();
  }
  /// What a message has to do with others.
  struct Relations {
    std::uint32_t message_class = 0;         ///< of ScheduleFacts::classes, counted from 1
    std::optional<std::uint64_t> answers{};  ///< the message to which it is the reply
    bool is_answered = false;
    std::optional<Release> released_by{};  ///< see Packet
    bool is_awaited = false;
  };
  /// Hands over a message whose step has its record, with the id of message_id(). It enters the network in
  /// this cycle, or after its sender has rearranged the data for it and for its predecessors, and its
  /// injection queue has room.
  void hand_over(Transport& network, std::uint64_t id, const Message& message, std::uint64_t bytes, Cycle now,
                 const Relations& relations);
  /// Reports a delivery to the callback.
  void report(const Delivery& delivery, const Message& message, std::span<const ChunkId> chunks,
              std::uint64_t bytes) const;
  /// Delays a delivery until its receiver has combined `bytes` bytes; combined() gets it in a later cycle.
  /// False if that takes no time.
  [[nodiscard]] bool combine(const Delivery& delivery, NodeId receiver, std::uint64_t bytes, Cycle now);
  /// Deliveries that were combined until this cycle, sorted by id.
  virtual void combined(Transport& /*network*/, std::span<const Delivery> /*deliveries*/, Cycle /*now*/) {}
  /// The machine's number of a class of ScheduleFacts::classes, counted from 1; 0: of a message without one.
  [[nodiscard]] std::uint32_t class_of_machine(std::uint32_t number) const { return classes_[number]; }
  /// A message is delivered. Its node takes it in this cycle, or with its reply.
  void take(Transport& network, std::uint64_t id, bool has_reply);
  /// Takes the data of a delivery into account.
  void receive(const Delivery& delivery, const Message& message, std::span<const ChunkId> chunks, Cycle now);
  /// The ledger of combined chunks, for updates. Requires operands().
  [[nodiscard]] OperandLedger& ledger() { return *operands_; }

 private:
  /// Gives the message to the network as soon as its node's injection queue has room.
  void enter(Transport& network, const Packet& packet, Cycle now);
  /// Counts the message in its step and gives it to the network.
  void give(Transport& network, const Packet& packet, Cycle now);
  /// Cycle in which the memory of a node has processed `bytes` bytes; it serves one message at a time.
  [[nodiscard]] Cycle memory_done(NodeId node, const Decimal& cost, std::uint64_t bytes, Cycle now);

  const ScheduleFacts& facts_;
  const MachineConfig& machine_;
  Possession possession_;
  std::optional<OperandLedger> operands_;
  std::vector<StepRecord> records_;
  /// Messages that wait for their senders' memory, by their cycle and the order in which they were handed
  /// over; and the cycle of the last one of a node.
  std::map<std::pair<Cycle, std::uint64_t>, Packet> rearranging_;
  std::uint64_t rearranged_ = 0;
  std::unordered_map<NodeId, Cycle> waiting_until_;
  /// Deliveries that wait for their receivers' memory, by their cycle and id.
  std::map<std::pair<Cycle, std::uint64_t>, Delivery> combining_;
  std::vector<Delivery> combined_;
  /// Cycles in which used memories are free.
  std::unordered_map<NodeId, Cycle> memory_free_;
  std::vector<std::uint32_t> classes_;  ///< see class_numbers()
  /// Messages that wait for room in an injection queue, by node and queue.
  std::map<std::pair<NodeId, std::uint32_t>, std::deque<Packet>> waiting_for_room_;
  /// Delivered messages that their nodes have not taken.
  std::unordered_set<std::uint64_t> untaken_;
  Cycle beginning_ = 0;
  Cycle last_arrival_ = 0;
  std::function<void(const ArrivedMessage&)> on_arrival_;
  std::uint64_t messages_arrived_ = 0;
  std::uint64_t in_flight_ = 0;
};

}  // namespace flitscope
