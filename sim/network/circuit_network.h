// A complete network made of SystemC modules.
#pragma once

#include <exception>
#include <memory>
#include <span>
#include <systemc>
#include <vector>

#include "model/circuit_schedule.h"
#include "model/machine.h"
#include "routers/circuits/circuit_node.h"
#include "routers/circuits/circuit_observer.h"
#include "routers/circuits/circuit_switch.h"
#include "sim/network/circuit_transport.h"
#include "sim/network/clock_timing.h"

namespace flitscope {

/// Nodes named node_0, node_1, .. and the switch between them. One process wakes in the cycles in which
/// something starts or arrives, so time costs nothing while nothing changes. The clock is one of its own, or
/// that of the model around it.
class CircuitNetwork final : public sc_core::sc_module, private CircuitTransport {
 public:
  /// Requires a complete topology and machine.ports >= 1.
  CircuitNetwork(const sc_core::sc_module_name& name, const Topology& topology, const MachineConfig& machine,
                 const ClockTiming& timing);
  ~CircuitNetwork() override;
  CircuitNetwork(const CircuitNetwork&) = delete;
  CircuitNetwork& operator=(const CircuitNetwork&) = delete;

  /// Before the first cycle: a circuit that is there in cycle 0.
  void connect(const Circuit& circuit) { nodes_[circuit.node]->connect(circuit.port, circuit.target); }

  /// Before the first cycle: who is told what happens, in the order of these calls. Must outlive the run.
  void observe(CircuitObserver& observer) { observers_.push_back(&observer); }

  /// Starts the simulation and runs until nothing starts or arrives any more, or cycle `limit` is over; true
  /// if it came to its end. Rethrows what the driver throws, and ScheduleError for what a port or a receiver
  /// cannot do.
  [[nodiscard]] bool run(CircuitDriver& driver, Cycle limit);

  /// Whose schedule is followed, and until when; if that is late, cycle 0 begins with the next edge of the
  /// clock. Whoever owns the simulation starts it. What the driver
  /// throws, and what a port or a receiver cannot do, is reported as an error of type kDriverReport.
  void drive(CircuitDriver& driver, Cycle limit = kNever);
  /// Notified when nothing starts or arrives any more, or cycle `limit` is over.
  [[nodiscard]] const sc_core::sc_event& quiet() const { return quiet_; }
  /// As it was before the first cycle, which begins with the next edge of the clock; without circuits, driver
  /// and observers.
  void reset();

  [[nodiscard]] const CircuitNode& node(NodeId node) const { return *nodes_[node]; }
  /// The last cycle in which something started or arrived.
  [[nodiscard]] Cycle last_cycle() const { return now_; }
  [[nodiscard]] Cycle last_delivery() const { return last_delivery_; }
  [[nodiscard]] std::size_t in_flight() const { return switch_.in_flight(); }

 private:
  SC_HAS_PROCESS(CircuitNetwork);

  [[nodiscard]] std::uint64_t time_of(Cycle cycle) const { return origin_ + period_.value() * cycle; }
  void begin_at_next_edge();
  void wake_at(Cycle cycle);
  void tick();
  void run_cycle();
  void end();
  void tune(const Circuit& circuit) override;
  void send(std::uint64_t id, const Circuit& circuit, std::uint32_t flits) override;

  sc_core::sc_time period_;
  std::uint64_t origin_;  ///< when cycle 0 begins, as a value of time
  CircuitSwitch switch_;
  std::vector<std::unique_ptr<CircuitNode>> nodes_;
  sc_core::sc_event wake_{"wake"};
  sc_core::sc_event quiet_{"quiet"};
  CircuitDriver* driver_ = nullptr;
  Cycle limit_ = kNever;
  Cycle now_ = 0;
  Cycle last_delivery_ = 0;
  bool limited_ = false;
  bool owns_simulation_ = false;  ///< run() started it
  std::exception_ptr failure_;
  std::vector<CircuitObserver*> observers_;
  std::vector<Transmission> arrived_;
  std::vector<CircuitDelivery> deliveries_;
};

}  // namespace flitscope
