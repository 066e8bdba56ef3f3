#include "tests/reference/random_case.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>

#include "model/error.h"
#include "model/graph.h"
#include "model/route.h"
#include "networks/network_family.h"
#include "routers/routing/routing.h"
#include "tests/reference/dice.h"
#include "tests/reference/random_graph.h"
#include "tests/reference/test_routings.h"

namespace flitscope::reference {

namespace {

constexpr NodeId kMaxNodes = 80;

/// Even with a virtual channel for each class. With wormhole and non-atomic VC allocation, a FIFO can hold
/// flits of several messages, which Duato's theorem about escape classes excludes.
bool may_deadlock(const RoutingFunction& function, const MachineConfig& machine) {
  return function.escape_classes() == 0 ||
         (!function.deterministic() && !needs_packet_space(machine.switching, machine.vc_allocation));
}

/// A small network of a family; `few` is at least 1, and 1 makes the smallest.
Topology draw_family(Dice& dice, std::uint32_t few) {
  const auto between = [&](std::uint32_t least, std::uint32_t most) { return dice.between(least, most); };
  ParameterValues values;
  const auto set = [&](const char* name, std::uint32_t value) {
    values.set(name, static_cast<std::int64_t>(value));
    return value;
  };
  const auto set_list = [&](const char* name, std::vector<std::uint32_t> list) {
    values.set(name, std::move(list));
  };
  constexpr std::array<std::string_view, 6> kFamilies{"k-ary-n-tree",      "dragonfly",     "hyperx",
                                                      "concentrated-mesh", "twisted-torus", "chiplets"};
  const std::string_view family = kFamilies.at(between(0, kFamilies.size() - 1));
  if (family == "k-ary-n-tree") {
    const std::uint32_t k = set("k", between(2, 1 + few));
    set("n", between(1, k == 2 ? 1 + few : 2));
  } else if (family == "dragonfly") {
    set("p", between(1, few));
    const std::uint32_t a = set("a", between(1, 1 + few));
    const std::uint32_t h = set("h", between(1, 2));
    set("groups", between(2, std::min(a * h + 1, 2 + few)));
  } else if (family == "hyperx" || family == "concentrated-mesh") {
    std::vector<std::uint32_t> sides{between(2, 2 + few)};
    if (dice.one_in(2)) sides.push_back(between(2, 1 + few));
    set_list("shape", std::move(sides));
    set("concentration", between(1, few));
  } else if (family == "twisted-torus") {
    const std::uint32_t columns = between(2, 3 + few);
    set_list("shape", {columns, between(2, 1 + few)});
    set("twist", between(0, columns - 1));
  } else {
    set_list("chiplets", {2, between(1, few)});
    set_list("mesh", {between(1, 1 + few), between(1, 1 + few)});
    set("inner_delay", between(1, 3));
    set("outer_delay", between(1, 6));
    values.set("outer_cycles_per_flit", Ratio(between(1, 3)));
  }
  return Topology::of(make_graph(*FamilyRegistry::find(std::string(family)), values));
}

/// Delays and rates that a family gives its links.
void take_own_links(const Topology& topology, MachineConfig& machine) {
  const Graph* const graph = topology.graph();
  const auto is_own = [](const GraphPlan::Link& link) { return link.delay || link.cycles_per_flit; };
  if (graph == nullptr || std::ranges::none_of(graph->plan().links, is_own)) return;
  machine.links.by_channel.assign(topology.channel_ids(), {machine.link_delay, machine.link_cycles_per_flit});
  for (ChannelId channel = 0; channel < topology.channel_ids(); ++channel) {
    const NodeId node = topology.channel_node(channel);
    const unsigned port = topology.channel_port(channel);
    if (!topology.has_link(node, port)) continue;
    const GraphPlan::Link& link = graph->link(node, port);
    machine.links.by_channel[channel] = {link.delay.value_or(machine.link_delay),
                                         link.cycles_per_flit.value_or(machine.link_cycles_per_flit)};
  }
}

Topology draw_graph(Dice& dice, std::uint32_t max_routers) {
  const auto between = [&](std::uint32_t least, std::uint32_t most) { return dice.between(least, most); };
  return Topology::of(std::make_shared<const Graph>(random_graph(between, max_routers)));
}

/// The same network, or without some of its links, and nodes.
Topology draw_faults(Dice& dice, const Topology& whole) {
  if (!dice.one_in(4)) return whole;
  Faults faults;
  for (std::uint32_t links = dice.between(1, 3); links > 0; --links) {
    const auto channel =
        static_cast<ChannelId>(dice.between(0, static_cast<std::uint32_t>(whole.channel_ids()) - 1));
    if (whole.has_link(whole.channel_node(channel), whole.channel_port(channel)))
      faults.links.push_back(channel);
  }
  if (dice.one_in(4)) faults.nodes.push_back(dice.between(0, whole.nodes() - 1));
  try {
    return whole.without(faults);
  } catch (const Inadmissible&) {
    return whole;  // it would fall apart
  }
}

/// Sides of 2 to `longest` that make so many nodes.
std::vector<std::uint32_t> draw_sides(Dice& dice, unsigned dimensions, std::uint32_t longest, NodeId least,
                                      NodeId most) {
  std::vector<std::uint32_t> sides(dimensions);
  NodeId nodes = 0;
  do {
    nodes = 1;
    for (std::uint32_t& side : sides) {
      side = dice.between(2, longest);
      nodes *= side;
    }
  } while (nodes < least || nodes > most);
  return sides;
}

Topology draw_grid(Dice& dice) {
  const TopologyKind kind = dice.one_in(2) ? TopologyKind::torus : TopologyKind::mesh;
  return {kind, draw_sides(dice, dice.between(1, 4), 5, 1, kMaxNodes)};
}

Topology draw_topology(Dice& dice) {
  if (dice.one_in(4)) return draw_graph(dice, 14);
  if (dice.one_in(6)) return draw_family(dice, 2);
  return draw_faults(dice, draw_grid(dice));
}

/// Whether the function has a path for every pair: up-down has none on some graphs with links in one
/// direction.
bool has_paths(const Routing& routing, const Topology& topology) {
  try {
    routing.make(topology)->build_tables();
    return true;
  } catch (const Inadmissible&) {
    return false;
  }
}

/// A router can have a virtual channel for each class, beside the channels of its node.
bool has_room_for_classes(const Routing& routing, const Topology& topology) {
  const unsigned classes = routing.make(topology)->classes();
  return classes <= 4 || topology.link_ports() * (classes + 1) <= kMaxVirtualChannels;
}

/// A registered routing function that serves the topology; one of `names` only, unless there are none.
const Routing& draw_routing(Dice& dice, const Topology& topology, const std::vector<std::string>& names) {
  std::vector<const Routing*> choices;
  for (const Routing& routing : RoutingRegistry::all()) {
    if (!routing.serves(topology)) continue;
    const bool wanted = names.empty() || std::ranges::find(names, routing.name) != names.end();
    // Those that read queues of other routers are simulated by one core only: by name.
    const bool reads_queues = names.empty() && !routing.make(topology)->watched_links().empty();
    if (wanted && !reads_queues && has_paths(routing, topology) && has_room_for_classes(routing, topology)) {
      choices.push_back(&routing);
    }
  }
  if (choices.empty()) return draw_routing(dice, topology, {});
  return *choices.at(dice.between(0, static_cast<std::uint32_t>(choices.size() - 1)));
}

MachineConfig draw_machine(Dice& dice, const Topology& topology, const std::vector<std::string>& routings) {
  MachineConfig machine;
  machine.switching = static_cast<Switching>(dice.between(0, 2));
  const Routing& routing = draw_routing(dice, topology, routings);
  machine.routing = routing.name;
  machine.selection = static_cast<Selection>(dice.between(0, 2));
  const auto function = routing.make(topology);
  const unsigned classes = function->classes();
  const bool may_lack_classes = classes > 1 && routing.may_share_classes && dice.one_in(8);
  machine.allow_deadlock = may_lack_classes || may_deadlock(*function, machine);
  machine.virtual_channels =
      may_lack_classes ? dice.between(1, classes - 1) : dice.between(classes, std::max(classes, 4U));
  machine.buffer = dice.between(1, 16);
  machine.router_delay = dice.between(1, 3);
  machine.link_delay = dice.between(1, 3);
  const unsigned links = topology.link_ports();
  if (!dice.one_in(2)) machine.ports = dice.one_in(2) ? 1 : dice.between(1, links);
  machine.startup = dice.one_in(2) ? 0 : dice.between(1, 20);
  machine.injection_interval = machine.ejection_interval = dice.between(1, 3);
  take_own_links(topology, machine);
  return machine;
}

Topology draw_small_topology(Dice& dice) {
  if (dice.one_in(4)) return draw_graph(dice, 5);
  if (dice.one_in(8)) return draw_family(dice, 1);
  if (!dice.one_in(3)) return {TopologyKind::torus, {dice.one_in(8) ? 2 : dice.between(3, 5)}};
  const TopologyKind kind = dice.one_in(4) ? TopologyKind::mesh : TopologyKind::torus;
  return {kind, {dice.between(2, 3), dice.between(2, 3)}};
}

/// Atomic VC allocation, or bubble flow control with a VC a link, if the machine can have it.
void draw_allocation(Dice& dice, const Topology& topology, MachineConfig& machine) {
  if (dice.one_in(4)) machine.vc_allocation = VcAllocation::atomic;
  const bool bubble = topology.wraps() && machine.routing == "dimension-order" &&
                      machine.switching != Switching::wormhole &&
                      machine.vc_allocation == VcAllocation::non_atomic;
  if (!bubble || !dice.one_in(2)) return;
  machine.flow = FlowControl::bubble;
  machine.allow_deadlock = true;  // messages of different lengths
  machine.buffer = std::max(machine.buffer, 2U);
  machine.virtual_channels = dice.between(1, 2);
}

/// Mostly with too few virtual channels.
MachineConfig draw_poor_machine(Dice& dice, const Topology& topology) {
  MachineConfig machine;
  machine.switching = static_cast<Switching>(dice.between(0, 2));
  const Routing& routing = topology.is_fault_free_grid() && dice.one_in(4)
                               ? *RoutingRegistry::find("dimension-order-without-dateline")
                               : draw_routing(dice, topology, {});
  machine.routing = routing.name;
  machine.selection = static_cast<Selection>(dice.between(0, 2));
  machine.virtual_channels = dice.one_in(4) ? dice.between(2, 4) : dice.between(1, 2);
  if (!routing.may_share_classes) {
    machine.virtual_channels = std::max(machine.virtual_channels, routing.make(topology)->classes());
  }
  machine.allow_deadlock = true;
  machine.buffer = dice.between(1, dice.one_in(2) ? 2 : 8);
  machine.router_delay = dice.between(1, 3);
  machine.link_delay = dice.between(1, 3);
  const unsigned ports = topology.dimensions() == 1 ? dice.between(0, 2) : dice.between(1, 2);
  if (ports > 0) machine.ports = std::min(ports, topology.link_ports());
  machine.startup = dice.one_in(2) ? 0 : dice.between(1, 20);
  machine.injection_interval = machine.ejection_interval = dice.between(1, 2);
  take_own_links(topology, machine);
  return machine;
}

/// A route from one node to another that the routing function admits, or nothing: a shortest one,
/// or any directions from dimension 0, or one direction from any dimension.
std::optional<Route> draw_route(Dice& dice, const Topology& topology, const RoutingFunction& function,
                                NodeId source, NodeId destination) {
  if (topology.is_missing(source) || topology.is_missing(destination)) return std::nullopt;
  if (!topology.is_fault_free_grid()) return Route{};
  std::vector<unsigned> travelled;
  for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
    if (topology.coordinate(source, dimension) != topology.coordinate(destination, dimension)) {
      travelled.push_back(dimension);
    }
  }
  const auto draw_sign = [&] { return dice.one_in(2) ? Sign::minus : Sign::plus; };
  Route route = shortest_route(topology, source, destination);
  if (const std::uint32_t kind = dice.between(0, 3); kind == 1) {
    for (const unsigned dimension : travelled) route.set_sign(dimension, draw_sign());
  } else if (kind > 1) {
    const auto first = dice.between(0, static_cast<std::uint32_t>(travelled.size() - 1));
    route = Route::cyclic(travelled[first], draw_sign());
  }
  if (!route_exists(topology, source, destination, route)) return std::nullopt;
  if (function.objection(source, destination, route)) return std::nullopt;
  return route;
}

/// How much is to be sent, and how soon.
struct Traffic {
  std::uint32_t messages = 0;
  /// One message in so many is ready at a time of its own, the others are released by deliveries.
  std::uint32_t chain = 1;
  /// The last cycle of those times of their own.
  std::uint32_t last_ready = 0;
};

/// Anything from saturation at the start to long chains and a light load.
Traffic draw_traffic(Dice& dice) {
  Traffic traffic;
  traffic.messages = dice.one_in(2) ? dice.between(20, 80) : dice.between(20, 400);
  traffic.chain = dice.between(1, 12);
  traffic.last_ready = dice.one_in(2) ? 0 : dice.between(1, 2000);
  return traffic;
}

/// Enough to stop a small network, all at once or so that a part stops while others go on.
Traffic draw_heavy_traffic(Dice& dice) {
  Traffic traffic;
  traffic.messages = dice.between(24, 96);
  traffic.chain = dice.one_in(4) ? dice.between(2, 4) : 1;
  traffic.last_ready = dice.one_in(2) ? 0 : dice.between(1, 200);
  return traffic;
}

std::vector<TimedMessage> draw_messages(Dice& dice, const Topology& topology, const MachineConfig& machine,
                                        const Traffic& traffic) {
  const NodeId last_node = topology.nodes() - 1;
  const std::uint32_t longest = machine.switching == Switching::wormhole ? 40
                                : machine.flow == FlowControl::bubble    ? machine.buffer / 2
                                                                         : machine.buffer;
  const auto function = RoutingRegistry::find(machine.routing)->make(topology);
  const bool hot_spot = dice.one_in(4);
  const NodeId hot_node = dice.between(0, last_node);

  std::vector<std::uint64_t> ids(traffic.messages);
  std::iota(ids.begin(), ids.end(), std::uint64_t{0});
  for (std::uint32_t i = traffic.messages - 1; i > 0; --i) std::swap(ids[i], ids[dice.between(0, i)]);

  std::vector<TimedMessage> messages;
  while (messages.size() < traffic.messages) {
    const NodeId source = dice.between(0, last_node);
    const NodeId destination = hot_spot && dice.one_in(2) ? hot_node : dice.between(0, last_node);
    if (source == destination) continue;
    const auto route = draw_route(dice, topology, *function, source, destination);
    if (!route) continue;

    const auto place = static_cast<std::uint32_t>(messages.size());
    const std::uint32_t flits = dice.between(1, dice.one_in(2) ? longest : std::min(longest, 8U));
    TimedMessage message{{ids[place], source, destination, *route, flits, 0}, 0, std::nullopt};
    if (place > 0 && !dice.one_in(traffic.chain)) {
      message.released_by = dice.between(0, place - 1);
    } else {
      message.ready = dice.between(0, traffic.last_ready);
    }
    messages.push_back(message);
  }
  return messages;
}

/// "link 3", or that and what differs.
std::string links_text(const MachineConfig& machine) {
  std::string text = fmt::format("link {} every {}", machine.link_delay, machine.link_cycles_per_flit.text());
  if (machine.links.none() && machine.link_cycles_per_flit == 1)
    text = fmt::format("link {}", machine.link_delay);
  for (const std::uint32_t delay : machine.links.by_dimension) text += fmt::format(" {}", delay);
  for (const auto& [channel, own] : machine.links.single) {
    text += fmt::format(" ({}: {} every {})", channel, own.delay.value_or(0),
                        own.cycles_per_flit.value_or(1).text());
  }
  return text;
}

}  // namespace

