// Chiplets on an interposer: meshes that are joined to a mesh, with links of their own between them.
#include <array>

#include "networks/grid.h"
#include "networks/network_family.h"
#include "params/parameter.h"

namespace flitscope::chiplets {
namespace {

/// Two numbers, across and down.
std::array<std::uint32_t, 2> two(const ParameterValues& values, const std::string& name) {
  const auto& list = values.integers(name);
  refuse_if(list.size() != 2, "topology." + name, "topology.{} must be two numbers, across and down, not {}",
            name, list.size());
  return {list[0], list[1]};
}

GraphPlan make(const ParameterValues& values) {
  const auto chiplets = two(values, "chiplets");
  const auto mesh = two(values, "mesh");
  const auto inner_delay = static_cast<std::uint32_t>(values.integer("inner_delay"));
  const auto outer_delay = static_cast<std::uint32_t>(values.integer("outer_delay"));
  const auto outer_cycles_per_flit = values.ratio("outer_cycles_per_flit");
  const std::vector<std::uint32_t> sides{chiplets[0] * mesh[0], chiplets[1] * mesh[1]};
  Grid::require_size("topology.mesh", sides, 1);
  const Grid grid(sides);
  GraphPlan plan{
      .name = fmt::format("{}x{} chiplets of {}x{} nodes", chiplets[0], chiplets[1], mesh[0], mesh[1])};
  for (std::uint32_t node = 0; node < grid.routers(); ++node) {
    const auto at = grid.coordinates(node);
    const std::uint32_t across = at[0] / mesh[0];
    const std::uint32_t down = at[1] / mesh[1];
    const double x = at[0] + across;
    const double y = at[1] + down;
    plan.add_router({fmt::format("c{}.{}.n{}.{}", across, down, at[0] % mesh[0], at[1] % mesh[1]), true,
                     Point{x, y}, at, down * chiplets[0] + across});
  }
  for (std::uint32_t node = 0; node < grid.routers(); ++node) {
    for (std::size_t i = 0; i < 2; ++i) {
      const std::uint32_t next = grid.digit(node, i) + 1;
      if (next == grid.side(i)) continue;
      if (next % mesh[i] == 0) {
        plan.join(node, node + grid.stride(i),
                  {.delay = outer_delay, .cycles_per_flit = outer_cycles_per_flit, .kind = "outer"});
      } else {
        plan.join(node, node + grid.stride(i), {.delay = inner_delay, .kind = "inner"});
      }
    }
  }
  return plan;
}

const FamilyRegistry::Entry entry{{
    .name = "chiplets",
    .summary = "mesh of chiplets, each a mesh of nodes; nodes at edges that face each other are joined by "
               "outer links",
    .source =
        "N. Enright Jerger, A. Kannan, Z. Li, G. Loh: NoC architectures for silicon interposer systems, 2014",
    .coordinates = "column and row in the whole",
    .parameters =
        {Parameter::integers("chiplets", "chiplets across and down, such as [2, 2]", {1, 1024}, "chiplets"),
         Parameter::integers("mesh", "nodes of a chiplet across and down, such as [4, 4]", {1, 1024},
                             "nodes"),
         Parameter::cycles("inner_delay", "delay of the links of a chiplet", {1, kMaxLinkDelay}).or_else("1"),
         Parameter::cycles("outer_delay", "delay of the links between chiplets", {1, kMaxLinkDelay})
             .or_else("4"),
         Parameter::of(ParameterType::ratio, "outer_cycles_per_flit",
                       "links between chiplets take a flit every so many cycles", {1, kMaxCyclesPerFlit},
                       "cycles")
             .or_else("1")},
    .routing = "grid-dimension-order",
    .make = make,
}};

}  // namespace
}  // namespace flitscope::chiplets
