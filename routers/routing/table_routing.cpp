#include <ranges>

#include "routers/routing/table_routing.h"

namespace flitscope {

CoreLinks::CoreLinks(const Topology& topology, const CoreRouters& routers)
    : first_(routers.cores() + 1), first_entering_(routers.cores() + 1) {
  for (std::uint32_t core = 0; core < routers.cores(); ++core) {
    std::uint8_t place = 0;
    topology.for_each_link_from(routers.router(core), [&](unsigned port, NodeId to) {
      if (routers.is_leaf(to)) return;
      const std::uint32_t end = routers.core_of(to);
      links_.push_back({core, end, static_cast<std::uint8_t>(port), place++});
      ++first_entering_[end + 1];
    });
    first_[core + 1] = count();
  }
  for (std::size_t i = 1; i < first_entering_.size(); ++i) first_entering_[i] += first_entering_[i - 1];
  entering_.resize(links_.size());
  auto next = first_entering_;
  for (std::uint32_t link = 0; link < count(); ++link) entering_[next[links_[link].to]++] = link;
}

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

}  // namespace flitscope