RandomCase random_case(std::uint64_t seed, const std::vector<std::string>& routings) {
  Dice dice(seed);
  const Topology topology = routings.empty() ? draw_topology(dice) : draw_grid(dice);
  MachineConfig machine = draw_machine(dice, topology, routings);
  if (routings.empty()) draw_allocation(dice, topology, machine);
  const Traffic traffic = draw_traffic(dice);
  return {seed, topology, machine, draw_messages(dice, topology, machine, traffic)};
}

RandomCase large_case(std::uint64_t seed) {
  Dice dice(seed);
  const TopologyKind kind = dice.one_in(2) ? TopologyKind::torus : TopologyKind::mesh;
  const Topology topology = draw_faults(dice, {kind, draw_sides(dice, dice.between(2, 3), 31, 129, 1000)});
  std::vector<std::string> routings{"cyclic-dimension-order", "dimension-order"};
  if (!topology.is_fault_free_grid()) routings = {"up-down"};
  if (dice.one_in(2)) routings = {"minimal-adaptive", "duato", "valiant", "odd-even", "up-down"};
  MachineConfig machine = draw_machine(dice, topology, routings);
  draw_allocation(dice, topology, machine);
  const Traffic traffic{dice.between(100, 2000), dice.between(1, 12),
                        dice.one_in(2) ? 0 : dice.between(1, 1000)};
  return {seed, topology, machine, draw_messages(dice, topology, machine, traffic)};
}

