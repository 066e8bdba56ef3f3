#include "routers/routing/dragonfly_routes.h"

#include <algorithm>

#include "model/graph.h"
#include "routers/routing/core_links.h"

namespace flitscope {
namespace dragonfly_ways {
namespace {

RouteTable compute(const Topology& topology) {
  RouteTable table(topology);
  const CoreLinks links(topology, table);
  std::vector<std::uint32_t> group(table.cores());
  for (std::uint32_t core = 0; core < table.cores(); ++core) {
    group[core] = dragonfly_group(topology, table.router(core));
  }
  BalancedLinks balanced(links, table);
  std::vector<bool> has_link(table.cores());
  for (std::uint32_t to = 0; to < table.cores(); ++to) {
    const auto leads_there = [&](const CoreLink& link) { return group[link.to] == group[to]; };
    for (std::uint32_t core = 0; core < table.cores(); ++core) {
      has_link[core] = std::ranges::any_of(links.leaving(core), leads_there);
    }
    balanced.begin(to);
    for (std::uint32_t at = 0; at < table.cores(); ++at) {
      if (group[at] == group[to] || has_link[at]) continue;
      balanced.settle(at,
                      [&](const CoreLink& link) { return group[link.to] == group[at] && has_link[link.to]; });
    }
    for (std::uint32_t at = 0; at < table.cores(); ++at) {
      if (group[at] != group[to] && has_link[at]) balanced.settle(at, leads_there);
    }
    for (std::uint32_t at = 0; at < table.cores(); ++at) {
      if (group[at] == group[to] && at != to) {
        balanced.settle(at, [&](const CoreLink& link) { return link.to == to; });
      }
    }
  }
  return table;
}

}  // namespace
}  // namespace dragonfly_ways

std::shared_ptr<const RouteTable> dragonfly_routes(const Topology& topology) {
  return topology.graph()->routes("dragonfly-minimal", [&] {
    return std::make_shared<const RouteTable>(dragonfly_ways::compute(topology));
  });
}

std::uint32_t dragonfly_group(const Topology& topology, NodeId router) {
  return topology.graph()->coordinates(router)[0];
}

}  // namespace flitscope
