// The twisted torus: a torus of two dimensions whose wrap-around links down lead to another column.
#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::twisted_torus {
namespace {

GraphPlan make(const ParameterValues& values) {
  const auto& sides = values.integers("shape");
  const auto twist = static_cast<std::uint32_t>(values.integer("twist"));
  if (sides.size() != 2) {
    throw Inadmissible("topology.shape",
                       fmt::format("a twisted torus has two sides, such as [8, 4], not {}", sides.size()));
  }
  if (twist >= sides[0]) {
    throw Inadmissible("topology.twist", fmt::format("must be less than the first side, {}", sides[0]));
  }
  Grid::require_size("topology.shape", sides, 1);
  const Grid grid(sides);
  GraphPlan plan{.name = fmt::format("{} torus with a twist of {}", grid.name(), twist)};
  for (std::uint32_t node = 0; node < grid.routers(); ++node) {
    const auto at = grid.coordinates(node);
    plan.add_router({fmt::format("n{}.{}", at[0], at[1]), true, grid.at(node, 1), at});
  }
  for (std::uint32_t y = 0; y < sides[1]; ++y) {
    for (std::uint32_t x = 0; x < sides[0]; ++x) {
      const std::uint32_t node = y * sides[0] + x;
      const std::uint32_t column = y + 1 < sides[1] ? x : (x + twist) % sides[0];
      plan.join(node, y * sides[0] + (x + 1) % sides[0]);
      plan.join(node, (y + 1) % sides[1] * sides[0] + column);
    }
  }
  return plan;
}

const FamilyRegistry::Entry entry{{
    .name = "twisted-torus",
    .summary = "torus of two dimensions; the links that wrap round the second lead `twist` columns on",
    .source = "J. Camara et al.: Twisted torus topologies for enhanced interconnection networks, 2010",
    .coordinates = "column and row",
    .parameters = {{.name = "shape",
                    .type = ParameterType::integers,
                    .summary = "columns and rows, such as [8, 4]",
                    .unit = "nodes",
                    .minimum = 2,
                    .maximum = 65'536},
                   {.name = "twist",
                    .type = ParameterType::integer,
                    .summary = "columns by which the wrap-around links of the second dimension are shifted",
                    .unit = "columns",
                    .maximum = 65'535}},
    .routing = "layered",
    .make = make,
}};

}  // namespace
}  // namespace flitscope::twisted_torus