RandomCase dragonfly_case(std::uint64_t seed, const std::vector<std::string>& routings) {
  Dice dice(seed);
  ParameterValues values;
  const auto set = [&](const char* name, std::uint32_t value) {
    values.set(name, static_cast<std::int64_t>(value));
    return value;
  };
  set("p", dice.between(1, 2));
  const std::uint32_t a = set("a", dice.between(2, 4));
  const std::uint32_t h = set("h", dice.between(1, 2));
  set("groups", dice.between(3, std::min(a * h + 1, 6U)));
  const Topology topology = Topology::of(make_graph(*FamilyRegistry::find("dragonfly"), values));
  MachineConfig machine = draw_machine(dice, topology, routings);
  draw_allocation(dice, topology, machine);
  const Traffic traffic{dice.between(50, 400), dice.between(1, 12),
                        dice.one_in(2) ? 0 : dice.between(1, 500)};
  return {seed, topology, machine, draw_messages(dice, topology, machine, traffic)};
}

RandomCase deadlock_case(std::uint64_t seed) {
  Dice dice(seed);
  const Topology topology = draw_small_topology(dice);
  MachineConfig machine = draw_poor_machine(dice, topology);
  draw_allocation(dice, topology, machine);
  const Traffic traffic = draw_heavy_traffic(dice);
  RandomCase result{seed, topology, machine, draw_messages(dice, topology, machine, traffic)};
  if (topology.kind() == TopologyKind::torus && dice.one_in(2)) {
    for (TimedMessage& message : result.messages) message.packet.route.negative = 0;
  }
  return result;
}

