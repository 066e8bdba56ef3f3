#include "routers/optical/optical_switch.h"

namespace flitscope {

OpticalSwitch::OpticalSwitch(const sc_core::sc_module_name&, NodeId nodes) : receivers_(nodes) {}

void OpticalSwitch::transmit(const Beam& beam) {
  receivers_[beam.destination]->begin_reception(beam);
  beams_.push(beam);
}

void OpticalSwitch::deliver(Cycle now, std::vector<Beam>& arrived) {
  while (!beams_.empty() && beams_.top().end == now) {
    arrived.push_back(beams_.top());
    beams_.pop();
    receivers_[arrived.back().destination]->end_reception(arrived.back());
  }
}

}  // namespace flitscope
