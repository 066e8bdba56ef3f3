#include "sim/run/detours.h"

#include <algorithm>
#include <limits>

namespace flitscope {

void DetourCounter::add(NodeId source, NodeId destination, std::uint32_t links, std::uint32_t flits) {
  if (!topology_.is_fault_free_grid() && !keeps_distances()) return;
  flit_hops_ += std::uint64_t{links - distance(source, destination)} * flits;
}

std::optional<std::uint64_t> DetourCounter::flit_hops() const {
  return topology_.is_fault_free_grid() || keeps_distances() ? std::optional(flit_hops_) : std::nullopt;
}

std::uint32_t DetourCounter::distance(NodeId source, NodeId destination) {
  if (topology_.is_fault_free_grid()) {
    std::uint32_t links = 0;
    for (unsigned dimension = 0; dimension < topology_.dimensions(); ++dimension) {
      const std::uint32_t one = topology_.coordinate(source, dimension);
      const std::uint32_t other = topology_.coordinate(destination, dimension);
      links += *topology_.hops(dimension, one, other, topology_.shorter_direction(dimension, one, other));
    }
    return links;
  }
  auto& distances = distances_[source];
  if (distances.empty()) distances = distances_from(source);
  return distances[destination];
}

std::vector<std::uint16_t> DetourCounter::distances_from(NodeId source) const {
  constexpr auto kFar = std::numeric_limits<std::uint16_t>::max();
  std::vector<std::uint16_t> distances(topology_.routers(), kFar);
  distances[source] = 0;
  std::vector<NodeId> order{source};
  for (std::size_t next = 0; next < order.size(); ++next) {
    for (unsigned port = 0; port < topology_.link_ports(); ++port) {
      const auto to = topology_.neighbour(order[next], port);
      if (!to || distances[*to] != kFar) continue;
      distances[*to] = static_cast<std::uint16_t>(distances[order[next]] + 1);
      order.push_back(*to);
    }
  }
  return distances;
}

}  // namespace flitscope