RandomCase with_unequal_links(RandomCase random_case) {
  const Topology& topology = random_case.topology;
  MachineConfig& machine = random_case.machine;
  Dice dice(~random_case.seed);
  if (dice.one_in(2) && !topology.is_grid()) {
    machine.links.by_channel.clear();
    for (ChannelId channel = 0; channel < topology.channel_ids(); ++channel) {
      machine.links.by_channel.push_back({dice.between(1, 6), dice.between(1, 2)});
    }
  } else if (topology.is_grid() && dice.one_in(2)) {
    for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
      machine.links.by_dimension.push_back(dice.between(1, 6));
    }
    machine.link_delay = machine.links.by_dimension.front();
  }
  if (dice.one_in(3)) machine.link_cycles_per_flit = dice.between(1, 3);
  const std::uint32_t longest = dice.one_in(8) ? 600 : 9;
  const std::uint32_t slowest = dice.one_in(8) ? 300 : 4;
  for (std::uint32_t count = dice.between(0, 12); count > 0; --count) {
    const ChannelId channel = dice.between(0, static_cast<std::uint32_t>(topology.channel_ids() - 1));
    LinkTimes::Own& own = machine.links.single[channel];
    if (!dice.one_in(3)) own.delay = dice.between(1, longest);
    if (!dice.one_in(3)) own.cycles_per_flit = dice.between(1, slowest);
  }
  if (dice.one_in(8)) machine.link_delay = 260;
  if (dice.one_in(16)) machine.router_delay = 270;
  if (dice.one_in(3)) machine.injection_interval = dice.between(1, 4);
  if (dice.one_in(3)) machine.ejection_interval = dice.between(1, 4);
  if (machine.node_vcs > 1) machine.ejection_interval = 1;
  return random_case;
}

