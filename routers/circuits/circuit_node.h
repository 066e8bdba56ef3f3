// The nodes of a complete network: ports that send, and messages that arrive.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "model/machine.h"
#include "model/schedule.h"
#include "model/text.h"
#include "model/types.h"

namespace flitscope {

/// A message in flight: it leaves its source and arrives at its destination during the cycles begin .. end-1.
struct Transmission {
  std::uint64_t id = 0;  ///< the driver's number
  NodeId source = 0;
  std::uint32_t port = 0;
  NodeId destination = 0;
  std::uint32_t flits = 1;
  Cycle begin = 0;
  Cycle end = 0;
};

/// "step 3, message 2 (node 0 to node 4)"
[[nodiscard]] std::string circuit_message_text(MessageName name, NodeId source, NodeId destination);

enum class CircuitPortState : std::uint8_t {
  dark,       ///< never tuned
  tuning,     ///< being tuned to a target, sends nothing
  connected,  ///< holds a circuit and sends nothing
  sending,    ///< prepares a message or moves its flits
};
template <>
inline constexpr std::array kNamesOf<CircuitPortState>{"dark", "tuning", "connected", "sending"};
inline constexpr unsigned kCircuitPortStates = kNamesOf<CircuitPortState>.size();

/// A port of a node: its state in every cycle.
class CircuitPort {
 public:
  /// Sets a circuit that exists in cycle 0.
  void connect(NodeId target);
  /// Tunes from cycle `now` to `ready` - 1. Requires that the port is free.
  void tune(NodeId target, Cycle now, Cycle ready);
  /// Sends from cycle `now` to `end` - 1. Requires that the port is connected.
  void send(std::uint32_t flits, Cycle now, Cycle end);

  [[nodiscard]] CircuitPortState state(Cycle now) const {
    return now < busy_until_ || state_ == CircuitPortState::dark ? state_ : CircuitPortState::connected;
  }
  /// The target of the circuit, also while it is tuned; kNoNode: the port is dark.
  [[nodiscard]] NodeId target() const { return target_; }
  /// When tuning or sending ends.
  [[nodiscard]] Cycle busy_until() const { return busy_until_; }

  [[nodiscard]] std::uint64_t tunings() const { return tunings_; }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t flits() const { return flits_; }
  /// Cycles the port was in each state, of the cycles 0 .. `cycles` - 1. `cycles` must not lie before the
  /// last event's begin.
  [[nodiscard]] std::array<Cycle, kCircuitPortStates> cycles_by_state(Cycle cycles) const;

 private:
  void enter(CircuitPortState state, Cycle now, Cycle until);

  NodeId target_ = kNoNode;
  CircuitPortState state_ = CircuitPortState::dark;
  /// state_ lasts from since_ until busy_until_; then the port is connected. A dark port stays dark.
  Cycle since_ = 0;
  Cycle busy_until_ = 0;
  std::array<Cycle, kCircuitPortStates> cycles_{};
  std::uint64_t tunings_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t flits_ = 0;
};

/// A node of a complete network: k ports that send, and up to k messages that arrive. Callers pass the time,
/// which must not fall. Within a cycle arrivals end before messages begin.
class CircuitNode {
 public:
  CircuitNode(NodeId node, const MachineConfig& machine);

  /// Sets a circuit of cycle 0; called before the first cycle.
  void connect(std::uint32_t port, NodeId target) { ports_[port].connect(target); }
  /// Tunes a port for `reconfiguration` cycles; returns the cycle of the circuit. Throws ScheduleError if the
  /// port is still tuned or still sends.
  Cycle tune(std::uint32_t port, NodeId target, Cycle now);
  /// Sends a message for startup + flits cycles. Throws ScheduleError if the port does not hold the circuit
  /// or still sends.
  Transmission send(std::uint64_t id, std::uint32_t port, NodeId destination, std::uint32_t flits, Cycle now);

  /// Restores the state before the first cycle: ports are dark.
  void reset();

  /// Throws ScheduleError if more messages would arrive at the same time than the node has ports.
  void begin_reception(const Transmission& transmission);
  void end_reception(const Transmission& transmission);

  [[nodiscard]] const std::vector<CircuitPort>& ports() const { return ports_; }
  [[nodiscard]] std::uint64_t messages_received() const { return messages_received_; }
  [[nodiscard]] std::uint64_t flits_received() const { return flits_received_; }
  /// Cycles before `cycles`, up to now, in which at least one message was arriving.
  [[nodiscard]] Cycle receiving_cycles(Cycle cycles) const {
    return receiving_cycles_ + (arriving_.empty() ? 0 : cycles - receiving_since_);
  }
  /// Most messages that arrived at the same time.
  [[nodiscard]] std::uint32_t max_arrivals() const { return max_arrivals_; }

 private:
  [[noreturn]] void refuse_arrival(const Transmission& transmission) const;

  NodeId node_;
  Cycle reconfiguration_;
  Cycle startup_;
  std::vector<CircuitPort> ports_;
  std::vector<Transmission> arriving_;
  Cycle receiving_since_ = 0;
  std::uint64_t messages_received_ = 0;
  std::uint64_t flits_received_ = 0;
  Cycle receiving_cycles_ = 0;
  std::uint32_t max_arrivals_ = 0;
};

}  // namespace flitscope
