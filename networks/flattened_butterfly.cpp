// The flattened butterfly: the routers of each row of a butterfly made one.
#include "networks/hyperx.h"
#include "networks/network_family.h"

namespace flitscope::flattened_butterfly {
namespace {

std::vector<std::uint32_t> sides(const ParameterValues& values) {
  return std::vector<std::uint32_t>(static_cast<std::size_t>(values.integer("n") - 1),
                                    static_cast<std::uint32_t>(values.integer("k")));
}

GraphPlan make(const ParameterValues& values) {
  const auto k = static_cast<std::uint32_t>(values.integer("k"));
  GraphPlan plan = hyperx_plan(sides(values), k, "topology.n");
  std::uint64_t nodes = k;
  for (const std::uint32_t side : sides(values)) nodes *= side;
  plan.name = fmt::format("{}-ary {}-flat of {} nodes", k, values.integer("n"), nodes);
  return plan;
}

std::optional<std::uint64_t> bisection(const ParameterValues& values) {
  return hyperx_bisection(sides(values), values.integer("k"));
}

const FamilyRegistry::Entry entry{{
    .name = "flattened-butterfly",
    .summary = "k-ary n-flat: a HyperX of n-1 dimensions of k routers with k nodes each; k^n nodes",
    .source = "J. Kim, W. Dally, D. Abts: Flattened butterfly: a cost-efficient topology for high-radix "
              "networks, 2007",
    .coordinates = "those of the router in the grid, and of a node its place at the router",
    .parameters = {Parameter::integer("k", "routers of a row, and nodes that hang on each router", {2, 32}),
                   Parameter::integer("n", "stages of the butterfly: dimensions, and one more", {2, 16})},
    .routing = "grid-dimension-order",
    .bisection = bisection,
    .make = make,
}};

}  // namespace
}  // namespace flitscope::flattened_butterfly
