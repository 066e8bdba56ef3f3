#include <algorithm>

#include "routers/circuits/circuit_network.h"
#include "routers/modules/report.h"

namespace flitscope {

CircuitNetwork::CircuitNetwork(const sc_core::sc_module_name&, const Topology& topology,
                               const MachineConfig& machine, const ClockTiming& timing)
    : period_(timing.period), origin_(timing.first.value()) {
  nodes_.reserve(topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node) nodes_.emplace_back(node, machine);
  SC_METHOD(tick);
  sensitive << wake_;
  dont_initialize();
}

void CircuitNetwork::begin_at_next_edge() {
  const std::uint64_t time = sc_core::sc_time_stamp().value();
  const std::uint64_t period = period_.value();
  if (time > origin_) origin_ += (time - origin_ + period - 1) / period * period;
}

void CircuitNetwork::drive(CircuitDriver& driver, Cycle limit) {
  if (driver_ == nullptr) begin_at_next_edge();
  driver_ = &driver;
  limit_ = limit;
  wake_at(now_);
}

bool CircuitNetwork::run(CircuitDriver& driver, Cycle limit) {
  owns_simulation_ = true;
  drive(driver, limit);
  sc_core::sc_start(sc_core::sc_max_time(), sc_core::SC_EXIT_ON_STARVATION);
  owns_simulation_ = false;
  if (failure_) std::rethrow_exception(failure_);
  return !limited_;
}

void CircuitNetwork::reset() {
  begin_at_next_edge();
  wake_.cancel();
  quiet_.cancel();
  transmissions_ = {};
  for (CircuitNode& node : nodes_) node.reset();
  driver_ = nullptr;
  limit_ = kNever;
  now_ = 0;
  last_delivery_ = 0;
  limited_ = false;
  failure_ = nullptr;
  observers_.clear();
}

void CircuitNetwork::wake_at(Cycle cycle) {
  wake_.notify(sc_core::sc_time::from_value(time_of(cycle)) - sc_core::sc_time_stamp());
}

/// A clock of the model never ends, so run() pauses the simulation that it started.
void CircuitNetwork::end() {
  quiet_.notify(sc_core::SC_ZERO_TIME);
  if (owns_simulation_) sc_core::sc_pause();
}

Cycle CircuitNetwork::next_cycle() const {
  return std::min(transmissions_.empty() ? kNever : transmissions_.top().end, driver_->next_event());
}

void CircuitNetwork::tick() {
  const Cycle next = next_cycle();
  if (next <= limit_ && sc_core::sc_time_stamp().value() == time_of(next)) {
    now_ = next;
    try {
      run_cycle();
    } catch (const std::exception& error) {
      failure_ = std::current_exception();  // run() throws it again: SystemC would keep the text alone
      end();
      if (!owns_simulation_) SC_REPORT_ERROR(kDriverReport, error.what());
      return;
    }
  }
  const Cycle then = next_cycle();
  limited_ = then != kNever && then > limit_;
  if (then == kNever || limited_) return end();
  wake_at(then);
}

void CircuitNetwork::run_cycle() {
  arrived_.clear();
  while (!transmissions_.empty() && transmissions_.top().end == now_) {
    const Transmission& transmission = arrived_.emplace_back(transmissions_.top());
    transmissions_.pop();
    nodes_[transmission.destination].end_reception(transmission);
  }
  for (const Transmission& transmission : arrived_) {
    for (CircuitObserver* const observer : observers_) observer->arrived(transmission);
  }
  if (!arrived_.empty()) {
    last_delivery_ = now_;
    driver_->delivered(arrived_, now_);
  }
  if (driver_->next_event() == now_) driver_->at(*this, now_);
}

void CircuitNetwork::tune(const Circuit& circuit) {
  const Cycle ready = nodes_[circuit.node].tune(circuit.port, circuit.target, now_);
  for (CircuitObserver* const observer : observers_) observer->tuned(circuit, now_, ready);
}

void CircuitNetwork::send(std::uint64_t id, const Circuit& circuit, std::uint32_t flits) {
  const Transmission transmission = nodes_[circuit.node].send(id, circuit.port, circuit.target, flits, now_);
  nodes_[circuit.target].begin_reception(transmission);
  transmissions_.push(transmission);
  for (CircuitObserver* const observer : observers_) observer->sent(transmission);
}

}  // namespace flitscope
