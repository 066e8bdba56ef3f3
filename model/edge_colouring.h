// Edge colouring of bipartite graphs: how the ports of a network are numbered.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace flitscope {

/// From a vertex of one side to a vertex of the other; several may join the same two.
struct ColouredArc {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

/// A colour for every arc, so that no two arcs that leave one vertex, and no two that enter one, have the
/// same. As many colours as the largest degree of a vertex, 64 at most (Koenig, 1916). `vertices` are those
/// of each side. Arcs that come first get the lowest colours that are free.
[[nodiscard]] std::vector<unsigned> edge_colours(std::uint32_t vertices, std::span<const ColouredArc> arcs);

}  // namespace flitscope
