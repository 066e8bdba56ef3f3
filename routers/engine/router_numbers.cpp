#include "routers/engine/router_numbers.h"

#include <algorithm>
#include <bit>

#include "model/bits.h"

namespace flitscope {

GroupShape shape_of(const Topology& topology, const MachineConfig& machine) {
  return {.link_ports = topology.link_ports(),
          .virtual_channels = machine.virtual_channels,
          .channels = node_channels(topology, machine),
          .node_vcs = machine.channel_vcs(),
          .queues = machine.queues_of_node(),
          .message_classes = machine.message_classes(),
          .networks = topology.networks(),
          .priorities = machine.has_priorities(),
          .ejection_buffers = machine.ejection_buffer.has_value(),
          .banks = machine.banks};
}

std::unique_ptr<RoutingFunction> routing_of(const Topology& topology, const MachineConfig& machine,
                                            unsigned network) {
  auto routing = RoutingRegistry::find(machine.routing)->make(topology.network(network));
  routing->build_tables();
  return routing;
}

RouterNumbers::RouterNumbers(const Topology& topology, const MachineConfig& machine)
    : nodes_(topology.routers()),
      shape_(shape_of(topology, machine)),
      ports_of_network_(topology.ports_of_network()),
      buffer_(machine.buffer),
      link_buffer_(machine.link_buffer()),
      allocation_(machine.vc_allocation),
      bubble_(machine.flow == FlowControl::bubble),
      classes_of_network_(classes_of_networks(topology, *RoutingRegistry::find(machine.routing))),
      classes_(*std::ranges::max_element(classes_of_network_)),
      first_ejection_choice_(link_ports() * classes_),
      choices_of_class_(first_ejection_choice_ + input_vcs()),
      words_((input_vcs() + 63) / 64) {
  number_ports();
  for (unsigned each = 0; each < machine.message_classes(); ++each)
    add_message_class(topology, machine, each);
}

void RouterNumbers::number_ports() {
  const auto narrow = [](unsigned number) { return static_cast<std::uint8_t>(number); };
  for (unsigned number = 0; number < ports(); ++number) {
    const bool link = number < link_ports();
    const unsigned first = first_vc(number);
    const unsigned end = first + vcs_of_port(number);
    for (unsigned vc = first; vc < end; ++vc) {
      const unsigned next = vc + 1 == input_vcs() ? 0 : vc + 1;
      const unsigned next_of_port = vc + 1 == end ? first : vc + 1;
      const unsigned next_ejection = next == 0 ? first_injection_vc() : next;
      VcInfo& place = vc_infos_[vc];
      place.port = narrow(number);
      place.first = narrow(first);
      place.next = narrow(next);
      place.next_of_group = narrow(link ? next_of_port : next_ejection);
      place.number = narrow(vc - first);
      place.vcs_of_port = narrow(end - first);
    }
  }
}

/// The ejection VCs with the number, among those of its message class, that an input VC has.
VcSet RouterNumbers::same_number(const MachineConfig& machine, unsigned message_class, unsigned vc) const {
  const unsigned place = vc - first_vc(port_of_vc(vc));
  const std::uint64_t below = bit(place) - 1;
  const unsigned number =
      port_of_vc(vc) >= link_ports() ? place % machine.node_vcs
      : machine.classes.empty()
          ? place
          : static_cast<unsigned>(std::popcount(machine.classes[message_class].vcs & below));
  VcSet vcs;
  for (unsigned each = first_injection_vc() + number % machine.node_vcs; each < input_vcs();
       each += machine.node_vcs)
    vcs.add(each);
  return vcs;
}

/// What heads of a message class may request, and how they have arrived.
void RouterNumbers::add_message_class(const Topology& topology, const MachineConfig& machine,
                                      unsigned message_class) {
  const auto narrow = [](unsigned number) { return static_cast<std::uint8_t>(number); };
  const unsigned network = machine.network_of(message_class);
  NetworkPorts& own_ports = network_ports_[message_class];
  own_ports = {narrow(network), narrow(topology.first_port(network)), 0, narrow(channels())};
  if (machine.ports) {
    own_ports.first_channel = narrow(network * *machine.ports);
    own_ports.end_channel = narrow(own_ports.first_channel + *machine.ports);
  }
  std::vector<std::uint64_t> masks;  // of the VCs of a link, by class of the routing function
  const std::uint64_t own_vcs =
      machine.classes.empty() ? lowest_bits(virtual_channels()) : machine.classes[message_class].vcs;
  for (const std::uint64_t mask :
       class_masks(classes_of_network_[network], static_cast<unsigned>(std::popcount(own_vcs)))) {
    masks.push_back(bits_at(own_vcs, mask));
  }
  masks.resize(classes_);
  for (unsigned port = 0; port < link_ports(); ++port) {
    for (const std::uint64_t mask : masks) {
      VcSet vcs;
      for_each_bit(mask, [&](unsigned vc) { vcs.add(first_vc(port) + vc); });
      add_choice(vcs);
    }
  }
  const unsigned queue = machine.queues_of_node() == 1 ? 0 : message_class;
  VcSet all_channels;
  std::vector<VcSet> of_channel;
  for (unsigned channel = 0; channel < channels(); ++channel) {
    const unsigned first = first_vc(link_ports() + channel) + queue * machine.node_vcs;
    of_channel.push_back(VcSet::range(first, machine.node_vcs));
    if (channel >= own_ports.first_channel && channel < own_ports.end_channel)
      all_channels |= of_channel.back();
  }
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    const unsigned port = port_of_vc(vc);
    // An all-port node ejects flits of link port p by ejection channel p.
    VcSet ejects = machine.ports ? all_channels : of_channel[port % link_ports()];
    if (machine.requests) ejects &= same_number(machine, message_class, vc);
    add_choice(ejects);
    Arrival& arrival = arrivals_[message_class][vc];
    arrival.port = narrow(port < link_ports() ? topology.port_alone(port)
                                              : topology.ports_of_network() + (port - link_ports()));
    if (port >= link_ports()) continue;
    const auto shares = [&](std::uint64_t mask) { return (mask & bit(vc - first_vc(port))) != 0; };
    const auto own = std::ranges::find_if(masks, shares);
    if (own != masks.end()) arrival.channel_class = static_cast<std::uint8_t>(own - masks.begin());
  }
}

}  // namespace flitscope
