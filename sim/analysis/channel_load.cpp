#include "sim/analysis/channel_load.h"

#include <cmath>
#include <utility>

#include "model/error.h"
#include "model/graph.h"
#include "model/route.h"
#include "sim/analysis/link_sums.h"

namespace flitscope {

namespace {

/// The number of counters a topology needs, once it is known that they fit.
std::size_t counters_for(const Topology& topology, std::uint64_t limit_bytes) {
  constexpr std::uint64_t bytes_per_counter = 8;
  refuse_if(topology.channel_ids() > limit_bytes / bytes_per_counter, "topology.shape",
            "the {} has {} links, too many to count the load of each; at most {} are possible "
            "with the memory allowed",
            topology.name(), topology.channel_ids(), limit_bytes / bytes_per_counter);
  return topology.channel_ids();
}

}  // namespace

ChannelLoad::ChannelLoad(Paths paths, std::uint64_t limit_bytes)
    : topology_(paths.topology()), paths_{std::move(paths)}, counts_(counters_for(topology_, limit_bytes)) {}

ChannelLoad::ChannelLoad(const Topology& topology, const std::string& routing)
    : topology_(topology),
      paths_(paths_of_networks(topology, routing)),
      counts_(counters_for(topology, kMemoryLimit)) {}

StepLoad ChannelLoad::count(std::span<const Message> messages) {
  start_step();
  for (const Message& message : messages) add(message);
  return load_;
}

void ChannelLoad::start_step() {
  counts_.clear();
  load_ = {};
}

void ChannelLoad::add(const Message& message, unsigned network) {
  const auto count = [&](ChannelId of_network) {
    const ChannelId channel = topology_.channel_of(network, of_network);
    const std::uint32_t load = counts_.increment(channel);
    ++load_.hops;
    if (load == 2) ++load_.shared_links;
    if (load > load_.max_load || (load == load_.max_load && channel < load_.busiest.value())) {
      load_.max_load = load;
      load_.busiest = channel;
    }
  };
  paths_[network].for_each_channel(message.source, message.destination, message.route, count);
}

LinkVolume link_volume(Schedule& schedule, const Paths& paths) {
  const Topology& topology = schedule.facts().topology;
  std::vector<std::uint64_t> now(topology.channel_ids());
  std::vector<ChannelId> used;
  LinkVolume volume;
  volume.of_links.resize(topology.channel_ids());
  for (Step step; schedule.next(step);) {
    for (const Message& message : step.messages()) {
      const std::uint64_t bytes = message_bytes(schedule.facts().collective, step, message);
      if (bytes == 0) continue;
      paths.for_each_channel(message.source, message.destination, message.route, [&](ChannelId channel) {
        if (now[channel] == 0) used.push_back(channel);
        now[channel] += bytes;
        volume.total += bytes;
      });
    }
    std::uint64_t busiest = 0;
    for (const ChannelId channel : used) {
      busiest = std::max(busiest, now[channel]);
      volume.of_links[channel] += now[channel];
      now[channel] = 0;
    }
    used.clear();
    volume.busiest_of_steps += busiest;
  }
  volume.busiest_link = std::ranges::max(volume.of_links);
  return volume;
}

namespace {

/// Nodes that `present` lacks are left out.
PathsOfPairs paths_of_pairs(const Paths& paths, const Topology& present) {
  const Topology& topology = paths.topology();
  std::vector<std::uint64_t> pairs(topology.channel_ids());
  std::uint64_t links = 0;
  std::uint64_t count = 0;
  for (NodeId to = 0; to < topology.nodes(); ++to) {
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      if (from == to || present.is_missing(from) || present.is_missing(to)) continue;
      ++count;
      paths.for_each_channel(from, to, {}, [&](ChannelId channel) {
        ++links;
        ++pairs[channel];
      });
    }
  }
  return {static_cast<double>(links) / static_cast<double>(count), *std::ranges::max_element(pairs)};
}

}  // namespace

