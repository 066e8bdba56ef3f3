// Graphs drawn at random: routers with and without nodes, leaf nodes, links in one direction and in both.
#pragma once

#include <cstdint>
#include <functional>

#include "model/graph.h"

namespace flitscope::reference {

/// `between(least, most)` draws a number, both included. Between two and `max_routers` core routers, joined
/// by a tree of links in both directions and by more links, some in one direction or parallel to another;
/// every degree is below 8.
[[nodiscard]] GraphPlan random_graph(
    const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& between, std::uint32_t max_routers);

}  // namespace flitscope::reference
