#include "algorithms/collective_bounds.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace flitscope {

namespace {

/// Links out of a node or into it, whichever are more, of the node that has fewest.
unsigned fewest_links(const Topology& topology) {
  const Participants participants(topology);
  unsigned fewest = topology.link_ports();
  for (NodeId place = 0; place < participants.count(); ++place) {
    unsigned out = 0;
    unsigned in = 0;
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      out += topology.neighbour(participants[place], port) ? 1 : 0;
      in += topology.upstream(participants[place], port) ? 1 : 0;
    }
    fewest = std::min(fewest, std::max(out, in));
  }
  return fewest;
}

/// Of an all-to-all on a grid: the bytes over each link of the busiest cut, across the longest rings.
double bytes_across_rings(const Topology& grid, double bytes) {
  double least = 0;
  for (const std::uint32_t side : grid.sides()) {
    const std::uint64_t distances = std::uint64_t{side} * side / 4;
    least = std::max(least, bytes * static_cast<double>(distances) / (2.0 * side));
  }
  return least;
}

/// The node of each chunk; empty if a chunk is at several nodes, or at none.
std::vector<NodeId> nodes_of_chunks(const std::vector<Holding>& holdings, std::size_t chunks) {
  std::vector<NodeId> nodes(chunks, kNoNode);
  for (const Holding& holding : holdings) {
    for (const ChunkId chunk : holding.chunks) {
      if (std::exchange(nodes[chunk], holding.node) != kNoNode) return {};
    }
  }
  return std::ranges::find(nodes, kNoNode) == nodes.end() ? nodes : std::vector<NodeId>();
}

std::size_t count_different(std::vector<NodeId> nodes) {
  std::ranges::sort(nodes);
  return nodes.size() - std::ranges::unique(nodes).size();
}

/// Every node wants every chunk.
bool wants_everything(const Collective& collective, NodeId nodes) {
  if (!collective.goal) return true;
  const auto has_all = [&](const Holding& holding) {
    return holding.chunks.size() == collective.chunk_bytes.size();
  };
  return collective.goal->size() == nodes && std::ranges::all_of(*collective.goal, has_all);
}

/// The data from one node to another one.
struct Transfer {
  NodeId source = 0;
  NodeId destination = 0;
  std::uint64_t bytes = 0;
  std::uint64_t chunks = 0;
};

/// Of chunks that go from `sources` to `destinations`, without what stays at its node.
std::vector<Transfer> transfers_between(std::span<const NodeId> sources, std::span<const NodeId> destinations,
                                        std::span<const std::uint64_t> bytes) {
  std::vector<Transfer> transfers;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    if (sources[k] != destinations[k]) transfers.push_back({sources[k], destinations[k], bytes[k], 1});
  }
  const auto ends = [](const Transfer& transfer) { return std::pair(transfer.source, transfer.destination); };
  std::ranges::sort(transfers, {}, ends);
  std::size_t last = 0;
  for (std::size_t k = 1; k < transfers.size(); ++k) {
    if (ends(transfers[k]) != ends(transfers[last])) {
      transfers[++last] = transfers[k];
    } else {
      transfers[last].bytes += transfers[k].bytes;
      transfers[last].chunks += transfers[k].chunks;
    }
  }
  transfers.resize(std::min(transfers.size(), last + 1));
  return transfers;
}

/// Of data that is combined.
CollectiveKind kind_of_combined(const Collective& collective, NodeId nodes) {
  using enum CollectiveKind;
  if (!collective.operands_everywhere) return other;
  if (wants_everything(collective, nodes)) return all_reduce;
  const std::size_t destinations =
      count_different(nodes_of_chunks(*collective.goal, collective.chunk_bytes.size()));
  return destinations == 1 ? reduce : destinations == nodes ? reduce_scatter : other;
}

/// Of data that is not combined, `size` bytes in all.
OperationData operation_of_copies(const Collective& collective, NodeId nodes, double size) {
  using enum CollectiveKind;
  const auto& bytes = collective.chunk_bytes;
  const auto sources = nodes_of_chunks(collective.initial, bytes.size());
  const std::size_t different_sources = count_different(sources);
  if (sources.empty()) return {};
  if (wants_everything(collective, nodes)) {
    return {different_sources == 1       ? broadcast
            : different_sources == nodes ? all_gather
                                         : multinode_broadcast,
            size};
  }
  const auto destinations = nodes_of_chunks(*collective.goal, bytes.size());
  if (destinations.empty()) return {};
  const std::vector<Transfer> transfers = transfers_between(sources, destinations, bytes);
  const std::uint64_t others = nodes - 1;
  if (transfers.size() == others && different_sources == 1) return {scatter, size};
  if (transfers.size() == others && count_different(destinations) == 1) return {gather, size};
  if (transfers.size() != nodes * others) return {};
  const auto [least, most] = std::ranges::minmax_element(transfers, {}, &Transfer::bytes);
  if (most->bytes - least->bytes > std::max(most->chunks, least->chunks)) return {};
  // What stays at its node is no transfer, and may be no chunk.
  double sent = 0;
  for (const Transfer& transfer : transfers) sent += static_cast<double>(transfer.bytes);
  return {all_to_all, sent / static_cast<double>(others)};
}

}  // namespace

OperationData operation_of(const Collective& collective, const Topology& topology) {
  const NodeId nodes = Participants(topology).count();
  const auto& bytes = collective.chunk_bytes;
  if (nodes < 2 || bytes.empty()) return {};
  const auto size = static_cast<double>(std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}));
  if (!collective.combines()) return operation_of_copies(collective, nodes, size);
  const CollectiveKind kind = kind_of_combined(collective, nodes);
  return kind == CollectiveKind::other ? OperationData() : OperationData{kind, size};
}

std::optional<double> bytes_of_each_node(CollectiveKind kind, double nodes) {
  using enum CollectiveKind;
  if (kind == other || kind == multinode_broadcast) return std::nullopt;
  if (kind == broadcast || kind == reduce) return 1;
  const double others = (nodes - 1) / nodes;
  return kind == all_reduce ? 2 * others : others;
}

std::uint64_t gossip_bytes(std::uint64_t part, const Topology& topology) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t parts = Participants(topology).count();
  return part > kMost / parts ? kMost : part * parts;
}

double least_link_bytes(CollectiveKind kind, const Topology& topology, std::uint64_t message,
                        std::size_t sources) {
  using enum CollectiveKind;
  if (kind == gossip) return least_link_bytes(all_gather, topology, gossip_bytes(message, topology));
  const std::uint64_t nodes = Participants(topology).count();
  const auto bytes = static_cast<double>(message);
  const double ports = topology.link_ports();
  // Each node receives all messages but its own.
  if (kind == multinode_broadcast)
    return bytes * static_cast<double>(sources < nodes ? sources : sources - 1) / ports;
  // What the other nodes get if the root has the largest part.
  if (kind == scatter || kind == gather) {
    const std::uint64_t largest = (message + nodes - 1) / nodes;
    return static_cast<double>(message - largest) / ports;
  }
  const bool is_grid = topology.is_fault_free_grid() && !topology.is_one_way();
  if (kind == all_to_all && is_grid) return bytes_across_rings(topology, bytes);
  return bytes * bytes_of_each_node(kind, static_cast<double>(nodes)).value_or(0) /
         (is_grid ? ports : fewest_links(topology));
}

}  // namespace flitscope
