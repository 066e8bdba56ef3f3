#include "routers/engine/router_memory.h"

#include <memory>
#include <stdexcept>

namespace flitscope {

RouterMemory::RouterMemory(const Topology& topology, const MachineConfig& machine, unsigned classes)
    : RouterNumbers(topology, machine, classes),
      stride_(bytes_before_header() + sizeof(RouterHeader) + input_vcs() * sizeof(VirtualChannel)) {
  if (Cycle{machine.longest_link().delay} + machine.credit_delay > kMaxSlotDelay) {
    throw std::logic_error("the delay of a link is too long");
  }
  lay_out(machine);
  time_links(topology, machine);
}

void RouterMemory::lay_out(const MachineConfig& machine) {
  const auto link_delay = static_cast<std::uint16_t>(machine.link_delay);
  const auto slot_delay = static_cast<std::uint16_t>(machine.link_delay + machine.credit_delay);
  blocks_.reset(static_cast<std::byte*>(::operator new[](nodes() * stride_, std::align_val_t{64})),
                FreeAligned());
  prefer_large_pages(blocks_.get(), nodes() * stride_);
  first_header_ = blocks_.get() + bytes_before_header();
  slots_ = zeroed<Slot>(std::size_t{nodes()} * input_vcs() * buffer());
  for (NodeId node = 0; node < nodes(); ++node) {
    const RouterRef router = at(node);
    (new (&router.state()) RouterHeader())->node = node;
    std::uninitialized_value_construct_n(&router.channel(0), input_vcs());
    std::uninitialized_value_construct_n(&router.port(ports() - 1), ports());
    for (unsigned vc = 0; vc < input_vcs(); ++vc) {
      router.input(vc).fifo = slots_.get() + (std::size_t{vc} * nodes() + node) * buffer();
      if (vc >= first_injection_vc()) continue;
      router.input(vc).slot_delay = slot_delay;
      router.output(vc).delay = link_delay;
    }
    for (unsigned number = link_ports(); number < ports(); ++number) {
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
  if (machine.longest_link().cycles_per_flit > 1U) {
    link_intervals_ = std::make_shared<LinkInterval[]>(std::size_t{nodes()} * link_ports());
  }
  if (machine.links.none() && !has_link_intervals()) return;
  for (NodeId node = 0; node < nodes(); ++node) {
    for (unsigned number = 0; number < link_ports(); ++number) {
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