FaultCost fault_cost(const Topology& topology, const std::string& routing) {
  FaultCost cost{paths_of_pairs(Paths(topology, routing), topology), {}};
  if (!RoutingRegistry::find(routing)->needs_routes) {
    cost.whole = paths_of_pairs(Paths(topology.whole(), routing), topology);
  }
  return cost;
}

namespace {

/// The first port of a message takes as long as so many links.
constexpr double kStepsOfAPair = 10;

/// What nodes send along paths, of a load of one flit per node and cycle.
struct FlowSums {
  std::vector<FlitSum> links;  ///< of the network of the paths
  std::vector<FlitSum> injected;
  std::vector<FlitSum> ejected;
  std::vector<FlitSum> received;  ///< by links, of every node
};

/// Of nodes that send alike. Nothing if it would take more than `limit` steps.
std::optional<FlowSums> sums_of_common(const CommonShares& shares, LinkSums& links, bool self, double limit) {
  const std::size_t nodes = shares.of.size();
  FlowSums sums;
  FlitSum all;
  std::vector<FlitSum> flits;
  for (const double share : shares.of) all += flits.emplace_back(share);
  for (const FlitSum each : flits) {
    const FlitSum to_itself = self && shares.to_itself ? each : FlitSum();
    sums.injected.push_back(all - each + to_itself);
    sums.received.push_back(each * (nodes - 1));
    sums.ejected.push_back(sums.received.back() + to_itself);
  }
  if (!links.add_from_all(flits, limit)) return std::nullopt;
  sums.links = links.take();
  return sums;
}

/// Links of a path, or dimensions where that is what a path takes to add: about half of the most.
double steps_of_path(const Paths& paths) {
  const Topology& topology = paths.topology();
  if (paths.follow_routes()) return topology.dimensions();
  if (!topology.is_grid()) return std::log2(topology.nodes());
  double diameter = 0;
  for (const std::uint32_t side : topology.sides()) diameter += topology.wraps() ? side / 2 : side - 1;
  return diameter / 2;
}

/// Pair by pair. Nothing if it would take more than `limit` steps.
std::optional<FlowSums> sums_of_pairs(const TrafficPattern& pattern, const Paths& paths, LinkSums& links,
                                      bool self, double limit) {
  const NodeId nodes = paths.topology().nodes();
  const double of_pair = 1 + steps_of_path(paths) * links.drawn_paths();
  double steps = 0;
  for (NodeId source = 0; source < nodes; ++source) {
    pattern.for_each_share(source, [&](NodeId, double) { steps += of_pair; });
    if (steps > limit) return std::nullopt;
  }
  FlowSums sums;
  sums.injected.resize(nodes);
  sums.ejected.resize(nodes);
  sums.received.resize(nodes);
  for (NodeId source = 0; source < nodes; ++source) {
    const double rate = pattern.rate(source);
    pattern.for_each_share(source, [&](NodeId destination, double share) {
      if (destination == source && !self) return;
      const FlitSum flits(share * rate);
      sums.injected[source] += flits;
      sums.ejected[destination] += flits;
      if (destination != source) sums.received[destination] += flits;
      links.add(source, destination, flits);
    });
  }
  sums.links = links.take();
  return sums;
}

std::vector<double> values_of(const std::vector<FlitSum>& sums) {
  std::vector<double> values;
  values.reserve(sums.size());
  for (const FlitSum sum : sums) values.push_back(sum.value());
  return values;
}

double total_of(const std::vector<FlitSum>& sums) {
  FlitSum total;
  for (const FlitSum sum : sums) total += sum;
  return total.value();
}

/// Whether messages must cross the planes between their source and their destination in the direction of
/// minimal paths: a detour on a torus can go the other way round a ring.
bool crosses_planes(const Topology& topology, const MachineConfig& machine) {
  return topology.is_fault_free_grid() &&
         (!topology.wraps() || RoutingRegistry::find(machine.routing)->minimal);
}

/// Spreads what crosses each cut of a network over its links. Where messages cross planes, `paths` are the
/// loads of any minimal paths; `received` is what links bring to each node.
std::vector<double> spread(const std::vector<double>& paths, const std::vector<double>& received,
                           const Topology& topology, const MachineConfig& machine, unsigned network) {
  const bool planes = crosses_planes(topology, machine);
  // A plane is crossed by links of one port that leave one coordinate.
  const std::uint64_t side = std::ranges::max(topology.sides());
  const auto cut_of = [&](ChannelId channel) -> std::optional<std::uint64_t> {
    const NodeId node = topology.channel_node(channel);
    const unsigned port = topology.channel_port(channel);
    if (!topology.has_link(node, port) || topology.network_of_port(port) != network) return std::nullopt;
    if (planes) return port * side + topology.coordinate(node, topology.dimension(port));
    const NodeId end = *topology.neighbour(node, port);
    return end < topology.nodes() ? std::optional<std::uint64_t>(end) : std::nullopt;
  };
  struct CutLoad {
    double load = 0;
    double capacity = 0;
  };
  std::vector<CutLoad> cuts(planes ? topology.link_ports() * side : topology.nodes());
  if (!planes) {
    for (NodeId node = 0; node < topology.nodes(); ++node) cuts[node].load = received[node];
  }
  std::vector<double> channels(topology.channel_ids());
  const auto capacity = [&](ChannelId channel) {
    return 1.0 / machine.link(topology, channel).cycles_per_flit.approximate();
  };
  for (ChannelId channel = 0; channel < channels.size(); ++channel) {
    const auto cut = cut_of(channel);
    if (!cut) continue;
    if (planes) cuts[*cut].load += paths[channel];
    cuts[*cut].capacity += capacity(channel);
  }
  for (ChannelId channel = 0; channel < channels.size(); ++channel) {
    if (const auto cut = cut_of(channel)) {
      channels[channel] = cuts[*cut].load * capacity(channel) / cuts[*cut].capacity;
    }
  }
  return channels;
}

/// Finds the busiest link, and what is always busy first.
void find_limits(TrafficLoad& load, const Topology& topology, const MachineConfig& machine) {
  using Of = TrafficLoad::Limit::Of;
  double most = 0;
  const auto look = [&](double busy, Of of, NodeId node) {
    if (busy <= most) return false;
    most = busy;
    load.limit = {1 / busy, of, node};
    return true;
  };
  for (ChannelId channel = 0; channel < load.channels.size(); ++channel) {
    const double flits = load.channels[channel];
    if (!look(flits * machine.link(topology, channel).cycles_per_flit.approximate(), Of::links, 0)) continue;
    load.max_channel_load = flits;
    load.busiest = channel;
  }
  if (chooses_links(topology, machine)) load.busiest.reset();
  const double node = node_channels(topology, machine);
  for (NodeId each = 0; each < topology.nodes(); ++each) {
    look(load.injection_cycles[each] / node, Of::injection, each);
    look(load.ejection_cycles[each] / node, Of::ejection, each);
  }
  for (std::size_t k = 0; k < load.port_injection_cycles.size(); ++k)
    look(load.port_injection_cycles[k], Of::injection, static_cast<NodeId>(k / topology.link_ports()));
}

/// Flits that every injection channel puts, node after node, by the first links of messages.
std::vector<double> flits_of_channels(const Paths& paths, const TrafficPattern& pattern,
                                      const TrafficConfig& config, std::uint32_t drawn_paths) {
  const Topology& topology = paths.topology();
  std::vector<double> flits(std::size_t{topology.nodes()} * topology.link_ports());
  for (NodeId source = 0; source < topology.nodes(); ++source) {
    if (topology.is_missing(source)) continue;
    const double rate = pattern.rate(source);
    double* const own = &flits[std::size_t{source} * topology.link_ports()];
    pattern.for_each_share(source, [&](NodeId destination, double share) {
      if (destination == source) {
        own[0] += config.self ? share * rate : 0;
        return;
      }
      if (!paths.follow_routes()) {
        for (std::uint32_t draw = 0; draw < drawn_paths; ++draw)
          own[paths.first_port(source, destination, Route::drawn(draw))] += share * rate / drawn_paths;
        return;
      }
      const unsigned port =
          paths.first_port(source, destination, shortest_route(topology, source, destination));
      const bool ties = config.ties == Ties::random &&
                        (ties_between(topology, source, destination) >> topology.dimension(port) & 1) != 0;
      own[port] += share * rate / 2;
      own[ties ? port ^ 1 : port] += share * rate / 2;
    });
  }
  return flits;
}

}  // namespace

