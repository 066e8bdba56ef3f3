#include "routers/circuits/circuit_port.h"

#include <algorithm>

namespace flitscope {

const char* name_of(CircuitPortState state) {
  switch (state) {
    case CircuitPortState::dark:
      return "dark";
    case CircuitPortState::tuning:
      return "tuning";
    case CircuitPortState::connected:
      return "connected";
    case CircuitPortState::sending:
      return "sending";
  }
  return "?";
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

}  // namespace flitscope
