// Tori and meshes of nodes with other links. Folded: no wire is longer than two tiles. Twisted: wrap-around
// links lead to another place of the longer dimensions. The express cube: more links, that skip nodes.
#include <algorithm>

#include "model/twisted_torus.h"
#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::tori {
namespace {

/// The node with a number of the grid.
void add_node(GraphPlan& plan, const Grid& grid, std::uint32_t node, const Point& at) {
  auto coordinates = grid.coordinates(node);
  plan.add_router({fmt::format("n{}", fmt::join(coordinates, ".")), true, at, std::move(coordinates)});
}

/// The tile of a coordinate: 0, 2, 4, ... on the way out, ..., 5, 3, 1 on the way back.
std::uint32_t tile(std::uint32_t coordinate, std::uint32_t side) {
  return 2 * coordinate < side ? 2 * coordinate : 2 * (side - coordinate) - 1;
}

GraphPlan make_folded(const ParameterValues& values) {
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
    add_node(plan, grid, node, grid.at(place, 1, bend));
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
std::optional<std::uint64_t> bisection_of_folded(const ParameterValues& values) {
  const auto& sides = values.integers("shape");
  if (std::ranges::find(sides, 2U) != sides.end()) return std::nullopt;
  return grid_bisection(sides, true);
}

const FamilyRegistry::Entry folded_entry{{
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
    .bisection = bisection_of_folded,
    .make = make_folded,
}};

GraphPlan make_twisted(const ParameterValues& values) {
  const auto& sides = values.integers("shape");
  const auto twist = static_cast<std::uint32_t>(values.integer("twist"));
  refuse_if(sides.size() != 2 && sides.size() != 3, "topology.shape",
            "a twisted torus has two or three sides, such as [8, 4] or [8, 4, 4], not {}", sides.size());
  refuse_if(sides.size() == 3 && (!std::ranges::is_sorted(sides, std::greater()) || sides[0] == sides[2]),
            "topology.shape",
            "a twisted torus of three dimensions has sides from the longest to the shortest, such as [8, 4, "
            "4] or [8, 8, 4], and not all equal");
  refuse_if(twist >= sides[0], "topology.twist", "topology.twist must be less than the first side, {}",
            sides[0]);
  Grid::require_size("topology.shape", sides, 1);
  const Grid grid(sides);
  const TwistedTorus torus(sides, twist);
  GraphPlan plan{.name = fmt::format("{} torus with a twist of {}", grid.name(), twist)};
  for (std::uint32_t node = 0; node < grid.routers(); ++node) add_node(plan, grid, node, grid.at(node, 1));
  for (std::uint32_t node = 0; node < grid.routers(); ++node) {
    for (std::size_t dimension = 0; dimension < sides.size(); ++dimension) {
      plan.join(node, grid.router(torus.next(grid.coordinates(node), dimension)));
    }
  }
  return plan;
}

const FamilyRegistry::Entry twisted_entry{{
    .name = "twisted-torus",
    .summary = "torus of two or three dimensions; the links that wrap round one lead `twist` places on in "
               "the longer ones before it",
    .source =
        "J. Camara et al.: Twisted torus topologies for enhanced interconnection networks, 2010; three "
        "dimensions: C. Camarero et al.: Lattice graphs for high-scale interconnection topologies, 2015",
    .coordinates = "one of each dimension: column and row",
    .parameters =
        {Parameter::integers(
             "shape",
             "nodes along each dimension, such as [8, 4]; of three the longest first, such as [8, 4, 4]",
             {2, 65'536}, "nodes"),
         Parameter::integer("twist",
                            "by how many places the wrap-around links of a dimension are shifted in the "
                            "first; of three dimensions in each that is longer",
                            {0, 65'535}, "nodes")},
    .routing = "twisted-dimension-order",
    .make = make_twisted,
}};

GraphPlan make_express(const ParameterValues& values) {
  const auto& sides = values.integers("shape");
  const auto interval = static_cast<std::uint32_t>(values.integer("interval"));
  const bool wraps = values.boolean("wraps");
  for (const std::uint32_t side : sides) {
    refuse_if(side % interval != 0 || side / interval < 2, "topology.interval",
              "topology.interval must divide every side, at least twice, so that express links lead from "
              "interchange "
              "to interchange; {} is no such divisor of {}",
              interval, side);
  }
  require_links("topology.shape", 4 * sides.size());
  Grid::require_size("topology.shape", sides, 1);
  const Grid grid(sides);
  GraphPlan plan{.name =
                     fmt::format("{} express {}, every {}", grid.name(), wraps ? "torus" : "mesh", interval)};
  const double bend = 0.5 / *std::ranges::max_element(sides);
  for (std::uint32_t node = 0; node < grid.routers(); ++node)
    add_node(plan, grid, node, grid.at(node, 1, bend));
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

const FamilyRegistry::Entry express_entry{{
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
    .make = make_express,
}};

}  // namespace
}  // namespace flitscope::tori