double TrafficLoad::ideal_saturation(const Topology& topology, const MachineConfig& machine,
                                     const TrafficLoad& beside) const {
  std::optional<double> most;
  const auto look = [&](double own, double other, double possible) {
    if (own <= 0) return;
    const double load = std::max(0.0, (possible - other) / own);
    most = std::min(load, most.value_or(load));
  };
  const double node = node_channels(topology, machine);
  for (NodeId each = 0; each < topology.nodes(); ++each) {
    look(injection_cycles[each], beside.injection_cycles[each], node);
    look(ejection_cycles[each], beside.ejection_cycles[each], node);
  }
  for (std::size_t k = 0; k < port_injection_cycles.size() && !beside.port_injection_cycles.empty(); ++k)
    look(port_injection_cycles[k], beside.port_injection_cycles[k], 1);
  for (ChannelId channel = 0; channel < channels.size(); ++channel) {
    look(channels[channel], beside.channels[channel],
         1.0 / machine.link(topology, channel).cycles_per_flit.approximate());
  }
  return most.value_or(0);
}

double TrafficLoad::mean_link_delay(const Topology& topology, const MachineConfig& machine) const {
  if (machine.links.none()) return hops_mean * machine.link_delay;
  double cycles = 0;
  for (ChannelId channel = 0; channel < channels.size(); ++channel) {
    cycles += channels[channel] * machine.link(topology, channel).delay;
  }
  return sent > 0 ? cycles / (sent * topology.nodes()) : 0;
}

