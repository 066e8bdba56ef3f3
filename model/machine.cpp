#include "model/machine.h"

namespace flitscope {

double MachineConfig::utilisation(const Topology& topology, ChannelId channel, std::uint64_t flits,
                                  Cycle cycles) const {
  if (cycles == 0) return 0;
  const double busy = static_cast<double>(flits) * link(topology, channel).cycles_per_flit.approximate();
  // The interval of the last flit can be longer than the run.
  return std::min(1.0, busy / static_cast<double>(cycles));
}

std::optional<std::uint32_t> class_number(const MachineConfig& machine, const std::string& name) {
  const auto found = std::ranges::find(machine.classes, name, &MessageClass::name);
  if (found == machine.classes.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - machine.classes.begin());
}

unsigned node_channels(const Topology& topology, const MachineConfig& machine) {
  return machine.ports ? *machine.ports * topology.networks() : topology.link_ports();
}

unsigned network_of_channel(const Topology& topology, const MachineConfig& machine, unsigned channel) {
  return machine.ports ? channel / *machine.ports : topology.network_of_port(channel);
}

}  // namespace flitscope
