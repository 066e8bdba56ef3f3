#include "sim/network/circuit_network.h"

#include <fmt/format.h>

#include <algorithm>

namespace flitscope {

CircuitNetwork::CircuitNetwork(const sc_core::sc_module_name&, const Topology& topology,
                               const MachineConfig& machine, const sc_core::sc_time& clock_period)
    : period_(clock_period), switch_("switch", topology.nodes()) {
  nodes_.reserve(topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    nodes_.push_back(std::make_unique<CircuitNode>(fmt::format("node_{}", node).c_str(), node, machine));
    nodes_.back()->out.bind(switch_);
  }
  SC_METHOD(tick);
  sensitive << wake_;
}

CircuitNetwork::~CircuitNetwork() {
  // Last in, first out: SystemC finds what goes away at the ends of its lists.
  while (!nodes_.empty()) nodes_.pop_back();
}

bool CircuitNetwork::run(CircuitDriver& driver, Cycle limit) {
  driver_ = &driver;
  limit_ = limit;
  sc_core::sc_start(sc_core::sc_max_time(), sc_core::SC_EXIT_ON_STARVATION);
  if (failure_) std::rethrow_exception(failure_);
  return !limited_;
}

void CircuitNetwork::tick() {
  const Cycle next = std::min(switch_.next_arrival(), driver_->next_event());
  if (next <= limit_ && sc_core::sc_time_stamp().value() == period_.value() * next) {
    now_ = next;
    try {
      run_cycle();
    } catch (...) {  // SystemC would keep the text and lose the type
      failure_ = std::current_exception();
      return;
    }
  }
  const Cycle then = std::min(switch_.next_arrival(), driver_->next_event());
  if (then == kNever) return;
  if (then > limit_) {
    limited_ = true;
    return;
  }
  wake_.notify(sc_core::sc_time::from_value(period_.value() * then) - sc_core::sc_time_stamp());
}

void CircuitNetwork::run_cycle() {
  arrived_.clear();
  deliveries_.clear();
  switch_.deliver(now_, arrived_);
  for (const Transmission& transmission : arrived_) {
    deliveries_.push_back({transmission.id, transmission.begin, transmission.end, transmission.flits});
    for (CircuitObserver* const observer : observers_) observer->arrived(transmission);
  }
  if (!deliveries_.empty()) {
    last_delivery_ = now_;
    driver_->delivered(deliveries_, now_);
  }
  if (driver_->next_event() == now_) driver_->at(*this, now_);
}

void CircuitNetwork::tune(const Circuit& circuit) {
  const Cycle ready = nodes_[circuit.node]->tune(circuit.port, circuit.target, now_);
  for (CircuitObserver* const observer : observers_) observer->tuned(circuit, now_, ready);
}

void CircuitNetwork::send(std::uint64_t id, const Circuit& circuit, std::uint32_t flits) {
  const Transmission transmission = nodes_[circuit.node]->send(id, circuit.port, circuit.target, flits, now_);
  for (CircuitObserver* const observer : observers_) observer->sent(transmission);
}

}  // namespace flitscope