bool chooses_links(const Topology& topology, const MachineConfig& machine) {
  const Routing* const routing = RoutingRegistry::find(machine.routing);
  return routing != nullptr && routing->serves(topology) && !routing->make(topology)->deterministic();
}

std::optional<TrafficLoad> traffic_load(const Topology& topology, const MachineConfig& machine,
                                        const TrafficConfig& config, const TrafficPattern& pattern,
                                        double message_flits, double limit) {
  const unsigned network = machine.network_of(class_of(config, machine));
  const Topology own = topology.network(network);
  const auto common = pattern.common_shares();
  const double nodes = topology.nodes();
  // Known before tables of routes are made.
  if (common && !topology.is_fault_free_grid() && nodes * nodes > limit) return std::nullopt;
  const Paths paths(own, machine.routing);
  const std::uint32_t drawn_paths = drawn_paths_of(machine.routing, config.drawn_paths);
  const auto sums_along = [&](const Paths& along) {
    LinkSums links(along, config.ties == Ties::random, drawn_paths);
    return common ? sums_of_common(*common, links, config.self, limit)
                  : sums_of_pairs(pattern, along, links, config.self, limit);
  };
  const auto sums = sums_along(paths);
  if (!sums) return std::nullopt;

  TrafficLoad load;
  // With separate queues the startups of different classes pass at the same time.
  const double startup =
      machine.queues_of_node() == 1 ? static_cast<double>(machine.startup) / message_flits : 0;
  const auto cycles_of = [](std::vector<double> flits, double cycles) {
    for (double& each : flits) each *= cycles;
    return flits;
  };
  load.injection_cycles = cycles_of(values_of(sums->injected), machine.injection_interval + startup);
  load.ejection_cycles = cycles_of(values_of(sums->ejected), machine.ejection_interval);
  const bool is_slow = machine.injection_interval > 1 || startup > 0;
  if (is_slow && !machine.ports && topology.networks() == 1 && !chooses_links(topology, machine) &&
      nodes * nodes * drawn_paths <= limit / kStepsOfAPair) {
    load.port_injection_cycles = cycles_of(flits_of_channels(paths, pattern, config, drawn_paths),
                                           machine.injection_interval + startup);
  }
  const double sent = total_of(sums->injected);
  load.sent = sent / nodes;
  if (sent > 0) load.hops_mean = total_of(sums->links) / sent;
  const auto loads_of = [&](const std::vector<FlitSum>& of_network) {
    std::vector<double> channels(topology.channel_ids());
    for (ChannelId channel = 0; channel < of_network.size(); ++channel)
      channels[topology.channel_of(network, channel)] = of_network[channel].value();
    return channels;
  };
  load.channels = loads_of(sums->links);
  if (chooses_links(topology, machine)) {
    if (crosses_planes(topology, machine) && !RoutingRegistry::find(machine.routing)->minimal) {
      const auto minimal = sums_along(Paths(own));
      if (!minimal) return std::nullopt;
      load.channels = loads_of(minimal->links);
    }
    load.channels = spread(load.channels, values_of(sums->received), topology, machine, network);
  }
  find_limits(load, topology, machine);
  return load;
}

