#include "model/machine.h"

#include <algorithm>

#include "model/text.h"

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

const char* name_of(Switching switching) {
  return name_in({"wormhole", "virtual-cut-through", "store-and-forward"}, switching);
}

const char* name_of(VcAllocation allocation) {
  return name_in({"non-atomic", "with-slot", "atomic"}, allocation);
}

const char* name_of(VcAllocator allocator) {
  return name_in(
      {"circular", "separable-input-first", "separable-input-first-flat", "wavefront", "switch-winner"},
      allocator);
}

const char* name_of(SwitchAllocator allocator) {
  return name_in({"separable-input-first", "separable-input-first-ports", "separable-output-first",
                  "wavefront", "islip", "max-size"},
                 allocator);
}

const char* name_of(Arbiter arbiter) {
  return name_in({"round-robin", "round-robin-binary", "matrix", "fixed", "age"}, arbiter);
}

const char* name_of(Speculation speculation) {
  return name_in({"none", "prioritised", "requests", "grants"}, speculation);
}

const char* name_of(Buffers buffers) {
  return name_in({"of-vcs", "shared"}, buffers);
}

const char* name_of(Credits credits) {
  return name_in({"counts", "on-off"}, credits);
}

const char* name_of(FlowControl flow) {
  return name_in({"credit", "bubble"}, flow);
}

const char* name_of(NodeQueues queues) {
  return name_in({"separate", "shared"}, queues);
}

const char* name_of(Selection selection) {
  return name_in({"first-free", "most-credits", "round-robin"}, selection);
}

}  // namespace flitscope
