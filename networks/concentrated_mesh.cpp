// The concentrated mesh: a mesh of routers, each with several nodes.
#include <algorithm>

#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::concentrated_mesh {
namespace {

GraphPlan make(const ParameterValues& values) {
  const auto& sides = values.integers("shape");
  const auto concentration = static_cast<std::uint32_t>(values.integer("concentration"));
  std::uint64_t links = concentration;
  for (const std::uint32_t side : sides) links += std::min(side - 1, 2U);
  require_links("topology.concentration", links);
  Grid::require_size("topology.shape", sides, 1 + concentration);
  const Grid grid(sides);
  GraphPlan plan{
      .name = fmt::format("{} concentrated mesh of {} nodes", grid.name(), grid.routers() * concentration)};
  grid.add_to(plan, concentration);
  for (std::uint32_t router = 0; router < grid.routers(); ++router) {
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      if (grid.digit(router, i) + 1 < grid.side(i))
        plan.join(router, router + grid.stride(i), {.kind = "router"});
    }
  }
  return plan;
}

/// The bisection of the mesh if its longest side is even, so that no router is parted, and if links of nodes
/// are no cheaper to cut: with dimension-order paths between all pairs of nodes they are used less than those
/// of the cut.
std::optional<std::uint64_t> bisection(const ParameterValues& values) {
  const auto& sides = values.integers("shape");
  std::uint64_t nodes = static_cast<std::uint64_t>(values.integer("concentration"));
  for (const std::uint32_t side : sides) nodes *= side;
  const std::uint64_t cut = grid_bisection(sides, false);
  if (*std::ranges::max_element(sides) % 2 != 0 || 4 * cut > nodes) return std::nullopt;
  return cut;
}

const FamilyRegistry::Entry entry{{
    .name = "concentrated-mesh",
    .summary = "mesh of routers, on each of which several nodes hang",
    .source = "J. Balfour, W. Dally: Design tradeoffs for tiled CMP on-chip networks, 2006",
    .coordinates = "those of the router in the mesh, and of a node its place at the router",
    .parameters = {sides_parameter(65'536), concentration_parameter("4")},
    .routing = "grid-dimension-order",
    .bisection = bisection,
    .make = make,
}};

}  // namespace
}  // namespace flitscope::concentrated_mesh
