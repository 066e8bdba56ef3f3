// A complete network made of SystemC modules, its driver and its observers.
#pragma once

#include <cstdint>
#include <exception>
#include <queue>
#include <span>
#include <systemc>
#include <vector>

#include "model/circuit_schedule.h"
#include "model/machine.h"
#include "model/types.h"
#include "routers/circuits/circuit_node.h"
#include "routers/modules/clock_timing.h"

namespace flitscope {

/// A network that tunes ports and takes messages, in the present cycle. Call it only from within at().
class CircuitTransport {
 public:
  virtual ~CircuitTransport() = default;
  /// Throws ScheduleError if the port is not free.
  virtual void tune(const Circuit& circuit) = 0;
  /// Throws ScheduleError if the circuit is not there, the port is not free, or the target cannot receive.
  /// Messages in flight have different ids.
  virtual void send(std::uint64_t id, const Circuit& circuit, std::uint32_t flits) = 0;
};

/// The driver of a complete network.
class CircuitDriver {
 public:
  virtual ~CircuitDriver() = default;
  /// Takes all messages that arrived in cycle `now`, sorted by id; called before at(now).
  virtual void delivered(std::span<const Transmission> messages, Cycle now) = 0;
  /// The next cycle with an event; kNever after the last.
  [[nodiscard]] virtual Cycle next_event() const = 0;
  /// Performs the events of cycle `now` == next_event().
  virtual void at(CircuitTransport& network, Cycle now) = 0;
};

/// Observer of a complete network. Calls are made in the cycle of the event: times never fall, and within a
/// cycle arrivals precede tunings, and tunings precede sends. The defaults do nothing.
class CircuitObserver {
 public:
  virtual ~CircuitObserver() = default;
  /// A port is tuned during the cycles `begin` .. `ready`-1, and then holds the circuit.
  virtual void tuned(const Circuit& /*circuit*/, Cycle /*begin*/, Cycle /*ready*/) {}
  /// A message begins.
  virtual void sent(const Transmission& /*transmission*/) {}
  /// A message has ended, in cycle `transmission.end`.
  virtual void arrived(const Transmission& /*transmission*/) {}
};

/// Nodes, and the free space between them: a transmission reaches its target and disturbs no other. One
/// process wakes in the cycles with an event or an arrival, so idle cycles cost nothing. The clock is its
/// own, or that of the model around it.
class CircuitNetwork final : public sc_core::sc_module, private CircuitTransport {
 public:
  /// Requires a complete topology and machine.ports >= 1.
  CircuitNetwork(const sc_core::sc_module_name& name, const Topology& topology, const MachineConfig& machine,
                 const ClockTiming& timing);

  /// Sets a circuit that exists in cycle 0; called before the first cycle.
  void connect(const Circuit& circuit) { nodes_[circuit.node].connect(circuit.port, circuit.target); }

  /// Adds an observer before the first cycle; observers are called in the order of these calls and must
  /// outlive the run.
  void observe(CircuitObserver& observer) { observers_.push_back(&observer); }

  /// Starts the simulation and runs to the last arrival or to the end of cycle `limit`; true without a limit
  /// reached. Rethrows exceptions of the driver; throws ScheduleError for an impossible action of a port or a
  /// receiver.
  [[nodiscard]] bool run(CircuitDriver& driver, Cycle limit);

  /// Sets the driver and the last cycle; after the start of the simulation cycle 0 begins with the next edge
  /// of the clock. The embedding model starts the simulation. Exceptions of the driver and impossible actions
  /// are reported with type kDriverReport.
  void drive(CircuitDriver& driver, Cycle limit = kNever);
  /// Notified after the last arrival, or after cycle `limit`.
  [[nodiscard]] const sc_core::sc_event& quiet() const { return quiet_; }
  /// Restores the state before the first cycle, which begins with the next edge of the clock; without
  /// circuits, driver and observers.
  void reset();

  [[nodiscard]] const CircuitNode& node(NodeId node) const { return nodes_[node]; }
  /// The last cycle with an event or an arrival.
  [[nodiscard]] Cycle last_cycle() const { return now_; }
  [[nodiscard]] Cycle last_delivery() const { return last_delivery_; }
  [[nodiscard]] std::size_t in_flight() const { return transmissions_.size(); }

 private:
  SC_HAS_PROCESS(CircuitNetwork);

  /// By the cycle of their end, then by id.
  struct Later {
    bool operator()(const Transmission& a, const Transmission& b) const {
      return a.end != b.end ? a.end > b.end : a.id > b.id;
    }
  };

  [[nodiscard]] std::uint64_t time_of(Cycle cycle) const { return origin_ + period_.value() * cycle; }
  void begin_at_next_edge();
  void wake_at(Cycle cycle);
  /// The next cycle with an event or an arrival; kNever after the last.
  [[nodiscard]] Cycle next_cycle() const;
  void tick();
  void run_cycle();
  void end();
  void tune(const Circuit& circuit) override;
  void send(std::uint64_t id, const Circuit& circuit, std::uint32_t flits) override;

  sc_core::sc_time period_;
  std::uint64_t origin_;  ///< beginning of cycle 0, as a value of time
  std::vector<CircuitNode> nodes_;
  std::priority_queue<Transmission, std::vector<Transmission>, Later> transmissions_;
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
};

}  // namespace flitscope
