#include "routers/engine/neighbours.h"

#include <algorithm>

namespace flitscope {

void Neighbours::find_offsets(unsigned link_ports, std::size_t groups, const Delay& delay) {
  for (unsigned port = 0; port < link_ports; ++port) {
    offsets.push_back(offsets_of(port, link_ports, groups, delay));
  }
}

/// Those of a port, if they are few.
std::vector<Neighbours::Offset> Neighbours::offsets_of(unsigned port, unsigned link_ports, std::size_t groups,
                                                       const Delay& delay) const {
  std::vector<Offset> found;
  const auto end = static_cast<NodeId>(nodes.size() / link_ports);
  for (NodeId node = 0; node < end; ++node) {
    const NodeId neighbour = nodes[std::size_t{node} * link_ports + port];
    if (neighbour == kNoNode) continue;
    const std::int64_t distance = std::int64_t{neighbour} - std::int64_t{node};
    const auto number = static_cast<std::uint16_t>(delay(node, neighbour, port));
    auto offset = std::ranges::find_if(
        found, [&](const Offset& each) { return each.distance == distance && each.delay == number; });
    if (offset == found.end()) {
      if (found.size() == kMaxOffsets) return {};
      offset = found.insert(found.end(), {distance, number, SharedArray<Plane>(groups)});
    }
    offset->routers[node / kGroupSize] |= Plane{1} << node % kGroupSize;
  }
  return found;
}

void Neighbours::find_quads(unsigned virtual_channels) {
  if (std::ranges::any_of(offsets, &std::vector<Offset>::empty)) return;
  const std::size_t vcs = offsets.size() * virtual_channels;
  quads.resize((vcs + 3) / 4 * kMaxOffsets);
  for (std::size_t vc = 0; vc < vcs; ++vc) {
    const std::vector<Offset>& of_port = offsets[vc / virtual_channels];
    for (std::size_t i = 0; i < of_port.size(); ++i) {
      QuadOffset& quad = quads[vc / 4 * kMaxOffsets + i];
      quad.routers[vc % 4] = of_port[i].routers[0];
      quad.distance[vc % 4] = static_cast<Plane>(of_port[i].distance) % kGroupSize;
    }
  }
}

}  // namespace flitscope
