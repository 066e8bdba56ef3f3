// Dataflow: a node sends a message as soon as it holds the data and has sent the messages before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "model/possession.h"
#include "model/types.h"
#include "sim/driver/schedule_driver.h"

namespace flitscope {

/// Messages with combined chunks that have not arrived: for each combined chunk at each node the steps of
/// such messages, rising. Compact, since schedules have many values: 4 bytes for a chunk and node, and 8 for
/// a chunk of a message.
class AwaitedOperands {
 public:
  /// Starts without messages. `chunks`: number of chunks, combined or not.
  AwaitedOperands(const OperandLedger& operands, NodeId nodes, std::size_t chunks) : places_(chunks, kNone) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      if (operands.combines(static_cast<ChunkId>(chunk))) places_[chunk] = combined_++;
    }
    last_.resize(std::size_t{nodes} * combined_, kNone);
  }

  /// Adds a message of a step with the combined chunk; steps rise.
  void await(NodeId node, ChunkId chunk, std::uint64_t step) {
    std::uint32_t& last = last_[value(node, chunk)];
    const std::uint32_t added = new_place();
    steps_[added] = {static_cast<std::uint32_t>(step), last == kNone ? added : steps_[last].next};
    if (last != kNone) steps_[last].next = added;
    last = added;
  }

  /// Removes such a message when it arrives.
  void accept(NodeId node, ChunkId chunk, std::uint64_t step) {
    std::uint32_t& last = last_[value(node, chunk)];
    std::uint32_t before = last;
    while (steps_[steps_[before].next].step != step) before = steps_[before].next;
    const std::uint32_t place = steps_[before].next;
    steps_[before].next = steps_[place].next;
    if (place == last) last = place == before ? kNone : before;
    steps_[place].next = free_;
    free_ = place;
  }

  /// True if a message of an earlier step with the chunk has not arrived.
  [[nodiscard]] bool is_awaited_before(NodeId node, ChunkId chunk, std::uint64_t step) const {
    const std::uint32_t last = last_[value(node, chunk)];
    return last != kNone && steps_[steps_[last].next].step < step;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct AwaitedStep {
    std::uint32_t step = 0;  ///< below kMessageNumbers
    /// The message after it; of the last one the first. Of a free place another free one.
    std::uint32_t next = kNone;
  };

  [[nodiscard]] std::size_t value(NodeId node, ChunkId chunk) const {
    return std::size_t{node} * combined_ + places_[chunk];
  }
  [[nodiscard]] std::uint32_t new_place() {
    if (free_ == kNone) {
      steps_.emplace_back();
      return static_cast<std::uint32_t>(steps_.size() - 1);
    }
    const std::uint32_t place = free_;
    free_ = steps_[place].next;
    return place;
  }

  std::uint32_t combined_ = 0;
  /// By chunk: its number among the combined chunks.
  std::vector<std::uint32_t> places_;
  /// By node and combined chunk: its last message, in a circular list.
  std::vector<std::uint32_t> last_;
  std::vector<AwaitedStep> steps_;
  std::uint32_t free_ = kNone;
};

/// No barriers. A node keeps the schedule's order of its own sends: with `ports: all` for every link port,
/// otherwise for all together; a message waits for its chunks and for its predecessors. Steps overlap, so
/// congestion and deadlock occur as in a machine.
///
/// A node sends messages of a step only after all control messages to it of earlier steps have arrived.
///
/// The value of a combined chunk changes with every message that brings it. A node sends the value of its
/// step: it waits for all messages of earlier steps with the chunk; messages ahead of their step are kept
/// apart.
///
/// A message that waits for others (Step::wait) blocks its queue.
///
/// The schedule is read at most `lookahead` messages ahead (but always one step), which bounds how far nodes
/// run ahead of the slowest.
class DataflowDriver final : public ScheduleDriver {
 public:
  /// The link port by which a message leaves its source in its network, of that network alone.
  using FirstPort = std::function<unsigned(const Message&, unsigned network)>;

  /// Without `first_port` the port follows from the message's route.
  DataflowDriver(Schedule& schedule, const MachineConfig& machine, std::uint64_t lookahead,
                 FirstPort first_port = {});

  [[nodiscard]] std::string hindrance() const override;
  [[nodiscard]] std::optional<MessageName> hindered() const override;

 private:
  void begin(Transport& network, Cycle now) override { read_ahead(network, now); }
  void resume(Transport& network, std::span<const std::uint64_t> ids, Cycle now) override;
  void arrived(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  /// A message that waits in a queue.
  struct Waiting {
    std::uint64_t id = 0;
    std::uint32_t next = kNone;  ///< behind it in its queue
  };
  struct Queue {
    std::uint32_t front = kNone;
    std::uint32_t back = kNone;
  };

  void read_ahead(Transport& network, Cycle now);
  /// Whether all control messages before the node's sends of a step have arrived.
  [[nodiscard]] bool is_decided(NodeId node, std::uint64_t step) const;
  /// Adds and removes a message with combined chunks.
  void await_operands(const Step& step, const Message& message, std::uint64_t number);
  void accept_operands(const Step& step, const Message& message, std::uint64_t number);
  /// Whether the values that a message sends are complete.
  [[nodiscard]] bool values_complete(const LoadedStep& step, const Message& message) const;
  void enqueue(const LoadedStep& step, std::uint64_t index);
  /// Sends ready messages from the queues of nodes, in their order, and messages released by them.
  void release(Transport& network, std::vector<NodeId>& nodes, Cycle now);
  /// Appends the sources of messages.
  void add_sources(std::span<const std::uint64_t> ids, std::vector<NodeId>& nodes) const;
  /// Sends ready messages from a node's queues.
  void release(Transport& network, NodeId node, Cycle now);

  std::uint64_t lookahead_;
  FirstPort first_port_;
  unsigned queues_per_node_;
  std::vector<Queue> queues_;
  /// Control messages that have not arrived, by node and step; empty without any control message.
  std::vector<std::map<std::uint64_t, std::uint64_t>> awaited_control_;
  /// Of combined chunks, if there are any.
  std::optional<AwaitedOperands> awaited_operands_;
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> free_;
};

}  // namespace flitscope
