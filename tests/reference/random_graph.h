// Graphs drawn at random: routers with and without nodes, nodes that hang on routers, links one way and both
// ways.
#pragma once

#include <cstdint>
#include <functional>

#include "model/graph.h"

namespace flitscope::reference {

/// `between(least, most)` draws a number, both included. Between two and `max_routers` core routers, joined
/// by a tree of links both ways and by more links, some of them one way or beside one that is there; every
/// degree is below 8.
[[nodiscard]] GraphPlan random_graph(
    const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& between, std::uint32_t max_routers);

}  // namespace flitscope::reference
