// A complete network made of SystemC modules.
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <systemc>
#include <vector>

#include "model/event_schedule.h"
#include "routers/machine.h"
#include "routers/optical/circuit_observer.h"
#include "routers/optical/optical_node.h"
#include "routers/optical/optical_switch.h"
#include "sim/driver/optical_transport.h"

namespace flitscope {

/// Nodes named node_0, node_1, .. and the switch between them. One process wakes in the cycles in which
/// something starts or arrives, so time costs nothing while nothing changes.
class OpticalNetwork final : public sc_core::sc_module, private OpticalTransport {
 public:
  /// Requires a complete topology and machine.ports >= 1.
  OpticalNetwork(const sc_core::sc_module_name& name, const Topology& topology, const MachineConfig& machine,
                 const sc_core::sc_time& clock_period);
  ~OpticalNetwork() override;
  OpticalNetwork(const OpticalNetwork&) = delete;
  OpticalNetwork& operator=(const OpticalNetwork&) = delete;

  /// Before run(): a circuit that is there in cycle 0.
  void connect(const Circuit& circuit) { nodes_[circuit.node]->connect(circuit.port, circuit.target); }

  /// Before run(): who is told what happens, in the order of these calls. Must outlive the run.
  void observe(CircuitObserver& observer) { observers_.push_back(&observer); }

  /// Runs until nothing starts or arrives any more, or cycle `limit` is over; true if it came to its end.
  /// Rethrows what the driver throws, and ScheduleError for what a port or a receiver cannot do.
  [[nodiscard]] bool run(OpticalDriver& driver, Cycle limit);

  [[nodiscard]] const OpticalNode& node(NodeId node) const { return *nodes_[node]; }
  /// The last cycle in which something started or arrived.
  [[nodiscard]] Cycle last_cycle() const { return now_; }
  [[nodiscard]] Cycle last_delivery() const { return last_delivery_; }
  [[nodiscard]] std::size_t in_flight() const { return switch_.in_flight(); }

 private:
  SC_HAS_PROCESS(OpticalNetwork);

  void tick();
  void run_cycle();
  void tune(const Circuit& circuit) override;
  void send(std::uint64_t id, const Circuit& circuit, std::uint32_t flits) override;

  sc_core::sc_time period_;
  OpticalSwitch switch_;
  std::vector<std::unique_ptr<OpticalNode>> nodes_;
  sc_core::sc_event wake_{"wake"};
  OpticalDriver* driver_ = nullptr;
  Cycle limit_ = kNever;
  Cycle now_ = 0;
  Cycle last_delivery_ = 0;
  bool limited_ = false;
  std::exception_ptr failure_;
  std::vector<CircuitObserver*> observers_;
  std::vector<Beam> arrived_;
  std::vector<OpticalDelivery> deliveries_;
};

}  // namespace flitscope
