#include "routers/engine/router_memory.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace flitscope {

RouterMemory::RouterMemory(const Topology& topology, const MachineConfig& machine, unsigned classes)
    : nodes_(topology.routers()),
      link_ports_(topology.link_ports()),
      channels_(node_channels(topology, machine)),
      vcs_(machine.virtual_channels),
      node_vcs_(machine.node_vcs),
      first_injection_vc_(link_ports_ * vcs_),
      input_vcs_(first_injection_vc_ + channels_ * node_vcs_),
      buffer_(machine.buffer),
      atomic_(machine.vc_allocation == VcAllocation::atomic),
      bubble_(machine.flow == FlowControl::bubble),
      classes_(classes),
      stride_(bytes_before_header() + sizeof(RouterHeader) + input_vcs_ * sizeof(VirtualChannel)) {
  if (Cycle{machine.longest_link().delay} + machine.credit_delay > kMaxSlotDelay) {
    throw std::logic_error("the delay of a link is too long");
  }
  number_ports(machine);
  lay_out(machine);
  time_links(topology, machine);
}

void RouterMemory::number_ports(const MachineConfig& machine) {
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

void RouterMemory::lay_out(const MachineConfig& machine) {
  const auto link_delay = static_cast<std::uint16_t>(machine.link_delay);
  const auto slot_delay = static_cast<std::uint16_t>(machine.link_delay + machine.credit_delay);
  blocks_.reset(static_cast<std::byte*>(::operator new[](nodes_* stride_, std::align_val_t{64})),
                FreeAligned());
  prefer_large_pages(blocks_.get(), nodes_ * stride_);
  first_header_ = blocks_.get() + bytes_before_header();
  slots_ = zeroed<Slot>(std::size_t{nodes_} * input_vcs_ * buffer_);
  for (NodeId node = 0; node < nodes_; ++node) {
    const RouterRef router = at(node);
    (new (&router.state()) RouterHeader())->node = node;
    std::uninitialized_value_construct_n(&router.channel(0), input_vcs_);
    std::uninitialized_value_construct_n(&router.port(ports() - 1), ports());
    for (unsigned vc = 0; vc < input_vcs_; ++vc) {
      router.input(vc).fifo = slots_.get() + (std::size_t{vc} * nodes_ + node) * buffer_;
      if (vc >= first_injection_vc_) continue;
      router.input(vc).slot_delay = slot_delay;
      router.output(vc).delay = link_delay;
    }
    for (unsigned number = link_ports_; number < ports(); ++number) {
      for_each_bit(vc_info(first_vc(number)).of_port, [&](unsigned vc) {
        router.output(vc).fifo = &router.port(number).rate;
        router.output(vc).length = 1;
      });
    }
  }
}

PortCounts RouterMemory::counts(NodeId node, unsigned number) const {
  const Port& port = this->port(node, number);
  PortCounts counts{0, port.messages, port.stalled};
  for_each_bit(vc_info(first_vc(number)).of_port,
               [&](unsigned vc) { counts.flits += output(node, vc).flits; });
  return counts;
}

/// Sets delays at both ends of links with their own, and intervals where any link is slow.
void RouterMemory::time_links(const Topology& topology, const MachineConfig& machine) {
  if (machine.longest_link().cycles_per_flit > 1) {
    link_intervals_ = std::make_shared<LinkInterval[]>(std::size_t{nodes_} * link_ports_);
  }
  if (machine.links.none() && !has_link_intervals()) return;
  for (NodeId node = 0; node < nodes_; ++node) {
    for (unsigned number = 0; number < link_ports_; ++number) {
      const auto receiver = topology.neighbour(node, number);
      if (!receiver) continue;
      const LinkTime link = machine.link(topology, topology.channel(node, number));
      if (has_link_intervals()) link_interval(node, number).cycles = link.cycles_per_flit;
      const auto delay = static_cast<std::uint16_t>(link.delay);
      for_each_bit(vc_info(first_vc(number)).of_port, [&](unsigned vc) {
        at(node).output(vc).delay = delay;
        at(*receiver).input(vc).slot_delay = static_cast<std::uint16_t>(link.delay + machine.credit_delay);
      });
    }
  }
}

}  // namespace flitscope
