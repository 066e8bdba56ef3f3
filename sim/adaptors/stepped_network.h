// A network that a program steps cycle by cycle, from any main(): without a SystemC simulation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/adaptors/messages.h"
#include "sim/network/clock_domain.h"

namespace flitscope {

/// A network without a kernel: its cycles are run by step() and advance_to().
///
/// What is sent, and what is taken, before a cycle is run belongs to that cycle, so results do not depend on
/// the order of calls between two cycles but for messages of one node. Cycles without work cost nothing. Any
/// number of networks can be made, before, while and after a simulation runs; each has its own time.
///
/// A message that has arrived stays until it is taken. With `ejection_buffer` it keeps its place in there
/// until then, and the network feels it (docs/timing.md, "Network interfaces").
class SteppedNetwork final {
 public:
  /// Throws Inadmissible for a machine that cannot be built (see require_buildable).
  SteppedNetwork(Topology topology, const MachineConfig& machine);
  ~SteppedNetwork();

  /// The cycle that step() runs next.
  [[nodiscard]] Cycle now() const { return now_; }
  /// Runs a cycle. Throws std::invalid_argument after kMaxCycles of them.
  void step() { advance_to(now_ + 1); }
  /// Runs all cycles before `cycle`, which is the present one then. Throws std::invalid_argument if that is
  /// in the past, or above kMaxCycles.
  void advance_to(Cycle cycle);
  /// The next cycle, from now() on, in which anything happens in the network; kNever if nothing can without
  /// a message sent or taken before. In a deadlock heads of some routers (speculation, `switch-winner`) ask
  /// in vain in every cycle, which is then the next one: find_deadlock(clock()) tells.
  [[nodiscard]] Cycle next_event() const;

  /// Whether the injection queue of a node has room for a message of a class
  /// (MachineConfig::injection_queue).
  [[nodiscard]] bool can_send(NodeId node, std::uint32_t message_class = 0) const;
  /// Messages that wait at a node for an injection channel: of the class, or of all with shared queues.
  [[nodiscard]] std::uint32_t queued(NodeId node, std::uint32_t message_class = 0) const;
  /// Sends a message, which is ready in cycle now(), by the shortest route. Messages of one node are sent in
  /// the order of these calls. Throws std::invalid_argument for a node or a class that is missing, a message
  /// without flits or one too long for the buffers, and a full injection queue.
  void send(NodeId source, OutgoingMessage message);

  /// The first message of a class that has arrived at a node and has not been taken; nullptr if there is
  /// none.
  [[nodiscard]] const IncomingMessage* peek(NodeId node, std::uint32_t message_class = 0) const;
  /// Takes it. Throws std::invalid_argument if there is none.
  IncomingMessage take(NodeId node, std::uint32_t message_class = 0);
  /// Nodes at which messages have arrived since the last call, in their order.
  [[nodiscard]] std::vector<NodeId> take_arrived_nodes();

  /// Messages that were sent and have not arrived.
  [[nodiscard]] std::size_t in_flight() const;
  /// Stalled flit-cycles so far, by cause (StallCause).
  [[nodiscard]] const StallCounts& stalls();
  /// Counters and state; see find_deadlock.
  [[nodiscard]] const ClockDomain& clock() const { return clock_; }
  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] const MachineConfig& machine() const { return machine_; }

 private:
  /// The driver: what was sent and taken since the last cycle, and what has arrived.
  class Exchange;

  [[nodiscard]] std::size_t line_of(NodeId node, std::uint32_t message_class) const;

  Topology topology_;
  MachineConfig machine_;
  ClockDomain clock_;
  Cycle now_ = 0;
  std::unique_ptr<Exchange> exchange_;
};

}  // namespace flitscope
