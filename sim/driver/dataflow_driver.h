// Every node on its own: it sends as soon as it holds the data and its earlier sends are on their way.
#pragma once

#include <deque>
#include <vector>

#include "sim/driver/schedule_driver.h"

namespace flitscope {

/// No barriers. A node keeps the schedule's order of its own sends: with `ports: all` for every link port,
/// otherwise for all of them together; a message waits for its chunks and for those before it. Steps overlap,
/// so congestion and deadlock are real.
///
/// Control data decides what is sent next: a node sends nothing of a step before all control messages of
/// earlier steps that are meant for it have arrived.
///
/// The schedule is read ahead, `lookahead` messages at most (but always one step): a node cannot be further
/// ahead of the slowest than that.
class DataflowDriver final : public ScheduleDriver {
 public:
  DataflowDriver(Schedule& schedule, const MachineConfig& machine, std::uint64_t lookahead);

  void start(Transport& network) override { read_ahead(network, 0); }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] std::string hindrance() const override;
  [[nodiscard]] std::optional<MessageName> hindered() const override;

 private:
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

  /// Control messages of a step that a node waits for.
  struct AwaitedControl {
    std::uint64_t step = 0;
    std::uint64_t messages = 0;
  };

  void read_ahead(Transport& network, Cycle now);
  /// A control message has been loaded, and has arrived.
  void await_control(NodeId node, std::uint64_t step);
  void accept_control(NodeId node, std::uint64_t step);
  /// Whether everything that decides what the node sends in a step is there.
  [[nodiscard]] bool is_decided(NodeId node, std::uint64_t step) const;
  void enqueue(const LoadedStep& step, std::uint64_t index);
  /// Sends what can go from a node's queues.
  void release(Transport& network, NodeId node, Cycle now);

  std::uint64_t lookahead_;
  unsigned queues_per_node_;
  std::vector<Queue> queues_;
  /// By node, each by rising step; empty without any control message.
  std::vector<std::deque<AwaitedControl>> awaited_control_;
  std::vector<Waiting> waiting_;
  std::vector<std::uint32_t> free_;
};

}  // namespace flitscope
