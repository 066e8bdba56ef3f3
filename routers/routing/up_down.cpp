// Up*/down* routing on any network: up towards a root, then down, never up again.

#include <algorithm>
#include <numeric>
#include <ranges>

#include "model/error.h"
#include "routers/routing/table_routing.h"

namespace flitscope {
namespace {

/// The router whose farthest router is nearest; of several the one with the most links, then the first.
std::uint32_t centre(const CoreLinks& links, std::uint32_t cores) {
  Distances distance(links, cores);
  std::uint32_t best = 0;
  std::uint32_t radius = Distances::kFar;
  const auto degree = [&](std::uint32_t core) { return links.leaving(core).size(); };
  for (std::uint32_t core = 0; core < cores; ++core) {
    distance.find(core);
    const std::uint32_t farthest = distance[distance.order().back()];
    const bool all = distance.order().size() == cores;
    if (!all || farthest > radius || (farthest == radius && degree(core) <= degree(best))) continue;
    best = core;
    radius = farthest;
  }
  return best;
}

/// Routers by distance from the root, then by number; a link leads up if it leads to an earlier one.
std::vector<std::uint32_t> ranked(const CoreLinks& links, std::uint32_t cores) {
  Distances distance(links, cores);
  distance.find(centre(links, cores));
  std::vector<std::uint32_t> order(cores);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t core) { return distance[core]; });
  return order;
}

/// A router with a path down takes a shortest one; the others go up along a shortest total path. So a message
/// never goes up after a link down, and the next link depends on its router and destination alone.
RouteTable up_down_routes(const Topology& topology) {
  RouteTable table(topology);
  const CoreLinks links(topology, table);
  const std::uint32_t cores = table.cores();
  const std::vector<std::uint32_t> by_rank = ranked(links, cores);
  std::vector<std::uint32_t> rank(cores);
  for (std::uint32_t place = 0; place < cores; ++place) rank[by_rank[place]] = place;
  const auto leads_up = [&](const CoreLink& link) { return rank[link.to] < rank[link.from]; };

  Distances down(links, cores);
  BalancedLinks balanced(links, table);
  std::vector<std::uint32_t> length(cores);
  for (std::uint32_t to = 0; to < cores; ++to) {
    if (table.nodes_at(to) == 0) continue;
    down.find(to, [&](const CoreLink& link) { return !leads_up(link); });
    for (const std::uint32_t at : by_rank) {
      length[at] = down[at];
      if (length[at] != Distances::kFar) continue;
      for (const CoreLink& link : links.leaving(at)) {
        if (leads_up(link) && length[link.to] != Distances::kFar) {
          length[at] = std::min(length[at], length[link.to] + 1);
        }
      }
      if (length[at] != Distances::kFar || table.nodes_at(at) == 0) continue;
      throw Inadmissible("router.routing",
                         "up-down finds no path from {} to {} that goes up first and then down; it needs "
                         "links in both directions: layered serves other networks",
                         topology.node_name(table.router(at)), topology.node_name(table.router(to)));
    }
    balanced.begin(to);
    for (const std::uint32_t at : by_rank | std::views::reverse) {
      if (down[at] != Distances::kFar || length[at] == Distances::kFar) continue;
      balanced.settle(at, [&](const CoreLink& link) {
        return leads_up(link) && length[link.to] != Distances::kFar && length[link.to] + 1 == length[at];
      });
    }
    for (const std::uint32_t at : down.order() | std::views::drop(1) | std::views::reverse) {
      balanced.settle(at, [&](const CoreLink& link) {
        return !leads_up(link) && down[link.to] != Distances::kFar && down[link.to] + 1 == down[at];
      });
    }
  }
  return table;
}

const RoutingRegistry::Entry up_down_entry{{
    .name = "up-down",
    .summary = "on any network: up towards a root in its middle, then down to the destination; one class",
    .source = "M. Schroeder et al.: Autonet, a high-speed, self-configuring local area network using "
              "point-to-point links, 1991",
    .any_network = true,
    .minimal = false,
    .make =
        [](const Topology& topology) {
          return std::make_unique<TableRouting>(topology, "up-down", up_down_routes);
        },
}};

}  // namespace
}  // namespace flitscope
