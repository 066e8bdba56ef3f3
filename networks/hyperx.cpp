// The HyperX: a grid in which every row is a complete graph. With one dimension it is a row of a flattened
// butterfly: a butterfly of which the routers of each row are made one, which is a HyperX.
#include <cstdlib>

#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::hyperx {
namespace {

/// A grid of routers of which each has a link to every other one of its row in every dimension, with
/// `concentration` nodes each. `key` is named in the errors of its size. Throws Inadmissible.
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
    .parameters = {Parameter::integer("k", "routers of a row, and nodes that hang on each router", {2, 32}),
                   Parameter::integer("n", "stages of the butterfly: dimensions, and one more", {2, 16})},
    .routing = "grid-dimension-order",
    .bisection = bisection_of_flat,
    .make = make_flat,
}};

}  // namespace
}  // namespace flitscope::hyperx
