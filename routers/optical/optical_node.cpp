#include "routers/optical/optical_node.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "model/error.h"
#include "model/schedule.h"

namespace flitscope {

namespace {

std::string message_text(const Beam& beam) {
  const MessageName name = message_name(beam.id);
  return fmt::format("step {}, message {} (node {} to node {})", name.step, name.place, beam.source,
                     beam.destination);
}

/// What a port is doing, for "port 0 of node 3 ...".
std::string doing(const OpticalPort& port, Cycle now) {
  switch (port.state(now)) {
    case OpticalPortState::dark:
      return "was never tuned";
    case OpticalPortState::tuning:
      return fmt::format("is being tuned to node {} until cycle {}", port.target(), port.busy_until());
    case OpticalPortState::sending:
      return fmt::format("sends until cycle {}", port.busy_until());
    case OpticalPortState::connected:
      break;
  }
  return fmt::format("leads to node {}", port.target());
}

}  // namespace

OpticalNode::OpticalNode(const sc_core::sc_module_name&, NodeId node, const MachineConfig& machine)
    : node_(node),
      reconfiguration_(machine.reconfiguration),
      startup_(machine.startup),
      ports_(machine.ports) {}

Cycle OpticalNode::tune(std::uint32_t port, NodeId target, Cycle now) {
  OpticalPort& tuned = ports_[port];
  if (now < tuned.busy_until()) {
    throw ScheduleError(fmt::format("cycle {}: port {} of node {} cannot be tuned to node {}: it {}", now,
                                    port, node_, target, doing(tuned, now)));
  }
  tuned.tune(target, now, now + reconfiguration_);
  return tuned.busy_until();
}

Beam OpticalNode::send(std::uint64_t id, std::uint32_t port, NodeId destination, std::uint32_t flits,
                       Cycle now) {
  OpticalPort& sender = ports_[port];
  const Beam beam{id, node_, port, destination, flits, now, now + startup_ + flits};
  if (sender.state(now) != OpticalPortState::connected || sender.target() != destination) {
    throw ScheduleError(fmt::format("cycle {}: {} cannot be sent: port {} {}", now, message_text(beam), port,
                                    doing(sender, now)));
  }
  sender.send(flits, now, beam.end);
  out->transmit(beam);
  return beam;
}

void OpticalNode::begin_reception(const Beam& beam) {
  if (arriving_.size() == ports_.size()) refuse_arrival(beam);
  if (arriving_.empty()) receiving_since_ = beam.begin;
  arriving_.push_back(beam);
  most_arrivals_ = std::max(most_arrivals_, static_cast<std::uint32_t>(arriving_.size()));
}

void OpticalNode::end_reception(const Beam& beam) {
  std::erase_if(arriving_, [&](const Beam& each) { return each.id == beam.id; });
  ++messages_received_;
  flits_received_ += beam.flits;
  if (arriving_.empty()) receiving_cycles_ += beam.end - receiving_since_;
}

void OpticalNode::refuse_arrival(const Beam& beam) const {
  std::vector<std::string> others;
  for (const Beam& each : arriving_) others.push_back(message_text(each));
  throw ScheduleError(fmt::format("cycle {}: {} cannot arrive: node {} has {} port{} and receives already {}",
                                  beam.begin, message_text(beam), node_, ports_.size(),
                                  ports_.size() == 1 ? "" : "s", fmt::join(others, ", ")));
}

}  // namespace flitscope
