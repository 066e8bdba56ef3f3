// Xpander: a lift of a complete graph: groups of routers, of which every two are joined by a random matching.
#include <numeric>

#include "model/random.h"
#include "networks/grid.h"
#include "networks/random_links.h"

namespace flitscope::xpander {
namespace {

/// A random matching of the routers of every two groups.
RouterPairs lift(std::uint32_t groups, std::uint32_t routers, std::mt19937_64& random) {
  RouterPairs links;
  std::vector<std::uint32_t> partner(routers);
  for (std::uint32_t one = 0; one < groups; ++one) {
    for (std::uint32_t other = one + 1; other < groups; ++other) {
      std::iota(partner.begin(), partner.end(), 0U);
      shuffle(partner, random);
      for (std::uint32_t i = 0; i < routers; ++i) {
        links.emplace(one * routers + i, other * routers + partner[i]);
      }
    }
  }
  return links;
}

GraphPlan make(const ParameterValues& values) {
  const auto degree = static_cast<std::uint32_t>(values.integer("degree"));
  const auto routers = static_cast<std::uint32_t>(values.integer("lift"));
  const auto concentration = static_cast<std::uint32_t>(values.integer("concentration"));
  const std::uint32_t groups = degree + 1;
  require_links("topology.degree", std::uint64_t{degree} + concentration);
  require_routers("topology.lift", std::uint64_t{groups} * routers * (1 + concentration));
  const RouterPairs links =
      connected_links(groups * routers, static_cast<std::uint64_t>(values.integer("seed")),
                      [&](std::mt19937_64& random) { return lift(groups, routers, random); });
  GraphPlan plan{.name = fmt::format("Xpander of {} groups and {} nodes", groups,
                                     std::uint64_t{groups} * routers * concentration)};
  const CircleOfGroups circle{groups, routers};
  for (std::uint32_t group = 0; group < groups; ++group) {
    for (std::uint32_t i = 0; i < routers; ++i) {
      plan.add_router({fmt::format("r{}.{}", group, i), false, circle.at(group, i, 0), {group, i}, group});
    }
  }
  for (const auto& [one, other] : links) plan.join(one, other, {.kind = "router"});
  for (std::uint32_t router = 0; router < groups * routers; ++router) {
    add_hanging_nodes(plan, router, concentration,
                      [&](double place) { return circle.at(router / routers, router % routers + place, 1); });
  }
  return plan;
}

const FamilyRegistry::Entry entry{{
    .name = "xpander",
    .summary = "`degree` + 1 groups of `lift` routers; every two groups are joined by a random matching, so "
               "that a router has a link to each other group",
    .source = "A. Valadarsky, G. Shahaf, M. Dinitz, M. Schapira: Xpander: towards optimal-performance "
              "datacenters, 2016",
    .coordinates = "group, place in the group, and of a node its place at the router",
    .parameters = {Parameter::integer("degree", "links of a router: one to each other group", {2, 62},
                                      "links"),
                   Parameter::integer("lift", "routers of a group", {1, 20'000}, "routers"),
                   concentration_parameter("1"), link_seed_parameter()},
    .routing = "layered",
    .make = make,
}};

}  // namespace
}  // namespace flitscope::xpander
