// Random routers: their stages, parts and buffers, message classes, and ends of the network interfaces.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "model/error.h"
#include "model/route.h"
#include "routers/routing/routing.h"
#include "tests/reference/dice.h"
#include "tests/reference/random_case.h"

namespace flitscope::reference {

namespace {

/// An allocator, an arbiter or a kind of allocation.
template <typename Choices>
auto drawn(Dice& dice, const Choices& choices) {
  return choices.at(dice.between(0, static_cast<std::uint32_t>(choices.size() - 1)));
}

/// Allocators and arbiters, without speculation, and what goes with any of them.
void draw_parts(Dice& dice, const Topology& topology, MachineConfig& machine) {
  RouterParts& parts = machine.parts;
  parts.vc_allocator = kEnumerators<VcAllocator>.at(dice.between(0, 3));  // not by the switch
  parts.switch_allocator = drawn(dice, kEnumerators<SwitchAllocator>);
  if (parts.switch_allocator == SwitchAllocator::islip) parts.switch_iterations = dice.between(1, 3);
  parts.arbiter = drawn(dice, kEnumerators<Arbiter>);
  parts.hold = dice.one_in(3);
  const unsigned ports = topology.link_ports() + node_channels(topology, machine);
  if (dice.one_in(3)) parts.input_speedup = std::min(dice.between(2, 3), kMaxVirtualChannels / ports);
  if (dice.one_in(4)) parts.injection_credit_delay = dice.between(1, 4);
  if (dice.one_in(4)) parts.routing_delay = dice.between(1, dice.one_in(8) ? 200 : 3);
}

/// Speculation, VCs for winners of the switch, a bypass, and early credits.
void draw_speculation(Dice& dice, MachineConfig& machine) {
  RouterParts& parts = machine.parts;
  const bool wormhole = machine.switching == Switching::wormhole;
  parts.speculation = drawn(dice, kEnumerators<Speculation>);
  const bool may_be_late = wormhole || machine.vc_allocation == VcAllocation::atomic;
  if (may_be_late && dice.one_in(5)) {
    parts.vc_allocator = VcAllocator::switch_winner;
    parts.speculation = dice.one_in(3) ? Speculation::none : Speculation::prioritised;
    parts.bypass = wormhole && parts.speculation == Speculation::prioritised && dice.one_in(2);
    if (machine.vc_allocation == VcAllocation::non_atomic) machine.vc_allocation = VcAllocation::with_slot;
  }
  if (parts.speculation == Speculation::prioritised) {
    parts.switch_allocator = SwitchAllocator::separable_input_first;
    parts.switch_iterations = 1;
  }
  if (parts.speculates()) machine.vc_delay = 0;
  if (parts.bypass) {
    parts.hold = false;
    parts.input_speedup = 1;
  }
  const bool counts = parts.buffers == Buffers::of_vcs && parts.credits == Credits::counts;
  parts.early_credits = wormhole && counts && !machine.ejection_buffer && dice.one_in(2);
  if (parts.early_credits) machine.credit_delay = std::max(machine.credit_delay, 1U);
}

void share_buffers(Dice& dice, MachineConfig& machine) {
  machine.parts.buffers = Buffers::shared;
  machine.parts.buffer_reserve = dice.between(1, machine.buffer);
}

void stop_and_go(Dice& dice, MachineConfig& machine) {
  machine.parts.credits = Credits::on_off;
  machine.buffer = machine.go_slots() + dice.between(0, 4);
  if (dice.one_in(2)) machine.parts.stop_threshold = dice.between(machine.go_slots(), machine.buffer);
}

void draw_queues(Dice& dice, const Topology& topology, MachineConfig& machine) {
  RouterParts& parts = machine.parts;
  const unsigned ports = topology.link_ports() + node_channels(topology, machine);
  if (parts.vc_allocator != VcAllocator::switch_winner && dice.one_in(2))
    parts.output_speedup = std::min(dice.between(2, 3), kMaxVirtualChannels / ports);
  parts.output_queue = parts.output_speedup + dice.between(0, 3);
}

/// Output queues, shared buffers, and stop and go.
void draw_buffers(Dice& dice, const Topology& topology, MachineConfig& machine) {
  RouterParts& parts = machine.parts;
  if (!dice.one_in(3)) return;
  parts.early_credits = false;
  if (machine.ejection_interval == 1 && !parts.bypass && !dice.one_in(3))
    draw_queues(dice, topology, machine);
  if (machine.switching != Switching::wormhole) return;
  if (dice.one_in(2)) {
    share_buffers(dice, machine);
  } else if (parts.output_queue == 0 && machine.vc_allocation != VcAllocation::atomic) {
    stop_and_go(dice, machine);
  }
}

void use_wormhole_switching(MachineConfig& machine) {
  machine.switching = Switching::wormhole;
  machine.flow = FlowControl::credit;
}

/// All links take a flit in every cycle.
void use_fast_links(MachineConfig& machine) {
  machine.link_cycles_per_flit = 1;
  for (LinkTime& link : machine.links.by_channel) link.cycles_per_flit = 1;
  for (auto& [channel, own] : machine.links.single) own.cycles_per_flit = 1;
}

/// Shared buffers, or stop and go, in some machines.
void limit_link_buffers(std::uint64_t seed, MachineConfig& machine) {
  Dice dice(seed * 7 + 3);
  if (dice.one_in(3)) {
    share_buffers(dice, machine);
  } else if (machine.vc_allocation != VcAllocation::atomic && dice.one_in(4)) {
    stop_and_go(dice, machine);
  }
}

/// A network for each class, on tori with directions of their own, if the machine is not too large then. On
/// the network of the case a class needs `needed` VCs and has `vcs`.
void draw_networks(Dice& dice, unsigned classes, unsigned needed, unsigned vcs, RandomCase& random_case) {
  std::vector<PhysicalNetwork> networks(classes);
  const Topology& one = random_case.topology;
  const Routing& routing = *RoutingRegistry::find(random_case.machine.routing);
  if (one.kind() == TopologyKind::torus && one.is_fault_free_grid() && dice.one_in(2)) {
    for (PhysicalNetwork& each : networks) {
      each.directions = kEnumerators<LinkDirections>.at(dice.between(0, 2));
      if (routing.name == "dimension-order") each.first_dimension = dice.between(0, one.dimensions() - 1);
    }
  }
  const Topology several = one.in_networks(networks);
  MachineConfig machine = random_case.machine;
  machine.virtual_channels = 0;
  for (unsigned each = 0; each < classes; ++each) {
    if (!routing.serves(several.network(each))) return;
    const auto function = routing.make(several.network(each));
    try {
      function->build_tables();
    } catch (const Inadmissible&) {
      return;  // such as up-down, whose paths need links in both directions
    }
    const unsigned needed_here = function->classes();
    const unsigned own = vcs < needed ? std::min(vcs, needed_here) : needed_here + vcs - needed;
    machine.virtual_channels = std::max(machine.virtual_channels, own);
    if (machine.virtual_channels > kMaxVirtualChannels) return;
    machine.classes.push_back({fmt::format("class{}", each), (std::uint64_t{1} << own) - 1, 0, each});
  }
  machine.node_queues = NodeQueues::separate;
  machine.links.by_channel.clear();  // which have the numbers of one network
  machine.links.single.clear();
  const unsigned inputs = several.link_ports() * machine.virtual_channels +
                          node_channels(several, machine) * machine.channel_vcs();
  if (inputs > kMaxVirtualChannels) return;
  random_case.topology = several;
  random_case.machine = machine;
  if (dice.one_in(2)) random_case.machine.banks = 1U << dice.between(0, 3);
  random_case.machine.bank_hold = dice.between(1, 10);
}

}  // namespace

void draw_allocators(std::uint64_t seed, const Topology& topology, MachineConfig& machine) {
  Dice dice(seed * 11 + 5);
  if (dice.one_in(2)) draw_parts(dice, topology, machine);
}

RandomCase with_router_stages(RandomCase random_case) {
  MachineConfig& machine = random_case.machine;
  Dice dice(random_case.seed * 3 + 1);
  if (!dice.one_in(3)) machine.vc_delay = dice.between(1, dice.one_in(8) ? 300 : 4);
  if (dice.one_in(2)) machine.credit_delay = dice.between(1, dice.one_in(8) ? 300 : 3);
  if (dice.one_in(4)) machine.vc_reallocation_delay = dice.between(2, 4);
  if (dice.one_in(4)) machine.ports = 1;
  const unsigned links = random_case.topology.link_ports() * machine.virtual_channels;
  const unsigned channels = node_channels(random_case.topology, machine);
  if (!dice.one_in(3))
    machine.node_vcs = dice.between(1, std::min(4U, (kMaxVirtualChannels - links) / channels));
  if (machine.node_vcs > 1) machine.ejection_interval = 1;
  return random_case;
}

RandomCase with_router_parts(RandomCase random_case) {
  random_case = with_router_stages(std::move(random_case));
  MachineConfig& machine = random_case.machine;
  Dice dice(random_case.seed * 5 + 2);
  const bool wormhole = !dice.one_in(4);
  if (wormhole) use_wormhole_switching(machine);
  if (dice.one_in(4)) {
    random_case = with_fractional_intervals(std::move(random_case));
  } else {
    use_fast_links(machine);
  }
  if (machine.flow == FlowControl::credit) machine.vc_allocation = drawn(dice, kEnumerators<VcAllocation>);
  if (!wormhole && machine.vc_allocation == VcAllocation::with_slot)
    machine.vc_allocation = VcAllocation::non_atomic;
  draw_parts(dice, random_case.topology, machine);
  draw_speculation(dice, machine);
  draw_buffers(dice, random_case.topology, machine);
  return random_case;
}

std::optional<RandomCase> with_message_classes(RandomCase random_case) {
  Dice dice(random_case.seed ^ 0x5EED'C1A5'5E5ULL);
  MachineConfig& machine = random_case.machine;
  const auto function = RoutingRegistry::find(machine.routing)->make(random_case.topology);
  const bool wormhole = !dice.one_in(3);
  if (wormhole) use_wormhole_switching(machine);
  const bool slow_links = random_case.seed % 3 == 0;
  if (slow_links) {
    random_case = with_fractional_intervals(std::move(random_case));
  } else {
    use_fast_links(machine);
  }
  machine.vc_allocation = VcAllocation::non_atomic;
  if (machine.flow == FlowControl::credit && dice.one_in(3)) {
    machine.vc_allocation = wormhole && dice.one_in(2) ? VcAllocation::with_slot : VcAllocation::atomic;
  }
  machine.ejection_interval = 1;
  machine.credit_delay = dice.between(0, 2);
  machine.vc_delay = dice.one_in(4) ? dice.between(1, 3) : 0;
  machine.vc_reallocation_delay = dice.one_in(4) ? dice.between(2, 4) : 1;
  machine.node_vcs = dice.one_in(3) ? 2 : 1;
  if (dice.one_in(3)) machine.node_queues = NodeQueues::shared;

  const unsigned needed = function->classes();
  const bool fewer = machine.allow_deadlock && RoutingRegistry::find(machine.routing)->may_share_classes;
  const unsigned own = fewer ? dice.between(1, needed) : needed + (dice.one_in(3) ? 1 : 0);
  const unsigned links = random_case.topology.link_ports();
  const unsigned channels = node_channels(random_case.topology, machine);
  unsigned classes = dice.between(1, 3);
  const bool together = dice.one_in(4);  // all have the same VCs
  const auto vcs = [&] {
    machine.virtual_channels = (together ? 1 : classes) * own;
    return links * machine.virtual_channels + channels * machine.node_vcs * classes;
  };
  while (classes > 1 && vcs() > kMaxVirtualChannels) --classes;
  if (vcs() > kMaxVirtualChannels) return std::nullopt;
  if (classes > 1 && !together && dice.one_in(2)) draw_networks(dice, classes, needed, own, random_case);
  const bool mixed = dice.one_in(3);  // class c has VCs c, c + classes, ...
  const bool apart = random_case.topology.networks() > 1;
  for (unsigned each = 0; each < classes && classes > 1 && !apart; ++each) {
    MessageClass& added = machine.classes.emplace_back();
    added.name = fmt::format("class{}", each);
    for (unsigned vc = 0; vc < machine.virtual_channels; ++vc) {
      if (together || (mixed ? vc % classes : vc / own) == each) added.vcs |= std::uint64_t{1} << vc;
    }
  }
  if (classes > 1 && !together && machine.node_queues == NodeQueues::separate && dice.one_in(2)) {
    for (MessageClass& each : machine.classes) each.priority = dice.between(0, 2);
    machine.starvation_limit = dice.between(1, 20);
  }
  if (dice.one_in(2)) machine.injection_queue = dice.between(1, 4);
  if (machine.classes.empty() && !machine.injection_queue) machine.injection_queue = 1;
  std::uint32_t longest = 1;
  for (TimedMessage& message : random_case.messages) {
    message.packet.message_class = dice.between(0, classes - 1);
    if (apart)
      message.packet.route =
          shortest_route(random_case.topology.network(machine.network_of(message.packet.message_class)),
                         message.packet.source, message.packet.destination);
    longest = std::max(longest, message.packet.flits);
  }
  if (dice.one_in(2)) machine.ejection_buffer = longest + dice.between(0, longest);
  if (wormhole) limit_link_buffers(random_case.seed, machine);
  draw_allocators(random_case.seed, random_case.topology, machine);
  if (!dice.one_in(2)) return random_case;
  draw_speculation(dice, machine);
  const bool may_queue =
      !machine.parts.bypass && !machine.parts.early_credits && machine.parts.credits == Credits::counts;
  if (may_queue && dice.one_in(3)) draw_queues(dice, random_case.topology, machine);
  return random_case;
}

std::optional<RandomCase> with_many_vcs(RandomCase random_case) {
  constexpr unsigned kWord = 64;  // VCs in a word of a set
  Dice dice(random_case.seed * 13 + 7);
  MachineConfig& machine = random_case.machine;
  const unsigned links = random_case.topology.link_ports();
  const unsigned channels = node_channels(random_case.topology, machine) * machine.channel_vcs();
  const unsigned inputs = dice.between(kWord + 1, kMaxInputVcs);
  if (machine.ejection_interval == 1 && dice.one_in(2))
    machine.node_vcs *= dice.between(1, std::min(16U, std::max(1U, inputs / 2 / channels)));
  const unsigned of_node = node_channels(random_case.topology, machine) * machine.channel_vcs();
  const unsigned before = machine.virtual_channels;
  const unsigned vcs = std::min(kMaxVirtualChannels, (inputs - std::min(inputs, of_node)) / links);
  if (vcs <= before || links * vcs + of_node <= kWord) return std::nullopt;
  machine.virtual_channels = vcs;
  const auto classes = static_cast<unsigned>(machine.classes.size());
  for (unsigned vc = before; vc < vcs && classes > 0; ++vc)
    machine.classes[vc % classes].vcs |= std::uint64_t{1} << vc;
  return random_case;
}

}  // namespace flitscope::reference
