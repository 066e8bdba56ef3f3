#include "sim/analysis/network_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "model/graph.h"
#include "model/route_table.h"
#include "model/schedule.h"
#include "routers/routing/table_routing.h"

namespace flitscope {

namespace {

/// The router of a node that has one link each way, both of the kind "node"; nothing if it has others.
std::optional<NodeId> router_of(const Graph& graph, NodeId node) {
  std::optional<NodeId> result;
  unsigned leaving = 0;
  unsigned entering = 0;
  for (unsigned port = 0; port < graph.ports(); ++port) {
    if (const auto to = graph.neighbour(node, port)) {
      if (graph.link(node, port).kind != kLinkOfNode) return std::nullopt;
      ++leaving;
      result = to;
    }
    if (const auto from = graph.upstream(node, port)) {
      if (graph.link(*from, port).kind != kLinkOfNode) return std::nullopt;
      ++entering;
    }
  }
  return leaving == 1 && entering == 1 ? result : std::nullopt;
}

}  // namespace

std::vector<bool> attached_nodes(const Topology& topology) {
  std::vector<bool> result(topology.routers());
  if (topology.is_grid()) return result;
  const Graph& graph = *topology.graph();
  for (NodeId node = 0; node < graph.nodes(); ++node) {
    const auto router = router_of(graph, node);
    // A router whose only neighbour is attached to it comes before that.
    const bool is_router =
        router && *router < graph.nodes() && node < *router && router_of(graph, *router) == node;
    result[node] = router && !is_router;
  }
  return result;
}

std::vector<std::uint32_t> links_from(const Topology& topology, std::span<const NodeId> nodes) {
  std::vector<std::uint32_t> links(topology.routers(), kUnreachable);
  std::vector<NodeId> queue(nodes.begin(), nodes.end());
  for (const NodeId node : nodes) links[node] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    topology.for_each_link_from(queue[i], [&](unsigned, NodeId next) {
      if (links[next] != kUnreachable) return;
      links[next] = links[queue[i]] + 1;
      queue.push_back(next);
    });
  }
  return links;
}