RandomCase on_one_way_torus(RandomCase random_case) {
  const Topology& whole = random_case.topology;
  if (whole.kind() != TopologyKind::torus || !whole.is_fault_free_grid()) return random_case;
  const bool plus = random_case.seed % 2 == 0;
  const Topology topology(TopologyKind::torus, {whole.sides().begin(), whole.sides().end()},
                          plus ? LinkDirections::plus : LinkDirections::minus);
  const Routing& routing = *RoutingRegistry::find(random_case.machine.routing);
  if (!routing.serves(topology) || !has_paths(routing, topology)) return random_case;
  MachineConfig machine = random_case.machine;
  if (!machine.allow_deadlock || !routing.may_share_classes) {
    // Paths may be longer there, and need more classes.
    machine.virtual_channels = std::max(machine.virtual_channels, routing.make(topology)->classes());
  }
  const unsigned inputs =
      topology.link_ports() * machine.virtual_channels + node_channels(topology, machine) * machine.node_vcs;
  if (inputs > kMaxVirtualChannels) return random_case;
  random_case.machine = machine;
  random_case.topology = topology;
  for (TimedMessage& message : random_case.messages) {
    for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
      message.packet.route.set_sign(dimension, plus ? Sign::plus : Sign::minus);
    }
  }
  return random_case;
}

