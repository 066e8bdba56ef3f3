#include "routers/optical/optical_port.h"

#include <algorithm>

namespace flitscope {

const char* name_of(OpticalPortState state) {
  switch (state) {
    case OpticalPortState::dark:
      return "dark";
    case OpticalPortState::tuning:
      return "tuning";
    case OpticalPortState::connected:
      return "connected";
    case OpticalPortState::sending:
      return "sending";
  }
  return "?";
}

std::array<Cycle, kOpticalPortStates> OpticalPort::cycles_by_state(Cycle cycles) const {
  auto sum = cycles_;
  const Cycle change = state_ == OpticalPortState::dark ? cycles : std::clamp(busy_until_, since_, cycles);
  sum[static_cast<unsigned>(state_)] += change - since_;
  sum[static_cast<unsigned>(OpticalPortState::connected)] += cycles - change;
  return sum;
}

void OpticalPort::enter(OpticalPortState state, Cycle now, Cycle until) {
  cycles_ = cycles_by_state(now);
  state_ = state;
  since_ = now;
  busy_until_ = until;
}

void OpticalPort::connect(NodeId target) {
  target_ = target;
  enter(OpticalPortState::connected, 0, 0);
}

void OpticalPort::tune(NodeId target, Cycle now, Cycle ready) {
  enter(OpticalPortState::tuning, now, ready);
  target_ = target;
  ++tunings_;
}

void OpticalPort::send(std::uint32_t flits, Cycle now, Cycle end) {
  enter(OpticalPortState::sending, now, end);
  ++messages_;
  flits_ += flits;
}

}  // namespace flitscope
