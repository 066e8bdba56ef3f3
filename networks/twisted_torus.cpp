// The twisted torus: a torus whose wrap-around links lead to another place of the longer dimensions.
#include "model/twisted_torus.h"
#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::twisted_torus {
namespace {

GraphPlan make(const ParameterValues& values) {
  const auto& sides = values.integers("shape");
  const auto twist = static_cast<std::uint32_t>(values.integer("twist"));
  refuse_if(sides.size() != 2 && sides.size() != 3, "topology.shape",
            "a twisted torus has two or three sides, such as [8, 4] or [8, 4, 4], not {}", sides.size());
  refuse_if(sides.size() == 3 && (!std::ranges::is_sorted(sides, std::greater()) || sides[0] == sides[2]),
            "topology.shape",
            "a twisted torus of three dimensions has sides from the longest to the shortest, such as [8, 4, "
            "4] or [8, 8, 4], and not all equal");
  refuse_if(twist >= sides[0], "topology.twist", "must be less than the first side, {}", sides[0]);
  Grid::require_size("topology.shape", sides, 1);
  const Grid grid(sides);
  const TwistedTorus torus(sides, twist);
  GraphPlan plan{.name = fmt::format("{} torus with a twist of {}", grid.name(), twist)};
  for (std::uint32_t node = 0; node < grid.routers(); ++node) {
    const auto at = grid.coordinates(node);
    plan.add_router({fmt::format("n{}", fmt::join(at, ".")), true, grid.at(node, 1), at});
  }
  for (std::uint32_t node = 0; node < grid.routers(); ++node) {
    for (std::size_t dimension = 0; dimension < sides.size(); ++dimension) {
      plan.join(node, grid.router(torus.next(grid.coordinates(node), dimension)));
    }
  }
  return plan;
}

const FamilyRegistry::Entry entry{{
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
    .make = make,
}};

}  // namespace
}  // namespace flitscope::twisted_torus
