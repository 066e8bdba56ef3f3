// The folded torus: a torus whose rows are folded, so that no wire is longer than two tiles.
#include <algorithm>

#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::folded_torus {
namespace {

/// The tile of a coordinate: 0, 2, 4, ... on the way out, ..., 5, 3, 1 on the way back.
std::uint32_t tile(std::uint32_t coordinate, std::uint32_t side) {
  return 2 * coordinate < side ? 2 * coordinate : 2 * (side - coordinate) - 1;
}

GraphPlan make(const ParameterValues& values) {
  const auto& sides = values.integers("shape");
  const auto tile_delay = static_cast<std::uint32_t>(values.integer("tile_delay"));
  std::uint64_t links = 0;
  for (const std::uint32_t side : sides) links += side == 2 ? 1 : 2;
  require_links("topology.shape", links);
  Grid::require_size("topology.shape", sides, 1);
  const Grid grid(sides);
  GraphPlan plan{.name = fmt::format("folded {} torus", grid.name())};
  const double bend = 0.5 / *std::ranges::max_element(sides);
  for (std::uint32_t node = 0; node < grid.routers(); ++node) {
    std::uint32_t place = 0;
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      place += tile(grid.digit(node, i), grid.side(i)) * grid.stride(i);
    }
    plan.add_router({fmt::format("n{}", fmt::join(grid.coordinates(node), ".")), true,
                     grid.at(place, 1, bend), grid.coordinates(node)});
  }
  for (std::uint32_t node = 0; node < grid.routers(); ++node) {
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      const std::uint32_t here = grid.digit(node, i);
      const std::uint32_t next = (here + 1) % grid.side(i);
      if (grid.side(i) == 2 && here == 1) continue;
      const std::uint32_t one = tile(here, grid.side(i));
      const std::uint32_t other = tile(next, grid.side(i));
      const std::uint32_t tiles = one < other ? other - one : one - other;
      plan.join(node, node + next * grid.stride(i) - here * grid.stride(i),
                {.delay = tiles * tile_delay,
                 .kind = tiles == 1 ? "short" : "folded",
                 .length = static_cast<double>(tiles)});
    }
  }
  return plan;
}

/// That of the torus; a row of two nodes has one link.
std::optional<std::uint64_t> bisection(const ParameterValues& values) {
  const auto& sides = values.integers("shape");
  if (std::ranges::find(sides, 2U) != sides.end()) return std::nullopt;
  return grid_bisection(sides, true);
}

const FamilyRegistry::Entry entry{{
    .name = "folded-torus",
    .summary = "torus of nodes whose rows are folded: links are one or two tiles long, and take the delay of "
               "their length",
    .source = "W. Dally, B. Towles: Route packets, not wires, 2001",
    .coordinates = "those on the torus, whose neighbours are linked; drawings have the tiles",
    .parameters = {Parameter::integers("shape", "nodes along each dimension, such as [4, 4]", {2, 65'536},
                                       "nodes"),
                   Parameter::cycles("tile_delay", "delay of a link that is one tile long",
                                     {1, kMaxLinkDelay / 2})
                       .or_else("1")},
    .routing = "layered",
    .bisection = bisection,
    .make = make,
}};

}  // namespace
}  // namespace flitscope::folded_torus