std::string description(const RandomCase& random_case) {
  const MachineConfig& machine = random_case.machine;
  const RouterParts& parts = machine.parts;
  const std::string allocation = fmt::format(
      "{} VC and {} ({}) switch allocation, {} arbiters, {} speculation{}", name_of(parts.vc_allocator),
      name_of(parts.switch_allocator), parts.switch_iterations, name_of(parts.arbiter),
      name_of(parts.speculation),
      std::string(parts.early_credits ? ", early credits" : "") + (parts.bypass ? ", bypass" : "") +
          (parts.hold ? ", hold" : "") +
          fmt::format(", input speed-up {}, routing {}, injection credits {}, output speed-up {} "
                      "and queues of {}, buffers {} ({}), credits {} ({})",
                      parts.input_speedup, parts.routing_delay, parts.injection_credit_delay,
                      parts.output_speedup, parts.output_queue, name_of(parts.buffers), parts.buffer_reserve,
                      name_of(parts.credits), parts.stop_threshold.value_or(0)));
  return allocation + "; " +
         fmt::format(
             "seed {}: {}, {}, {} ({}), {} VCs ({}, {}){}, buffer {}, router {} + {}, credit {}, {}, ports "
             "{} of {} "
             "VCs, startup {}, "
             "intervals {} and {}, "
             "{} messages, {} message classes, queues {} of {}, ejection buffers of {}",
             random_case.seed, random_case.topology.name(), name_of(machine.switching), machine.routing,
             name_of(machine.selection), machine.virtual_channels, name_of(machine.vc_allocation),
             name_of(machine.flow), machine.allow_deadlock ? " (deadlock allowed)" : "", machine.buffer,
             machine.router_delay, machine.vc_delay, machine.credit_delay, links_text(machine),
             machine.ports ? std::to_string(*machine.ports) : "all", machine.node_vcs, machine.startup,
             machine.injection_interval, machine.ejection_interval, random_case.messages.size(),
             machine.message_classes(), name_of(machine.node_queues), machine.injection_queue.value_or(0),
             machine.ejection_buffer.value_or(0));
}

RandomCase with_fractional_intervals(RandomCase random_case) {
  random_case = with_unequal_links(std::move(random_case));
  MachineConfig& machine = random_case.machine;
  Dice dice(random_case.seed ^ 0xF0F0);
  const auto stretch = [&dice](Ratio& interval) {
    const std::uint32_t below = dice.one_in(8) ? dice.between(2, Ratio::kMaxDenominator) : dice.between(1, 5);
    interval = {interval.numerator() * below + dice.between(0, below - 1), below};
  };
  stretch(machine.link_cycles_per_flit);
  for (LinkTime& link : machine.links.by_channel) stretch(link.cycles_per_flit);
  for (auto& [channel, own] : machine.links.single) {
    if (own.cycles_per_flit) stretch(*own.cycles_per_flit);
  }
  return random_case;
}

}  // namespace flitscope::reference
