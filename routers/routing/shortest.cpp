// Shortest routing on any network: a table, with ties balanced over links. It says nothing of deadlock.
#include "routers/routing/shortest.h"

#include <ranges>

#include "routers/routing/core_links.h"
#include "routers/routing/table_routing.h"

namespace flitscope {

RouteTable shortest_routes(const Topology& topology) {
  RouteTable table(topology);
  const CoreLinks links(topology, table);
  Distances distance(links, table.cores());
  BalancedLinks balanced(links, table);
  for (std::uint32_t to = 0; to < table.cores(); ++to) {
    if (table.nodes_at(to) == 0) continue;
    distance.find(to);
    balanced.begin(to);
    for (const std::uint32_t at : distance.order() | std::views::drop(1) | std::views::reverse) {
      balanced.settle(at, [&](const CoreLink& link) { return distance[link.to] + 1 == distance[at]; });
    }
  }
  return table;
}

namespace shortest {
namespace {

class Shortest final : public TableRouting {
 public:
  explicit Shortest(const Topology& topology) : TableRouting(topology, "shortest") {}
  ClassMask escape_classes() const override { return 0; }

 private:
  RouteTable compute() const override { return shortest_routes(topology()); }
};

const RoutingRegistry::Entry entry{{
    .name = "shortest",
    .summary = "a shortest way on any network, ties balanced over links; can deadlock where links form "
               "dependency cycles",
    .source = "textbook",
    .any_network = true,
    .minimal = false,
    .make = [](const Topology& topology) { return std::make_unique<Shortest>(topology); },
}};

}  // namespace
}  // namespace shortest
}  // namespace flitscope