namespace {

void count_links(NetworkCost& cost, const Topology& topology, std::span<const Decimal> mm) {
  const LinkKinds kinds(topology);
  for (const std::string& name : kinds.names()) cost.kinds.push_back({name, 0, 0, {}});
  topology.for_each_link([&](NodeId router, unsigned port, NodeId) {
    const ChannelId channel = topology.channel(router, port);
    LinkKind& kind = cost.kinds[kinds.kind_of(channel)];
    ++kind.links;
    kind.length += kinds.length_of(channel);
  });
  if (!mm.empty()) cost.wire_mm = 0;
  for (std::size_t i = 0; i < cost.kinds.size(); ++i) {
    LinkKind& kind = cost.kinds[i];
    cost.links += kind.links;
    if (mm.empty()) continue;
    kind.mm = kind.length * mm[mm.size() == 1 ? 0 : i].approximate();
    *cost.wire_mm += *kind.mm;
  }
  std::erase_if(cost.kinds, [](const LinkKind& kind) { return kind.links == 0; });
}

// --- Distances ---------------------------------------------------------------------------------------------

/// Of shortest paths between different nodes.
struct PathLengths {
  std::uint32_t longest = 0;
  double mean = 0;
};

/// The sum over dimensions: of all pairs of coordinates, k/4 of a ring of k if k is even, (k - 1/k)/4 if it
/// is odd, (k - 1)/2 if its links lead one way, (k - 1/k)/3 of a row.
PathLengths grid_path_lengths(const Topology& topology) {
  std::uint32_t longest = 0;
  double mean = 0;
  for (const std::uint32_t side : topology.sides()) {
    const double k = side;
    longest += topology.wraps() && !topology.is_one_way() ? side / 2 : side - 1;
    if (topology.is_one_way()) {
      mean += (k - 1) / 2;
    } else {
      mean += !topology.wraps() ? (k - 1 / k) / 3 : side % 2 == 0 ? k / 4 : (k - 1 / k) / 4;
    }
  }
  const double nodes = topology.nodes();
  return {longest, mean * nodes / (nodes - 1)};  // a node is no destination of its own
}

/// Searches are those of core routers, with all of their nodes at once: a leaf is a link farther away.
/// Nothing if they take more than `max_work` steps.
std::optional<PathLengths> graph_path_lengths(const Topology& topology, std::uint64_t participants,
                                              double max_work) {
  const CoreRouters routers(topology);
  const CoreLinks links(topology, routers);
  const double work = static_cast<double>(routers.cores()) + links.count();
  if (work * routers.cores() > max_work) return std::nullopt;
  const auto leaves_at = [&](std::uint32_t core) {
    return routers.nodes_at(core) - (routers.router(core) < topology.nodes() ? 1 : 0);
  };
  std::uint32_t longest = 0;
  std::uint64_t sum = 0;
  Distances distance(links, routers.cores());
  for (std::uint32_t to = 0; to < routers.cores(); ++to) {
    const std::uint64_t nodes = routers.nodes_at(to);
    const std::uint32_t leaves = leaves_at(to);
    if (nodes == 0) continue;
    distance.find(to);
    for (const std::uint32_t from : distance.order()) {
      const std::uint64_t sources = routers.nodes_at(from);
      if (sources == 0) continue;
      sum += sources * nodes * distance[from] + sources * leaves + leaves_at(from) * nodes;
      if (from != to)
        longest = std::max(longest, distance[from] + std::min(leaves, 1U) + std::min(leaves_at(from), 1U));
    }
    sum -= 2 * std::uint64_t{leaves};  // from a leaf to itself
    if (nodes > 1) longest = std::max(longest, std::min(leaves, 2U));
  }
  const auto nodes = static_cast<double>(participants);
  return PathLengths{longest, static_cast<double>(sum) / (nodes * (nodes - 1))};
}

/// Of all networks, each alone: a message goes by one. Those of graphs are alike.
void add_distances(NetworkCost& cost, const Topology& topology, double max_work) {
  const bool is_grid = topology.is_fault_free_grid();
  const unsigned networks = is_grid ? topology.networks() : 1;
  PathLengths all;
  for (unsigned number = 0; number < networks; ++number) {
    const Topology network = topology.network(number);
    const auto own = is_grid ? grid_path_lengths(network) : graph_path_lengths(network, cost.nodes, max_work);
    if (!own) return;
    all = {std::max(all.longest, own->longest), all.mean + own->mean};
  }
  cost.diameter = all.longest;
  cost.hops_mean = all.mean / networks;
}

// --- Routers -----------------------------------------------------------------------------------------------

/// A channel leads to one network, whose classes alone put flits into it.
unsigned injection_vcs_of(const Topology& topology, const MachineConfig& machine) {
  std::vector<unsigned> classes(topology.networks());
  for (const MessageClass& each : machine.classes) ++classes[each.network];
  if (machine.classes.empty()) classes.front() = 1;
  unsigned queues = 0;
  for (unsigned channel = 0; channel < node_channels(topology, machine); ++channel) {
    const unsigned own = classes[network_of_channel(topology, machine, channel)];
    queues += machine.node_queues == NodeQueues::separate ? own : std::min(own, 1U);
  }
  return queues * machine.node_vcs;
}

void add_routers(NetworkCost& cost, const Topology& topology, const MachineConfig& machine) {
  const unsigned channels = node_channels(topology, machine);
  const unsigned injection_vcs = injection_vcs_of(topology, machine);
  const std::vector<bool> is_attached = attached_nodes(topology);
  std::uint64_t buffers = cost.links * machine.virtual_channels;
  for (NodeId router = 0; router < topology.routers(); ++router) {
    const bool has_node = router < topology.nodes();
    if (has_node && topology.is_missing(router)) continue;
    if (has_node) buffers += injection_vcs;
    if (is_attached[router]) continue;
    ++cost.routers;
    unsigned ports = has_node ? channels : 0;
    for (unsigned port = 0; port < topology.link_ports(); ++port)
      ports += topology.has_link(router, port) ? 1 : 0;
    cost.radix = std::max(cost.radix, ports);
  }
  cost.buffer_bits = buffers * machine.buffer * machine.flit_bytes * 8;
}

}  // namespace

NetworkCost network_cost(const Topology& topology, const MachineConfig& machine, std::span<const Decimal> mm,
                         double max_work) {
  NetworkCost cost;
  cost.nodes = Participants(topology).count();
  count_links(cost, topology, mm);
  add_routers(cost, topology, machine);
  add_distances(cost, topology, max_work);
  cost.bisection = bisection_of(topology, machine, cost.nodes, max_work);
  return cost;
}

}  // namespace flitscope
