#include "routers/engine/router_numbers.h"

#include <algorithm>

#include "model/bits.h"
#include "routers/engine/router_state.h"

namespace flitscope {

std::unique_ptr<RoutingFunction> routing_of(const Topology& topology, const MachineConfig& machine) {
  auto routing = RoutingRegistry::find(machine.routing)->make(topology);
  routing->build_tables();
  return routing;
}

RouterNumbers::RouterNumbers(const Topology& topology, const MachineConfig& machine, unsigned classes)
    : nodes_(topology.routers()),
      link_ports_(topology.link_ports()),
      channels_(node_channels(topology, machine)),
      vcs_(machine.virtual_channels),
      node_vcs_(machine.node_vcs),
      first_injection_vc_(link_ports_ * vcs_),
      input_vcs_(first_injection_vc_ + channels_ * node_vcs_),
      buffer_(machine.buffer),
      allocation_(machine.vc_allocation),
      bubble_(machine.flow == FlowControl::bubble),
      classes_(classes) {
  number_ports(machine);
}

void RouterNumbers::number_ports(const MachineConfig& machine) {
  const auto narrow = [](unsigned number) { return static_cast<std::uint8_t>(number); };
  const bool all_port = !machine.ports;
  const std::vector<std::uint64_t> masks = class_masks(classes_, vcs_);
  for (unsigned number = 0; number < ports(); ++number) {
    const bool link = number < link_ports_;
    const unsigned first = first_vc(number);
    const unsigned end = first + vcs_of_port(number);
    for (unsigned vc = first; vc < end; ++vc) {
      const unsigned next = vc + 1 == input_vcs_ ? 0 : vc + 1;
      const unsigned next_of_port = vc + 1 == end ? first : vc + 1;
      const unsigned next_ejection = next == 0 ? first_injection_vc_ : next;
      VcInfo& place = vc_infos_[vc];
      place.bit = bit(vc);
      place.of_port = (bit(end - first) - 1) << first;
      place.port = narrow(number);
      place.port_offset = -static_cast<std::int32_t>((number + 1) * sizeof(Port));
      place.arrival.port = narrow(number);
      if (link) {
        const auto shares = [&](std::uint64_t mask) { return (mask & bit(vc - first)) != 0; };
        place.arrival.channel_class =
            narrow(static_cast<unsigned>(std::ranges::find_if(masks, shares) - masks.begin()));
      }
      place.next_input = narrow(end == input_vcs_ ? 0 : end);
      place.claim = narrow(link || all_port ? number : link_ports_);
      place.next = narrow(next);
      place.next_of_port = narrow(next_of_port);
      place.next_of_group = narrow(link ? next_of_port : next_ejection);
    }
    if (!link) continue;
    for (const std::uint64_t vcs : masks) choices_.push_back(vcs << first);
  }
  first_ejection_choice_ = static_cast<unsigned>(choices_.size());
  std::uint64_t all_channels = 0;
  for (unsigned number = link_ports_; number < ports(); ++number) {
    all_channels |= vc_infos_[first_vc(number)].of_port;
  }
  for (unsigned vc = 0; vc < input_vcs_; ++vc) {
    // An all-port node ejects flits of link port p by ejection channel p.
    const unsigned channel = vc_infos_[vc].port % link_ports_;
    choices_.push_back(all_port ? vc_infos_[first_vc(link_ports_ + channel)].of_port : all_channels);
  }
}

}  // namespace flitscope
