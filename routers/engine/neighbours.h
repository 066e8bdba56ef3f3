// The routers at the other ends of links, and how many lie at the same distance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

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
  void find_offsets(unsigned link_ports, std::size_t groups, const Delay& delay);
  /// Finds `quads` of a network of one group with one delay.
  void find_quads(unsigned virtual_channels);

  SharedArray<NodeId> nodes;                   ///< by link port, node by node; kNoNode: there is none
  std::vector<std::vector<Offset>> offsets{};  ///< by link port; empty: each by itself
  /// `kMaxOffsets` for each quad of VCs of links; empty: there is more than one group, or a port without
  /// offsets.
  std::vector<QuadOffset> quads{};

 private:
  [[nodiscard]] std::vector<Offset> offsets_of(unsigned port, unsigned link_ports, std::size_t groups,
                                               const Delay& delay) const;
};

}  // namespace flitscope
