// A complete network made of SystemC modules.
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <systemc>
#include <vector>

#include "model/circuit_schedule.h"
#include "routers/circuits/circuit_node.h"
#include "routers/circuits/circuit_observer.h"
#include "routers/circuits/circuit_switch.h"
#include "routers/machine.h"
#include "sim/network/circuit_transport.h"

namespace flitscope {

/// Nodes named node_0, node_1, .. and the switch between them. One process wakes in the cycles in which
/// something starts or arrives, so time costs nothing while nothing changes.
class CircuitNetwork final : public sc_core::sc_module, private CircuitTransport {
 public:
  /// Requires a complete topology and machine.ports >= 1.
  CircuitNetwork(const sc_core::sc_module_name& name, const Topology& topology, const MachineConfig& machine,
                 const sc_core::sc_time& clock_period);
  ~CircuitNetwork() override;
  CircuitNetwork(const CircuitNetwork&) = delete;
  CircuitNetwork& operator=(const CircuitNetwork&) = delete;

  /// Before run(): a circuit that is there in cycle 0.
  void connect(const Circuit& circuit) { nodes_[circuit.node]->connect(circuit.port, circuit.target); }

  /// Before run(): who is told what happens, in the order of these calls. Must outlive the run.
  void observe(CircuitObserver& observer) { observers_.push_back(&observer); }

  /// Runs until nothing starts or arrives any more, or cycle `limit` is over; true if it came to its end.
  /// Rethrows what the driver throws, and ScheduleError for what a port or a receiver cannot do.
  [[nodiscard]] bool run(CircuitDriver& driver, Cycle limit);

  [[nodiscard]] const CircuitNode& node(NodeId node) const { return *nodes_[node]; }
  /// The last cycle in which something started or arrived.
  [[nodiscard]] Cycle last_cycle() const { return now_; }
  [[nodiscard]] Cycle last_delivery() const { return last_delivery_; }
  [[nodiscard]] std::size_t in_flight() const { return switch_.in_flight(); }

 private:
  SC_HAS_PROCESS(CircuitNetwork);

  void tick();
  void run_cycle();
  void tune(const Circuit& circuit) override;
  void send(std::uint64_t id, const Circuit& circuit, std::uint32_t flits) override;

  sc_core::sc_time period_;
  CircuitSwitch switch_;
  std::vector<std::unique_ptr<CircuitNode>> nodes_;
  sc_core::sc_event wake_{"wake"};
  CircuitDriver* driver_ = nullptr;
  Cycle limit_ = kNever;
  Cycle now_ = 0;
  Cycle last_delivery_ = 0;
  bool limited_ = false;
  std::exception_ptr failure_;
  std::vector<CircuitObserver*> observers_;
  std::vector<Transmission> arrived_;
  std::vector<CircuitDelivery> deliveries_;
};

}  // namespace flitscope
