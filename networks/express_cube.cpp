// The express cube: a torus or mesh with more links, that skip nodes.
#include <algorithm>

#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::express_cube {
namespace {

GraphPlan make(const ParameterValues& values) {
  const auto& sides = values.integers("shape");
  const auto interval = static_cast<std::uint32_t>(values.integer("interval"));
  const bool wraps = values.boolean("wraps");
  for (const std::uint32_t side : sides) {
    if (side % interval == 0 && side / interval >= 2) continue;
    throw Inadmissible("topology.interval",
                       "must divide every side, at least twice, so that express links lead from interchange "
                       "to interchange; {} is no such divisor of {}",
                       interval, side);
  }
  require_links("topology.shape", 4 * sides.size());
  Grid::require_size("topology.shape", sides, 1);
  const Grid grid(sides);
  GraphPlan plan{.name =
                     fmt::format("{} express {}, every {}", grid.name(), wraps ? "torus" : "mesh", interval)};
  const double bend = 0.5 / *std::ranges::max_element(sides);
  for (std::uint32_t node = 0; node < grid.routers(); ++node) {
    plan.add_router({fmt::format("n{}", fmt::join(grid.coordinates(node), ".")), true, grid.at(node, 1, bend),
                     grid.coordinates(node)});
  }
  /// The link from `node` that is `length` long, if there is one.
  const auto join = [&](std::uint32_t node, std::size_t i, std::uint32_t length, const char* kind) {
    const std::uint32_t here = grid.digit(node, i);
    const std::uint32_t side = grid.side(i);
    if (here + length >= side && (!wraps || side == 2 * length)) return;
    plan.join(
        node, node + (here + length) % side * grid.stride(i) - here * grid.stride(i),
        {.delay = length == 1 ? std::nullopt
                              : std::optional(static_cast<std::uint32_t>(values.integer("express_delay"))),
         .kind = kind,
         .length = static_cast<double>(length)});
  };
  for (std::uint32_t node = 0; node < grid.routers(); ++node) {
    for (std::size_t i = 0; i < grid.dimensions(); ++i) {
      join(node, i, 1, "local");
      if (grid.digit(node, i) % interval == 0) join(node, i, interval, "express");
    }
  }
  return plan;
}

const FamilyRegistry::Entry entry{{
    .name = "express-cube",
    .summary = "torus or mesh of nodes of which every `interval`-th of a row, an interchange, has express "
               "links to the next ones",
    .source =
        "W. Dally: Express cubes: improving the performance of k-ary n-cube interconnection networks, 1991",
    .coordinates = "those in the grid",
    .parameters =
        {Parameter::integers("shape", "nodes along each dimension, such as [8, 8]", {4, 65'536}, "nodes"),
         Parameter::integer("interval", "nodes from one interchange to the next; divides every side",
                            {2, 32'768}, "nodes"),
         Parameter::boolean("wraps", "whether rows are closed, as on a torus").or_else("true"),
         Parameter::cycles("express_delay", "delay of express links", {1, kMaxLinkDelay}).or_else("1")},
    .routing = "layered",
    .make = make,
}};

}  // namespace
}  // namespace flitscope::express_cube
