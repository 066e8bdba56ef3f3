#include "tests/reference/random_graph.h"

#include <fmt/format.h>

#include <algorithm>

namespace flitscope::reference {

GraphPlan random_graph(const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& between,
                       std::uint32_t max_routers) {
  constexpr unsigned kMaxDegree = 7;
  GraphPlan plan;
  const std::uint32_t routers = between(2, max_routers);
  for (std::uint32_t i = 0; i < routers; ++i)
    plan.add_router({fmt::format("r{}", i), i < 2 || between(0, 2) > 0});
  const auto degree = [&](std::uint32_t router) {
    const auto leaving = std::ranges::count(plan.links, router, &GraphPlan::Link::from);
    const auto entering = std::ranges::count(plan.links, router, &GraphPlan::Link::to);
    return static_cast<unsigned>(std::max(leaving, entering));
  };
  const auto has_room = [&](std::uint32_t router) { return degree(router) < kMaxDegree; };
  for (std::uint32_t i = 1; i < routers; ++i) {
    std::uint32_t other = between(0, i - 1);
    while (!has_room(other)) other = (other + 1) % i;
    plan.join(i, other);
  }
  for (std::uint32_t more = between(0, 2 * routers); more > 0; --more) {
    const std::uint32_t one = between(0, routers - 1);
    const std::uint32_t other = between(0, routers - 1);
    if (one == other || !has_room(one) || !has_room(other)) continue;
    if (between(0, 3) == 0) {
      plan.links.push_back({one, other});
    } else {
      plan.join(one, other);
    }
  }
  for (std::uint32_t more = between(0, routers); more > 0; --more) {
    const std::uint32_t at = between(0, routers - 1);
    if (has_room(at)) plan.add_node(at, {fmt::format("n{}", more)});
  }
  const auto nodes = std::ranges::count_if(plan.routers, &GraphPlan::Router::node);
  plan.name = fmt::format("random graph of {} routers, {} nodes and {} links", plan.routers.size(), nodes,
                          plan.links.size());
  return plan;
}

}  // namespace flitscope::reference
