// Grids of routers with several nodes each. The concentrated mesh links neighbours. In the HyperX every row
// is a complete graph; with one dimension it is a row of a flattened butterfly: a butterfly of which the
// routers of each row are made one, which is a HyperX.
#include <algorithm>
#include <cstdlib>

#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::router_grids {
namespace {

/// "4x4 `kind` of 64 nodes": a grid of routers with `concentration` nodes each. A router has links to all of
/// its row, in every dimension, that are at most `reach` places away. Drawings have rows with a `bend`.
GraphPlan grid_plan(const char* kind, const Grid& grid, std::uint32_t concentration, std::uint32_t reach,
                    double bend) {
  GraphPlan plan{.name = fmt::format("{} {} of {} nodes", grid.name(), kind, grid.routers() * concentration)};
  const double pitch = 0.5 * concentration + 1.5;
  for (std::uint32_t router = 0; router < grid.routers(); ++router) {
    plan.add_router({fmt::format("r{}", fmt::join(grid.coordinates(router), ".")), false,
                     grid.at(router, pitch, bend), grid.coordinates(router)});
  }
  for (std::uint32_t router = 0; router < grid.routers(); ++router) {
    for (std::uint32_t place = 0; place < concentration; ++place) {
      Point point = grid.at(router, pitch, bend);
      point.x += 0.5 * (place + 1);
      point.y += 0.5;
      auto of_node = grid.coordinates(router);
      of_node.push_back(place);
      const std::string name = fmt::format("n{}", fmt::join(of_node, "."));
      plan.add_node(router, {name, true, point, std::move(of_node)});
    }
  }
  for (std::uint32_t router = 0; router < grid.routers(); ++router) {
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      for (std::uint32_t more = 1; more <= reach && grid.digit(router, i) + more < grid.side(i); ++more) {
        plan.join(router, router + more * grid.stride(i),
                  {.kind = "router", .length = static_cast<double>(more)});
      }
    }
  }
  return plan;
}

GraphPlan make_mesh(const ParameterValues& values) {
  const auto& sides = values.integers("shape");
  const auto concentration = static_cast<std::uint32_t>(values.integer("concentration"));
  std::uint64_t links = concentration;
  for (const std::uint32_t side : sides) links += std::min(side - 1, 2U);
  require_links("topology.concentration", links);
  Grid::require_size("topology.shape", sides, 1 + concentration);
  return grid_plan("concentrated mesh", Grid(sides), concentration, 1, 0);
}

/// The bisection of the mesh if its longest side is even, so that no router is parted, and if links of nodes
/// are no cheaper to cut: with dimension-order paths between all pairs of nodes they are used less than those
/// of the cut.
std::optional<std::uint64_t> bisection_of_mesh(const ParameterValues& values) {
  const auto& sides = values.integers("shape");
  std::uint64_t nodes = static_cast<std::uint64_t>(values.integer("concentration"));
  for (const std::uint32_t side : sides) nodes *= side;
  const std::uint64_t cut = grid_bisection(sides, false);
  if (*std::ranges::max_element(sides) % 2 != 0 || 4 * cut > nodes) return std::nullopt;
  return cut;
}

const FamilyRegistry::Entry mesh_entry{{
    .name = "concentrated-mesh",
    .summary = "mesh of routers, to each of which several nodes are attached",
    .source = "J. Balfour, W. Dally: Design tradeoffs for tiled CMP on-chip networks, 2006",
    .coordinates = "those of the router in the mesh, and of a node its place at the router",
    .parameters = {sides_parameter(65'536), concentration_parameter("4")},
    .routing = "grid-dimension-order",
    .bisection = bisection_of_mesh,
    .make = make_mesh,
}};

/// Each row a complete graph. `key` is named in the errors of its size. Throws Inadmissible.
GraphPlan hyperx_plan(const std::vector<std::uint32_t>& sides, std::uint32_t concentration,
                      const std::string& key) {
  std::uint64_t links = concentration;
  for (const std::uint32_t side : sides) links += side - 1;
  require_links(key, links);
  Grid::require_size(key, sides, 1 + concentration);
  return grid_plan("HyperX", Grid(sides), concentration, Graph::kMaxPorts, 0.25);
}

/// Links each way of its least cut in halves. Of all sets of so many routers, the first ones in the order in
/// which longer sides run faster have the fewest links to the others (J. Lindsey: Assignment of numbers to
/// vertices, 1964); a node on the other side than its router adds its own link.
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

GraphPlan make_hyperx(const ParameterValues& values) {
  return hyperx_plan(values.integers("shape"), static_cast<std::uint32_t>(values.integer("concentration")),
                     "topology.shape");
}

std::optional<std::uint64_t> bisection_of_hyperx(const ParameterValues& values) {
  return hyperx_bisection(values.integers("shape"), values.integer("concentration"));
}

const FamilyRegistry::Entry hyperx_entry{{
    .name = "hyperx",
    .summary = "grid of routers, each with a link to every other one of its row in every dimension",
    .source = "J. Ahn et al.: HyperX: topology, routing, and packaging of efficient large-scale networks, "
              "2009; J. Kim, W. Dally, D. Abts: Flattened butterfly: a cost-efficient topology for "
              "high-radix networks, 2007",
    .coordinates = "those of the router in the grid, and of a node its place at the router",
    .parameters = {sides_parameter(Graph::kMaxPorts), concentration_parameter("1")},
    .routing = "grid-dimension-order",
    .bisection = bisection_of_hyperx,
    .make = make_hyperx,
}};

std::vector<std::uint32_t> sides_of_flat(const ParameterValues& values) {
  return std::vector<std::uint32_t>(static_cast<std::size_t>(values.integer("n") - 1),
                                    static_cast<std::uint32_t>(values.integer("k")));
}

GraphPlan make_flat(const ParameterValues& values) {
  const auto k = static_cast<std::uint32_t>(values.integer("k"));
  GraphPlan plan = hyperx_plan(sides_of_flat(values), k, "topology.n");
  std::uint64_t nodes = k;
  for (const std::uint32_t side : sides_of_flat(values)) nodes *= side;
  plan.name = fmt::format("{}-ary {}-flat of {} nodes", k, values.integer("n"), nodes);
  return plan;
}

std::optional<std::uint64_t> bisection_of_flat(const ParameterValues& values) {
  return hyperx_bisection(sides_of_flat(values), values.integer("k"));
}

const FamilyRegistry::Entry flattened_butterfly_entry{{
    .name = "flattened-butterfly",
    .summary = "k-ary n-flat: a HyperX of n-1 dimensions of k routers with k nodes each; k^n nodes",
    .source = "J. Kim, W. Dally, D. Abts: Flattened butterfly: a cost-efficient topology for high-radix "
              "networks, 2007",
    .coordinates = "those of the router in the grid, and of a node its place at the router",
    .parameters = {Parameter::integer("k", "routers of a row, and nodes attached to each router", {2, 128}),
                   Parameter::integer("n", "stages of the butterfly: dimensions, and one more", {2, 16})},
    .routing = "grid-dimension-order",
    .bisection = bisection_of_flat,
    .make = make_flat,
}};

}  // namespace
}  // namespace flitscope::router_grids
