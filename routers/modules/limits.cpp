#include "routers/modules/limits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "model/error.h"
#include "model/graph.h"
#include "routers/engine/router_groups.h"
#include "routers/modules/router.h"

namespace flitscope {

namespace {

/// Bytes that routers, network interfaces and their SystemC modules take.
std::uint64_t estimated_bytes(const Topology& topology, const MachineConfig& machine, Modules modules) {
  const std::uint64_t channels = node_channels(topology, machine);
  const std::uint64_t ports = topology.link_ports() + channels;
  // Names and bindings of the two modules, as measured; the rest is what the groups of routers allocate.
  const std::uint64_t two_modules = 1800 + ports * (sizeof(RouterInput) + 2 * sizeof(void*));
  const std::uint64_t per_node = (all_are_modules(topology.routers(), modules) ? two_modules : 0) +
                                 RouterGroups::bytes_of_router(topology, machine) +
                                 topology.dimensions() * sizeof(std::uint32_t);
  return topology.routers() * per_node;
}

std::vector<std::string> served_by(const Routing& routing) {
  std::vector<std::string> names;
  for (const TopologyKind kind : routing.topologies) names.emplace_back(name_of(kind));
  names.insert(names.end(), routing.families.begin(), routing.families.end());
  return names;
}

/// Routing functions for any network.
std::string served_anywhere() {
  std::vector<std::string> names;
  for (const Routing& routing : RoutingRegistry::all()) {
    if (routing.any_network) names.push_back(routing.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Routing functions by coordinates do not route around faults.
[[noreturn]] void refuse_faults(const Topology& topology, const Routing& routing) {
  const Faults& faults = topology.graph()->faults();
  const Topology whole = topology.whole();
  std::string where;
  if (!faults.links.empty()) {
    const ChannelId link = faults.links.front();
    const NodeId from = whole.channel_node(link);
    where = fmt::format("from {} to {} it takes {}, which is missing", whole.node_name(from),
                        whole.node_name(*whole.neighbour(from, whole.channel_port(link))),
                        whole.channel_name(link));
  } else {
    where = fmt::format("it passes through {}, which is missing", whole.node_name(faults.nodes.front()));
  }
  throw Inadmissible("router.routing", "{} does not route around faults: {}. These do: {}", routing.name,
                     where, served_anywhere());
}

void require_routing(const Topology& topology, const Routing& routing) {
  refuse_if(routing.needs_routes && topology.given_routes() == nullptr, "router.routing",
            "{} needs a table of routes: add 'file: FILE' beside it", routing.name);
  for (unsigned network = 0; network < topology.networks() && !routing.reads_first_dimension; ++network) {
    refuse_if(topology.network(network).first_dimension() != 0, "topology.networks",
              "{} does not read first_dimension: it goes with dimension-order, passed-dateline and "
              "cyclic-dimension-order",
              routing.name);
  }
  if (routing.serves(topology)) return;
  if (topology.has_faults() && routing.serves(topology.whole())) refuse_faults(topology, routing);
  refuse_if(topology.dimensions() > routing.max_dimensions, "router.routing",
            "{} serves at most {} dimensions, not a {}", routing.name, routing.max_dimensions,
            topology.name());
  refuse_if(topology.is_one_way() &&
                std::ranges::find(routing.topologies, topology.kind()) != routing.topologies.end(),
            "router.routing", "{} does not serve a {}: it admits the shorter way round a ring only",
            routing.name, topology.name());
  const std::string served = fmt::format("only a {}", fmt::join(served_by(routing), " or a "));
  refuse_if(topology.is_grid(), "router.routing", "{} does not serve a {}, {}", routing.name,
            name_of(topology.kind()), served);
  throw Inadmissible("router.routing", "{} does not serve this network ({}), {}; these serve any network: {}",
                     routing.name, topology.name(), served, served_anywhere());
}

/// "torus", "mesh", "dragonfly"; "graph" for one from a file.
std::string kind_of(const Topology& topology) {
  const bool is_of_family = topology.kind() == TopologyKind::graph && !topology.graph()->family().empty();
  return is_of_family ? topology.graph()->family() : std::string(name_of(topology.kind()));
}

/// Machines for which bubble flow control is defined.
void require_flow_control(const Topology& topology, const MachineConfig& machine) {
  if (machine.flow != FlowControl::bubble) return;
  refuse_if(!topology.wraps(), "router.flow",
            "bubble flow control is for the rings of a torus; a {} has none", topology.name());
  refuse_if(machine.routing != "dimension-order", "router.flow",
            "bubble flow control needs dimension-order routing, not {}", machine.routing);
  refuse_if(machine.switching == Switching::wormhole || machine.vc_allocation == VcAllocation::atomic,
            "router.flow",
            "bubble flow control needs virtual-cut-through or store-and-forward switching and non-atomic VC "
            "allocation, so that a buffer can hold two messages");
}

/// Every message class needs the VCs of the routing function.
void require_class_vcs(const Topology& topology, const MachineConfig& machine, const Routing& routing) {
  if (machine.classes.empty()) return;
  const std::vector<unsigned> classes_of = classes_of_networks(topology, routing);
  for (std::size_t item = 0; item < machine.classes.size(); ++item) {
    const MessageClass& each = machine.classes[item];
    const auto vcs = static_cast<unsigned>(std::popcount(each.vcs));
    const unsigned classes = classes_of.at(each.network);
    refuse_if(vcs < classes && !(machine.allow_deadlock && routing.may_share_classes),
              fmt::format("classes[{}]", item),
              "classes[{}]: {} on a {} needs at least {} in each message class{}, and '{}' has {}", item,
              machine.routing, kind_of(topology), counted(classes, "virtual channel"),
              routing.may_share_classes ? " to be free of deadlock (or 'allow_deadlock: true')" : "",
              each.name, vcs);
  }
}

/// Output queues, shared buffers, and stop and go.
void require_queues_and_buffers(const MachineConfig& machine) {
  const RouterParts& parts = machine.parts;
  refuse_if(parts.output_speedup > 1 && parts.output_queue < parts.output_speedup, "router.output_speedup",
            "a link takes a flit in a cycle, so an output speed-up of {} needs an 'output_queue' of {} flits "
            "or more, not {}",
            parts.output_speedup, parts.output_speedup, parts.output_queue);
  refuse_if(parts.output_speedup > 1 && parts.vc_allocator == VcAllocator::switch_winner,
            "router.output_speedup",
            "a switch-winner VC allocator gives out a virtual channel of a port in a cycle: 'output_speedup' "
            "must be 1");
  refuse_if(parts.output_queue != 0 && (parts.early_credits || parts.bypass), "router.output_queue",
            "a router with {} has no output queues: '{}' must be false, or 'output_queue' 0",
            parts.bypass ? "a bypass" : "early credits", parts.bypass ? "bypass" : "early_credits");
  refuse_if(parts.output_queue != 0 && machine.ejection_interval != 1, "router.output_queue",
            "a flit leaves an output queue in every cycle: 'node.ejection_interval' must be 1, not {}, or "
            "'output_queue' 0",
            machine.ejection_interval);
  const bool shared = parts.buffers == Buffers::shared;
  const bool stops = parts.credits == Credits::on_off;
  refuse_if(!shared && parts.buffer_reserve != 1, "router.buffer_reserve",
            "a reserve is a part of a shared buffer: set 'buffers: shared' too");
  refuse_if(parts.buffer_reserve > machine.buffer, "router.buffer_reserve",
            "a virtual channel has {} of the shared buffer, so its reserve is at most that, not {}",
            counted(machine.buffer, "flit"), parts.buffer_reserve);
  refuse_if(shared && parts.early_credits, "router.buffers",
            "early credits are those of buffers of a VC: 'early_credits' must be false, or 'buffers' of-vcs");
  refuse_if(!stops && parts.stop_threshold, "router.stop_threshold",
            "credits that count have no threshold: set 'credits: on-off'");
  if (!stops) return;
  refuse_if(shared || parts.output_queue != 0 || parts.early_credits, "router.credits",
            "a sender with on-off credits knows no {}",
            shared                    ? "slots of a shared buffer: 'buffers' must be of-vcs"
            : parts.output_queue != 0 ? "flits in an output queue: 'output_queue' must be 0"
                                      : "credits early: 'early_credits' must be false");
  refuse_if(machine.vc_allocation == VcAllocation::atomic, "router.vc_allocation",
            "a sender with on-off credits does not know when a buffer is empty: VC allocation is {}",
            parts.vc_allocator == VcAllocator::switch_winner ? "'with-slot'" : "'non-atomic' or 'with-slot'");
  const Cycle least = MachineConfig::stop_delay(machine.longest_link().delay, machine.credit_delay);
  refuse_if(machine.go_slots() < least, "router.stop_threshold",
            "{} flits can leave before a sender stops (twice the link delay and the credit delay), so with a "
            "threshold of {} flits would be lost: at least {}",
            least, machine.go_slots(), least);
  refuse_if(machine.go_slots() > machine.buffer,
            parts.stop_threshold ? "router.stop_threshold" : "router.buffer",
            "a sender goes on with {} free slots, which a buffer of {} never has", machine.go_slots(),
            counted(machine.buffer, "flit"));
}

/// Router parts that are defined together.
void require_parts(const MachineConfig& machine) {
  const RouterParts& parts = machine.parts;
  refuse_if(parts.switch_iterations > 1 && parts.switch_allocator != SwitchAllocator::islip,
            "router.switch_iterations", "a {} switch allocator has one iteration, not {}; islip has several",
            name_of(parts.switch_allocator), parts.switch_iterations);
  const bool late = parts.vc_allocator == VcAllocator::switch_winner;
  refuse_if(late && parts.speculation != Speculation::none && parts.speculation != Speculation::prioritised,
            "router.speculation",
            "with a switch-winner VC allocator heads ask for the switch if there is a virtual channel for "
            "them (none) or always (prioritised), not by '{}'",
            name_of(parts.speculation));
  refuse_if(late && machine.vc_allocation == VcAllocation::non_atomic, "router.vc_allocation",
            "a head that wins the switch leaves at once, so a switch-winner VC allocator needs "
            "'vc_allocation: {}",
            machine.switching != Switching::wormhole ? "atomic'"
            : parts.credits == Credits::on_off       ? "with-slot'"
                                                     : "with-slot' or 'atomic'");
  refuse_if(parts.bypass && !(late && parts.speculation == Speculation::prioritised), "router.bypass",
            "a bypass is for a switch-winner VC allocator with prioritised speculation, not for a {} one "
            "with {} speculation",
            name_of(parts.vc_allocator), name_of(parts.speculation));
  refuse_if(parts.bypass && (parts.hold || parts.input_speedup != 1),
            parts.hold ? "router.hold" : "router.input_speedup",
            "a router with a bypass holds no ports, and an input port of it sends a flit in a cycle: "
            "'bypass', 'hold' and 'input_speedup' exclude each other");
  require_queues_and_buffers(machine);
  refuse_if(parts.speculates() && machine.vc_delay != 0, "router.vc_delay",
            "a router that speculates allocates VCs and the switch in one cycle: 'vc_delay' must be 0, not "
            "{}, or 'speculation' none",
            machine.vc_delay);
  refuse_if(parts.speculation == Speculation::prioritised &&
                parts.switch_allocator != SwitchAllocator::separable_input_first,
            "router.speculation",
            "prioritised speculation is for a separable-input-first switch allocator; with {} it can be "
            "'requests' or 'grants'",
            name_of(parts.switch_allocator));
  refuse_if(parts.early_credits && machine.credit_delay == 0, "router.early_credits",
            "a credit can be seen a cycle early only if 'router.credit_delay' is 1 or more");
}

/// Parts that are defined for wormhole switching, where a head needs a slot and not room for its message.
void require_switching(const MachineConfig& machine) {
  if (machine.switching == Switching::wormhole) return;
  const RouterParts& parts = machine.parts;
  struct Part {
    bool is_used;
    const char* what;
    const char* instead;
  };
  for (const auto& [is_used, what, instead] :
       {Part{parts.buffers == Buffers::shared, "shared buffers", "'buffers' of-vcs"},
        Part{parts.credits == Credits::on_off, "on-off credits", "'credits' counts"},
        Part{parts.early_credits, "early credits", "'early_credits' false"},
        Part{parts.bypass, "a bypass", "'bypass' false"}}) {
    refuse_if(is_used, "router.switching", "routers with {} need 'switching' wormhole, not {}, or {}", what,
              name_of(machine.switching), instead);
  }
  refuse_if(machine.vc_allocation == VcAllocation::with_slot, "router.vc_allocation",
            "with {} switching a head needs room for its message: 'vc_allocation' is {}",
            name_of(machine.switching),
            parts.vc_allocator == VcAllocator::switch_winner ? "'atomic'" : "'non-atomic' or 'atomic'");
}

/// What is not simulated together so far.
void require_simulated(const MachineConfig& machine) {
  const RouterParts& parts = machine.parts;
  if (!machine.ejection_buffer) return;
  refuse_if(parts.early_credits, "router.early_credits",
            "early credits know no limited ejection buffers: 'early_credits' must be false, or leave out "
            "'node.ejection_buffer'");
  refuse_if(machine.ejection_interval != 1, "node.ejection_interval",
            "a limited ejection buffer takes a flit in every cycle: 'node.ejection_interval' must be 1, not "
            "{}, or leave out 'node.ejection_buffer'",
            machine.ejection_interval);
}

/// A router has too many input buffers. `classes`: of the routing function.
[[noreturn]] void refuse_buffers(const Topology& topology, const MachineConfig& machine, unsigned classes) {
  const auto vcs_text = [](unsigned vcs) { return counted(vcs, "virtual channel"); };
  const unsigned links = topology.link_ports();
  const unsigned vcs = machine.virtual_channels;
  const unsigned channels = node_channels(topology, machine);
  const unsigned of_channel = machine.channel_vcs();
  const auto most = [&](unsigned of_node) {
    return of_node < kMaxInputVcs ? std::min((kMaxInputVcs - of_node) / links, kMaxVirtualChannels) : 0;
  };
  const bool has_classes = !machine.classes.empty();
  const unsigned here = most(channels * of_channel);
  const unsigned with_one_port = most(topology.networks() * of_channel);
  std::string remedies;
  if (here == 0 && with_one_port > 0) {
    remedies = fmt::format("so 'node: {{ports: 1}}' is needed here, with {}{}",
                           with_one_port > 1 ? "at most " : "", vcs_text(with_one_port));
  } else {
    remedies = fmt::format("so {}at most {} here",
                           !has_classes              ? ""
                           : topology.networks() > 1 ? "the classes of a network have together "
                                                     : "the classes have together ",
                           vcs_text(here));
    if (machine.node_vcs > 1) remedies += ", or more with fewer 'node.vcs'";
    if (!machine.ports) remedies += fmt::format(", or {} with 'node: {{ports: 1}}'", with_one_port);
  }
  if (classes > with_one_port && with_one_port > 0 && topology.graph() != nullptr)
    remedies += fmt::format("; {} needs {}, up-down needs 1", machine.routing, classes);
  throw Inadmissible(machine.node_vcs > 1 ? "node.vcs"
                     : has_classes        ? "classes"
                                          : "router.virtual_channels",
                     "{} with {} and {}{} make {} input buffers a router; at most {} are possible, {}",
                     counted(links, "link"), vcs_text(vcs), counted(channels, "injection channel"),
                     of_channel > 1 ? fmt::format(" with {}", of_channel) : "",
                     links * vcs + channels * of_channel, kMaxInputVcs, remedies);
}

/// Refuses zeros, which no configuration file has.
void require_counts(const MachineConfig& machine) {
  for (const auto& [key, count] :
       {std::pair("router.virtual_channels", std::uint64_t{machine.virtual_channels}),
        std::pair("router.buffer", std::uint64_t{machine.buffer}),
        std::pair("router.delay", std::uint64_t{machine.router_delay}),
        std::pair("link.delay", std::uint64_t{machine.link_delay}),
        std::pair("node.ports", std::uint64_t{machine.ports.value_or(1)}),
        std::pair("node.vcs", std::uint64_t{machine.node_vcs}),
        std::pair("node.injection_queue", std::uint64_t{machine.injection_queue.value_or(1)}),
        std::pair("node.ejection_buffer", std::uint64_t{machine.ejection_buffer.value_or(1)}),
        std::pair("node.injection_interval", std::uint64_t{machine.injection_interval}),
        std::pair("node.ejection_interval", std::uint64_t{machine.ejection_interval}),
        std::pair("node.flit_bytes", std::uint64_t{machine.flit_bytes})}) {
    if (count == 0) throw Inadmissible(key, "{} must be at least 1", key);
  }
}

}  // namespace

void require_buildable(const Topology& topology, const MachineConfig& machine, std::uint64_t memory_bytes,
                       Modules modules) {
  require_counts(machine);
  const Routing* const routing = RoutingRegistry::find(machine.routing);
  refuse_if(routing == nullptr, "router.routing", "there is no routing function '{}'", machine.routing);
  require_routing(topology, *routing);
  require_flow_control(topology, machine);
  const auto function = routing->make(topology);
  require_switching(machine);
  require_parts(machine);
  require_simulated(machine);
  const unsigned classes = function->classes();
  const unsigned vcs = machine.virtual_channels;
  require_class_vcs(topology, machine, *routing);
  const bool is_short = machine.classes.empty() && vcs < classes;
  refuse_if(is_short && !routing->may_share_classes, "router.virtual_channels",
            "{} on a {} needs at least {}, not {}: their classes record the progress of a message",
            machine.routing, kind_of(topology), counted(classes, "virtual channel"), vcs);
  refuse_if(
      is_short && !machine.allow_deadlock && machine.flow != FlowControl::bubble, "router.virtual_channels",
      "{} on a {} needs at least {} to be free of deadlock, not {} (or 'allow_deadlock: true', to watch one)",
      machine.routing, kind_of(topology), counted(classes, "virtual channel"), vcs);
  if (machine.ports && *machine.ports > topology.link_ports()) {
    throw Inadmissible("node.ports",
                       "a node has as many ports as its router to others: on a {} at most {}, not {}",
                       topology.name(), topology.link_ports(), *machine.ports);
  }
  const Cycle slot_delay = Cycle{machine.longest_link().delay} + machine.credit_delay;
  refuse_if(slot_delay > kMaxSlotDelay, "router.credit_delay",
            "a credit's delay and that of its link may be {} cycles together, not {}", kMaxSlotDelay,
            slot_delay);
  const bool can_share = !machine.has_priorities() && topology.networks() == 1;
  refuse_if(machine.channel_vcs() > 1 && machine.ejection_interval > 1,
            machine.node_vcs > 1 ? "node.vcs" : "classes",
            "several virtual channels share an ejection channel that takes a flit in every cycle, not in "
            "every {}: 'node.ejection_interval' must be 1, or {}",
            machine.ejection_interval,
            machine.node_vcs > 1 ? "'node.vcs'"
            : can_share          ? "'node.queues' shared"
                                 : "'classes' left out");
  const unsigned channels = node_channels(topology, machine) * machine.channel_vcs();
  const unsigned total = topology.link_ports() * vcs + channels;
  if (total > kMaxInputVcs) refuse_buffers(topology, machine, classes);
  constexpr unsigned kMostRequests = 1U << 16;  // different ones of heads, by number
  refuse_if(machine.message_classes() * (topology.link_ports() * classes + total) > kMostRequests, "classes",
            "{} and {} of the routing function at {} make too many different requests of heads: up to {} are "
            "possible",
            counted(machine.message_classes(), "message class"), counted(classes, "class"),
            counted(topology.link_ports(), "link"), kMostRequests);
  const unsigned ports = topology.link_ports() + node_channels(topology, machine);
  for (const auto& [side, speedup] :
       {std::pair("input", machine.parts.input_speedup), std::pair("output", machine.parts.output_speedup)}) {
    refuse_if(
        ports * speedup > kMaxInputVcs, fmt::format("router.{}_speedup", side),
        "{0} {1} ports with an {1} speed-up of {2} make {3} {1}s of the switch; at most {4} are possible",
        ports, side, speedup, ports * speedup, kMaxInputVcs);
  }
  const std::uint64_t bytes = estimated_bytes(topology, machine, modules);
  refuse_if(bytes > memory_bytes, topology.is_grid() ? "topology.shape" : "topology.kind",
            "not enough memory: a {} with {} of {} needs {:.1f} GiB, {:.1f} GiB available", topology.name(),
            counted(vcs, "virtual channel"), counted(machine.buffer, "flit"),
            static_cast<double>(bytes) / (1 << 30), static_cast<double>(memory_bytes) / (1 << 30));
}

}  // namespace flitscope
