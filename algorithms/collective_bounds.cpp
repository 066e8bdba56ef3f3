#include "algorithms/collective_bounds.h"

#include <algorithm>
#include <limits>

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

}  // namespace

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
