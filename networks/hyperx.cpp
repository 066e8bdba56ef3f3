// The HyperX: a grid in which every row is a complete graph. With one dimension it is a row of a flattened
// butterfly.
#include "networks/hyperx.h"

#include <cstdlib>

#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope {

GraphPlan hyperx_plan(const std::vector<std::uint32_t>& sides, std::uint32_t concentration,
                      const std::string& key) {
  std::uint64_t links = concentration;
  for (const std::uint32_t side : sides) links += side - 1;
  require_links(key, links);
  Grid::require_size(key, sides, 1 + concentration);
  const Grid grid(sides);
  GraphPlan plan{.name = fmt::format("{} HyperX of {} nodes", grid.name(), grid.routers() * concentration)};
  grid.add_to(plan, concentration, 0.25);
  for (std::uint32_t router = 0; router < grid.routers(); ++router) {
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      for (std::uint32_t more = 1; grid.digit(router, i) + more < grid.side(i); ++more) {
        plan.join(router, router + more * grid.stride(i),
                  {.kind = "router", .length = static_cast<double>(more)});
      }
    }
  }
  return plan;
}

/// Of all sets of so many routers, the first ones in the order in which longer sides run faster have the
/// fewest links to the others (J. Lindsey: Assignment of numbers to vertices, 1964); a node on the other side
/// than its router adds its own link.
std::uint64_t hyperx_bisection(std::vector<std::uint32_t> sides, std::int64_t concentration) {
  std::ranges::sort(sides, std::greater());
  const Grid grid(sides);
  const std::int64_t half = grid.routers() * concentration / 2;
  std::int64_t links = 0;
  for (const std::uint32_t side : sides) links += side - 1;
  std::int64_t cut = 0;
  std::int64_t least = half;
  for (std::uint32_t router = 0; router < grid.routers(); ++router) {
    cut += links;
    for (std::size_t i = 0; i < grid.dimensions(); ++i) cut -= 2 * std::int64_t{grid.digit(router, i)};
    least = std::min(least, cut + std::abs((router + 1) * concentration - half));
  }
  return static_cast<std::uint64_t>(least);
}

namespace hyperx {
namespace {

GraphPlan make(const ParameterValues& values) {
  return hyperx_plan(values.integers("shape"), static_cast<std::uint32_t>(values.integer("concentration")),
                     "topology.shape");
}

std::optional<std::uint64_t> bisection(const ParameterValues& values) {
  return hyperx_bisection(values.integers("shape"), values.integer("concentration"));
}

const FamilyRegistry::Entry entry{{
    .name = "hyperx",
    .summary = "grid of routers, each with a link to every other one of its row in every dimension",
    .source = "J. Ahn et al.: HyperX: topology, routing, and packaging of efficient large-scale networks, "
              "2009; J. Kim, W. Dally, D. Abts: Flattened butterfly: a cost-efficient topology for "
              "high-radix networks, 2007",
    .coordinates = "those of the router in the grid, and of a node its place at the router",
    .parameters = {sides_parameter(Graph::kMaxPorts), concentration_parameter("1")},
    .routing = "grid-dimension-order",
    .bisection = bisection,
    .make = make,
}};

}  // namespace
}  // namespace hyperx
}  // namespace flitscope
