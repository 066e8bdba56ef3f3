// The dragonfly: groups of routers, each group a complete graph, and links between all groups.
#include "networks/grid.h"
#include "networks/network_family.h"

namespace flitscope::dragonfly {
namespace {

struct Dragonfly {
  std::uint32_t p;  ///< nodes of a router
  std::uint32_t a;  ///< routers of a group
  std::uint32_t h;  ///< global links of a router
  std::uint32_t groups;
  GraphPlan::Link global = {};  ///< ends aside

  [[nodiscard]] std::uint32_t router(std::uint32_t group, std::uint32_t place) const {
    return group * a + place;
  }

  [[nodiscard]] GraphPlan plan() const {
    GraphPlan plan{
        .name = fmt::format("dragonfly of {} groups and {} nodes", groups, std::uint64_t{groups} * a * p)};
    const CircleOfGroups circle{groups, a};
    circle.add_routers(plan);
    for (std::uint32_t group = 0; group < groups; ++group) {
      for (std::uint32_t i = 0; i < a; ++i) {
        circle.attach(plan, router(group, i), group, i, p);
        for (std::uint32_t other = i + 1; other < a; ++other) {
          plan.join(router(group, i), router(group, other), {.kind = "local"});
        }
      }
    }
    join_groups(plan);
    return plan;
  }

  /// The palm tree: global link k of a group, the k-th of its a*h, leads to the group k+1 before it, where it
  /// is the (groups-2-k)-th. With fewer groups that is repeated while there are links enough for all.
  void join_groups(GraphPlan& plan) const {
    const std::uint32_t others = groups - 1;
    for (std::uint32_t first = 0; first + others <= a * h; first += others) {
      for (std::uint32_t group = 0; group < groups; ++group) {
        for (std::uint32_t k = 0; k < group; ++k) {
          plan.join(router(group, (first + k) / h), router(group - k - 1, (first + others - 1 - k) / h),
                    global);
        }
      }
    }
  }
};

GraphPlan make(const ParameterValues& values) {
  const auto number = [&](const char* name) { return static_cast<std::uint32_t>(values.integer(name)); };
  Dragonfly dragonfly{number("p"), number("a"), number("h"), number("groups"), {.kind = "global"}};
  if (values.has("global_delay")) dragonfly.global.delay = number("global_delay");
  const std::uint32_t max_groups = dragonfly.a * dragonfly.h + 1;
  refuse_if(dragonfly.groups > max_groups, "topology.groups",
            "groups of {} routers with {} global links each can be joined to {} others: {} groups at most",
            dragonfly.a, dragonfly.h, max_groups - 1, max_groups);
  require_links("topology.a", std::uint64_t{dragonfly.p} + dragonfly.a - 1 + dragonfly.h);
  require_routers("topology.groups", std::uint64_t{dragonfly.groups} * dragonfly.a * (dragonfly.p + 1));
  return dragonfly.plan();
}

const FamilyRegistry::Entry entry{{
    .name = "dragonfly",
    .summary =
        "groups of `a` routers, each joined to all of its group; every two groups are joined by as "
        "many global links as there are for all, arranged as a palm tree; `p` nodes are attached to a router",
    .source = "J. Kim, W. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology, "
              "2008; C. Camarero, E. Vallejo, R. Beivide: Topological characterization of Hamming and "
              "dragonfly networks and its implications on routing, 2014",
    .coordinates = "group, place in the group, and of a node its place at the router",
    .parameters = {Parameter::integer("p", "nodes attached to each router", {1, Graph::kMaxPorts - 1},
                                      "nodes"),
                   Parameter::integer("a", "routers of a group", {1, Graph::kMaxPorts - 1}, "routers"),
                   Parameter::integer("h", "global links of a router", {1, Graph::kMaxPorts - 1}, "links"),
                   Parameter::integer("groups", "groups; a h + 1 at most", {2, 64'517}, "groups"),
                   Parameter::cycles("global_delay", "delay of global links; null: link.delay",
                                     {1, kMaxLinkDelay})
                       .or_else("null")},
    .routing = "dragonfly-minimal",
    .make = make,
}};

}  // namespace
}  // namespace flitscope::dragonfly
