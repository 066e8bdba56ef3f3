#include "routers/circuits/circuit_node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace flitscope {

std::string circuit_message_text(MessageName name, NodeId source, NodeId destination) {
  return fmt::format("step {}, message {} (node {} to node {})", name.step, name.place, source, destination);
}

std::array<Cycle, kCircuitPortStates> CircuitPort::cycles_by_state(Cycle cycles) const {
  auto sum = cycles_;
  const Cycle change = state_ == CircuitPortState::dark ? cycles : std::clamp(busy_until_, since_, cycles);
  sum[static_cast<unsigned>(state_)] += change - since_;
  sum[static_cast<unsigned>(CircuitPortState::connected)] += cycles - change;
  return sum;
}

void CircuitPort::enter(CircuitPortState state, Cycle now, Cycle until) {
  cycles_ = cycles_by_state(now);
  state_ = state;
  since_ = now;
  busy_until_ = until;
}

void CircuitPort::connect(NodeId target) {
  target_ = target;
  enter(CircuitPortState::connected, 0, 0);
}

void CircuitPort::tune(NodeId target, Cycle now, Cycle ready) {
  enter(CircuitPortState::tuning, now, ready);
  target_ = target;
  ++tunings_;
}

void CircuitPort::send(std::uint32_t flits, Cycle now, Cycle end) {
  enter(CircuitPortState::sending, now, end);
  ++messages_;
  flits_ += flits;
}

namespace {

std::string message_text(const Transmission& transmission) {
  return circuit_message_text(message_name(transmission.id), transmission.source, transmission.destination);
}

/// The state of a port as text, for "port 0 of node 3 ...".
std::string doing(const CircuitPort& port, Cycle now) {
  switch (port.state(now)) {
    case CircuitPortState::dark:
      return "was never tuned";
    case CircuitPortState::tuning:
      return fmt::format("is being tuned to node {} until cycle {}", port.target(), port.busy_until());
    case CircuitPortState::sending:
      return fmt::format("sends until cycle {}", port.busy_until());
    case CircuitPortState::connected:
      break;
  }
  return fmt::format("leads to node {}", port.target());
}

}  // namespace

CircuitNode::CircuitNode(NodeId node, const MachineConfig& machine)
    : node_(node),
      reconfiguration_(machine.reconfiguration),
      startup_(machine.startup),
      ports_(machine.ports.value()) {}

void CircuitNode::reset() {
  ports_.assign(ports_.size(), CircuitPort());
  arriving_.clear();
  receiving_since_ = 0;
  messages_received_ = 0;
  flits_received_ = 0;
  receiving_cycles_ = 0;
  max_arrivals_ = 0;
}

Cycle CircuitNode::tune(std::uint32_t port, NodeId target, Cycle now) {
  CircuitPort& tuned = ports_[port];
  if (now < tuned.busy_until()) {
    throw ScheduleError("cycle {}: port {} of node {} cannot be tuned to node {}: it {}", now, port, node_,
                        target, doing(tuned, now));
  }
  tuned.tune(target, now, now + reconfiguration_);
  return tuned.busy_until();
}

Transmission CircuitNode::send(std::uint64_t id, std::uint32_t port, NodeId destination, std::uint32_t flits,
                               Cycle now) {
  CircuitPort& sender = ports_[port];
  const Transmission transmission{id, node_, port, destination, flits, now, now + startup_ + flits};
  if (sender.state(now) != CircuitPortState::connected || sender.target() != destination) {
    throw IllegalMessage(message_name(id), fmt::format("cycle {}: {} cannot be sent: port {} {}", now,
                                                       message_text(transmission), port, doing(sender, now)));
  }
  sender.send(flits, now, transmission.end);
  return transmission;
}

void CircuitNode::begin_reception(const Transmission& transmission) {
  if (arriving_.size() == ports_.size()) refuse_arrival(transmission);
  if (arriving_.empty()) receiving_since_ = transmission.begin;
  arriving_.push_back(transmission);
  max_arrivals_ = std::max(max_arrivals_, static_cast<std::uint32_t>(arriving_.size()));
}

void CircuitNode::end_reception(const Transmission& transmission) {
  std::erase_if(arriving_, [&](const Transmission& each) { return each.id == transmission.id; });
  ++messages_received_;
  flits_received_ += transmission.flits;
  if (arriving_.empty()) receiving_cycles_ += transmission.end - receiving_since_;
}

void CircuitNode::refuse_arrival(const Transmission& transmission) const {
  std::vector<std::string> others;
  for (const Transmission& each : arriving_) others.push_back(message_text(each));
  throw IllegalMessage(message_name(transmission.id),
                       fmt::format("cycle {}: {} cannot arrive: node {} has {} and receives already {}",
                                   transmission.begin, message_text(transmission), node_,
                                   counted(ports_.size(), "port"), fmt::join(others, ", ")));
}

}  // namespace flitscope