TrafficLoad sum_of(const std::vector<LoadPart>& parts, const Topology& topology,
                   const MachineConfig& machine) {
  TrafficLoad all;
  const auto add = [](std::vector<double>& sums, const std::vector<double>& values, double part) {
    sums.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sums[i] += part * values[i];
  };
  const bool has_ports = std::ranges::none_of(
      parts, [](const LoadPart& each) { return each.load.port_injection_cycles.empty(); });
  double flit_hops = 0;
  for (const auto& [load, part] : parts) {
    add(all.channels, load.channels, part);
    add(all.injection_cycles, load.injection_cycles, part);
    add(all.ejection_cycles, load.ejection_cycles, part);
    if (has_ports) add(all.port_injection_cycles, load.port_injection_cycles, part);
    all.sent += part * load.sent;
    flit_hops += part * load.sent * load.hops_mean;
  }
  if (all.sent > 0) all.hops_mean = flit_hops / all.sent;
  find_limits(all, topology, machine);
  return all;
}

bool for_each_pair(const Topology& all, const MachineConfig& machine, const TrafficConfig& traffic,
                   const TrafficPattern& pattern, const std::function<bool(const Flow&)>& visit) {
  const Topology topology = all.network(machine.network_of(class_of(traffic, machine)));
  const std::uint32_t drawn_paths = drawn_paths_of(machine.routing, traffic.drawn_paths);
  bool wanted = true;
  const auto visit_sizes = [&](NodeId source, NodeId destination, Route route) {
    for (const auto& size : traffic.message.sizes) {
      const std::uint64_t flits = flits_of(size.bytes, machine.flit_bytes);
      wanted = wanted && visit({source, destination, route, 0, flits});
      // Lengths make a difference to bubbles only.
      if (machine.flow != FlowControl::bubble) break;
    }
  };
  for (NodeId source = 0; source < topology.nodes() && wanted; ++source) {
    pattern.for_each_share(source, [&](NodeId destination, double share) {
      if (share <= 0 || destination == source || !wanted) return;
      const auto ties = traffic.ties == Ties::random ? ties_between(topology, source, destination) : 0U;
      // Every set of the dimensions with a tie.
      for (std::uint32_t minus = ties;; minus = (minus - 1) & ties) {
        Route route = shortest_route(topology, source, destination);
        route.negative = static_cast<std::uint16_t>(route.negative | minus);
        for (std::uint32_t draw = 0; draw < drawn_paths && wanted; ++draw) {
          route.draw = static_cast<std::uint8_t>(draw);
          visit_sizes(source, destination, route);
        }
        if (minus == 0) break;
      }
    });
  }
  return wanted;
}

}  // namespace flitscope
