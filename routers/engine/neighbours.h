// Links: the routers at their other ends, how many lie at the same distance, and when slow links are free.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "model/machine.h"
#include "model/types.h"
#include "routers/engine/planes.h"
#include "routers/engine/prefetch.h"

namespace flitscope {

/// Where all links lead, or where they come from. On grids the neighbours of a port lie at few distances, and
/// what is posted to those of many routers is a plane that is rotated.
struct Neighbours {
  /// Routers that have their neighbour at the same distance, by links of the same delay.
  struct Offset {
    std::int64_t distance = 0;
    std::uint16_t delay = 0;     ///< number of the delay
    SharedArray<Plane> routers;  ///< by group
  };
  /// The same of the VCs of a quad, where the network is one group.
  struct QuadOffset {
    Quad routers{};
    Quad distance{};  ///< modulo 64
  };
  static constexpr std::size_t kMaxOffsets = 2;  ///< of a port, as on tori

  /// The number of a link's delay, by node, neighbour and port.
  using Delay = std::function<unsigned(NodeId, NodeId, unsigned)>;

  /// Finds `offsets`.
  void find_offsets(NodeId routers, unsigned link_ports, const Delay& delay) {
    for (unsigned port = 0; port < link_ports; ++port) {
      offsets.push_back(offsets_of(port, routers, link_ports, delay));
    }
  }
  /// Finds `quads` of a network of one group with one delay.
  void find_quads(unsigned virtual_channels) {
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

  SharedArray<NodeId> nodes;                   ///< by link port, node by node; kNoNode: there is none
  std::vector<std::vector<Offset>> offsets{};  ///< by link port; empty: each by itself
  /// `kMaxOffsets` for each quad of VCs of links; empty: there is more than one group, or a port without
  /// offsets.
  std::vector<QuadOffset> quads{};

 private:
  /// Those of a port, if they are few.
  [[nodiscard]] std::vector<Offset> offsets_of(unsigned port, NodeId routers, unsigned link_ports,
                                               const Delay& delay) const {
    std::vector<Offset> found;
    for (NodeId node = 0; node < routers; ++node) {
      const NodeId neighbour = nodes[std::size_t{node} * link_ports + port];
      if (neighbour == kNoNode) continue;
      const std::int64_t distance = std::int64_t{neighbour} - std::int64_t{node};
      const auto number = static_cast<std::uint16_t>(delay(node, neighbour, port));
      auto offset = std::ranges::find_if(
          found, [&](const Offset& each) { return each.distance == distance && each.delay == number; });
      if (offset == found.end()) {
        if (found.size() == kMaxOffsets) return {};
        offset = found.insert(found.end(),
                              {distance, number, std::make_shared<Plane[]>(routers / kGroupSize + 1)});
      }
      offset->routers[node / kGroupSize] |= Plane{1} << node % kGroupSize;
    }
    return found;
  }
};

/// A link that takes one flit every so many cycles, where any link is slower than one a cycle. It is free
/// from `free_from` + `part` / denominator of the interval, docs/timing.md stage 5.
struct LinkInterval {
  Ratio cycles;
  std::uint32_t part = 0;
  Cycle free_from = 0;             ///< cycle of the next flit
  std::uint64_t last_message = 0;  ///< of the flit that left last

  /// A flit takes the link.
  void take(Cycle now, std::uint64_t message) {
    const std::uint32_t parts = (free_from == now ? part : 0) + cycles.numerator();
    free_from = now + parts / cycles.denominator();
    part = parts % cycles.denominator();
    last_message = message;
  }
};

}  // namespace flitscope
