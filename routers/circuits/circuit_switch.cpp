#include "routers/circuits/circuit_switch.h"

namespace flitscope {

CircuitSwitch::CircuitSwitch(const sc_core::sc_module_name&, NodeId nodes) : receivers_(nodes) {}

void CircuitSwitch::transmit(const Transmission& transmission) {
  receivers_[transmission.destination]->begin_reception(transmission);
  transmissions_.push(transmission);
}

void CircuitSwitch::deliver(Cycle now, std::vector<Transmission>& arrived) {
  while (!transmissions_.empty() && transmissions_.top().end == now) {
    arrived.push_back(transmissions_.top());
    transmissions_.pop();
    receivers_[arrived.back().destination]->end_reception(arrived.back());
  }
}

}  // namespace flitscope
