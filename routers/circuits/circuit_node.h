// A node of a complete network: k ports that send, and room for k messages that arrive.
#pragma once

#include <systemc>
#include <vector>

#include "model/machine.h"
#include "routers/circuits/circuit_port.h"
#include "routers/circuits/transmission.h"

namespace flitscope {

/// Takes time from whoever calls it: a node does nothing by itself. Calls must not go back in time; within a
/// cycle arrivals end before anything begins.
class CircuitNode final : public sc_core::sc_module, public receiver_if {
 public:
  /// Free space.
  sc_core::sc_port<transmission_if> out{"out"};

  CircuitNode(const sc_core::sc_module_name& name, NodeId node, const MachineConfig& machine);

  /// Before the first cycle: the port holds a circuit in cycle 0.
  void connect(std::uint32_t port, NodeId target) { ports_[port].connect(target); }
  /// Tunes a port for `reconfiguration` cycles; returns when the circuit is there. Throws ScheduleError if
  /// the port is still tuned or still sends.
  Cycle tune(std::uint32_t port, NodeId target, Cycle now);
  /// Sends a message for startup + flits cycles. Throws ScheduleError if the port does not hold the circuit
  /// or still sends, and what the receiver throws.
  Transmission send(std::uint64_t id, std::uint32_t port, NodeId destination, std::uint32_t flits, Cycle now);

  /// As it was before the first cycle: ports are dark.
  void reset();

  void begin_reception(const Transmission& transmission) override;
  void end_reception(const Transmission& transmission) override;

  [[nodiscard]] const std::vector<CircuitPort>& ports() const { return ports_; }
  [[nodiscard]] std::uint64_t messages_received() const { return messages_received_; }
  [[nodiscard]] std::uint64_t flits_received() const { return flits_received_; }
  /// Cycles in which at least one message was arriving, of the messages that have ended.
  [[nodiscard]] Cycle receiving_cycles() const { return receiving_cycles_; }
  /// Most messages that arrived at the same time.
  [[nodiscard]] std::uint32_t max_arrivals() const { return max_arrivals_; }

 private:
  void end_of_elaboration() override { out->attach(node_, *this); }
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
