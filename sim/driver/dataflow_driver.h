// Every node on its own: it sends as soon as it holds the data and its earlier sends are on their way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "model/operand_ledger.h"
#include "model/types.h"
#include "sim/driver/schedule_driver.h"

namespace flitscope {

/// For each combined chunk at each node: the steps of which messages are to bring it there, rising, and how
/// many of each. There are as many of these as of a schedule's values, so they are kept small: 4 bytes for a
/// chunk and node, and 16 for a step.
class AwaitedOperands {
 public:
  /// None is awaited. `chunks`: how many there are, combined or not.
  AwaitedOperands(const OperandLedger& operands, NodeId nodes, std::size_t chunks) : places_(chunks, kNone) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      if (operands.combines(static_cast<ChunkId>(chunk))) places_[chunk] = combined_++;
    }
    last_.resize(std::size_t{nodes} * combined_, kNone);
  }

  /// A message of a step is to bring the chunk, which is combined; steps rise.
  void await(NodeId node, ChunkId chunk, std::uint64_t step) {
    std::uint32_t& last = last_[value(node, chunk)];
    if (last == kNone || steps_[last].step != step) {
      const std::uint32_t added = new_place();
      steps_[added] = {step, 0, last == kNone ? added : steps_[last].next};
      if (last != kNone) steps_[last].next = added;
      last = added;
    }
    ++steps_[last].messages;
  }

  /// Such a message has come.
  void accept(NodeId node, ChunkId chunk, std::uint64_t step) {
    std::uint32_t& last = last_[value(node, chunk)];
    std::uint32_t place = last;
    while (steps_[place].step != step) place = steps_[place].next;
    --steps_[place].messages;
    while (last != kNone && steps_[steps_[last].next].messages == 0) {
      const std::uint32_t first = steps_[last].next;
      free_.push_back(first);
      if (first == last) {
        last = kNone;
      } else {
        steps_[last].next = steps_[first].next;
      }
    }
  }

  /// A message of a step before this one is still to bring it.
  [[nodiscard]] bool is_awaited_before(NodeId node, ChunkId chunk, std::uint64_t step) const {
    const std::uint32_t last = last_[value(node, chunk)];
    return last != kNone && steps_[steps_[last].next].step < step;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct AwaitedStep {
    std::uint64_t step = 0;
    std::uint32_t messages = 0;
    /// The one behind it; of the last one the first.
    std::uint32_t next = kNone;
  };

  [[nodiscard]] std::size_t value(NodeId node, ChunkId chunk) const {
    return std::size_t{node} * combined_ + places_[chunk];
  }
  [[nodiscard]] std::uint32_t new_place() {
    if (free_.empty()) {
      steps_.emplace_back();
      return static_cast<std::uint32_t>(steps_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    return place;
  }

  std::uint32_t combined_ = 0;
  /// By chunk: its place among those that are combined.
  std::vector<std::uint32_t> places_;
  /// By node and combined chunk: its last step, in a dependency cycle of them.
  std::vector<std::uint32_t> last_;
  std::vector<AwaitedStep> steps_;
  std::vector<std::uint32_t> free_;
};

/// No barriers. A node keeps the schedule's order of its own sends: with `ports: all` for every link port,
/// otherwise for all of them together; a message waits for its chunks and for those before it. Steps overlap,
/// so congestion and deadlock are real.
///
/// Control data decides what is sent next: a node sends nothing of a step before all control messages of
/// earlier steps that are meant for it have arrived.
///
/// The value of a combined chunk changes with every message that brings it. A node sends the one of its step:
/// it waits until all messages of earlier steps that bring the chunk there have arrived, and what arrives
/// ahead of its step lies apart until then.
///
/// A message that waits for others (Step::wait) does so at the front of its queue.
///
/// The schedule is read ahead, `lookahead` messages at most (but always one step): a node cannot be further
/// ahead of the slowest than that.
class DataflowDriver final : public ScheduleDriver {
 public:
  /// The link port by which a message leaves its source.
  using FirstPort = std::function<unsigned(const Message&)>;

  /// `first_port` is by the message's route if it is not given.
  DataflowDriver(Schedule& schedule, const MachineConfig& machine, std::uint64_t lookahead,
                 FirstPort first_port = {});

  [[nodiscard]] std::string hindrance() const override;
  [[nodiscard]] std::optional<MessageName> hindered() const override;

 private:
  void begin(Transport& network, Cycle now) override { read_ahead(network, now); }
  void resume(Transport& network, std::span<const std::uint64_t> ids, Cycle now) override;
  void arrived(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;

  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  /// A message that waits for its turn or its data.
  struct Waiting {
    std::uint64_t id = 0;
    std::uint32_t next = kNone;  ///< behind it in its queue
  };
  struct Queue {
    std::uint32_t front = kNone;
    std::uint32_t back = kNone;
  };

  /// Messages of a step that a node waits for.
  struct Awaited {
    std::uint64_t step = 0;
    std::uint64_t messages = 0;
  };
  /// By rising step.
  using AwaitedSteps = std::deque<Awaited>;

  void read_ahead(Transport& network, Cycle now);
  /// A control message has been loaded, and has arrived.
  void await_control(NodeId node, std::uint64_t step);
  void accept_control(NodeId node, std::uint64_t step);
  /// Whether everything that decides what the node sends in a step is there.
  [[nodiscard]] bool is_decided(NodeId node, std::uint64_t step) const;
  /// The same of messages that bring combined chunks, with all that a message carries.
  void await_operands(const Step& step, const Message& message, std::uint64_t number);
  void accept_operands(const Step& step, const Message& message, std::uint64_t number);
  /// Whether all that belongs to the values a message takes along has come.
  [[nodiscard]] bool values_are_there(const LoadedStep& step, const Message& message) const;
  void enqueue(const LoadedStep& step, std::uint64_t index);
  /// Sends what can go from the queues of nodes, in their order, and what can go because of that.
  void release(Transport& network, std::vector<NodeId>& nodes, Cycle now);
  /// The sources of messages.
  void add_sources(std::span<const std::uint64_t> ids, std::vector<NodeId>& nodes) const;
  /// Sends what can go from a node's queues.
  void release(Transport& network, NodeId node, Cycle now);

  std::uint64_t lookahead_;
  FirstPort first_port_;
  unsigned queues_per_node_;
  std::vector<Queue> queues_;
  /// By node; empty without any control message.
  std::vector<AwaitedSteps> awaited_control_;
  /// Of chunks that are combined, if there are any.
  std::optional<AwaitedOperands> awaited_operands_;
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> free_;
};

}  // namespace flitscope
