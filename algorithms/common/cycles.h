// Hamiltonian cycles of networks, and all-gather along them.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/common/spread.h"

namespace flitscope::common {

/// All nodes in a circular order: `moves[i]` is the port from `nodes[i]` to the next, if a link leads there.
struct HamiltonianCycle {
  std::vector<NodeId> nodes;
  std::vector<unsigned> moves;
};

/// A Hamiltonian cycle of any torus, sides of 2 included.
[[nodiscard]] HamiltonianCycle hamiltonian_cycle(const Topology& torus);

/// All nodes that are there, in a circular order in which neighbours are close.
///
/// A Hamiltonian cycle if one is found, on which each node is a neighbour of the next: links join them in
/// both directions, or paths through routers without a node; if there is none, in the cycle's direction at
/// least. The search: give every node a successor, so that cycles cover the network (a matching); then join
/// cycles that lie side by side. That is repeated with other covers, a bounded number of times. The same
/// network has the same cycle.
///
/// Otherwise, and where all nodes hang on routers, the order of a walk round a breadth-first tree, which uses
/// every link of the tree once in each direction; where every router is a node, each is at most three links
/// from the next.
[[nodiscard]] std::vector<NodeId> ring_order(const Topology& topology);

/// The same with ports.
[[nodiscard]] HamiltonianCycle searched_cycle(const Topology& topology);

/// Whether a link leads from each node of a cycle to the next, or `back` from the next to it.
[[nodiscard]] bool has_links(const Topology& topology, const HamiltonianCycle& cycle, bool back = false);

/// Whether links lead round a cycle, but not all of them back.
[[nodiscard]] bool leads_one_way(const Topology& topology, const HamiltonianCycle& cycle);

/// D Hamiltonian cycles of a ring, or of a torus of sides of at least 3, that together have all links.
[[nodiscard]] std::vector<HamiltonianCycle> disjoint_cycles(const Topology& topology);

/// All chunks go round at the same time: in each step every node passes the chunk on that came in the step
/// before. Each cycle, in one direction or both, has a colour of its own. The cycles share no link.
/// `channel_load`: as Spread::channel_load.
[[nodiscard]] Spread cycle_spread(const Topology& topology, std::vector<HamiltonianCycle> cycles,
                                  bool both_directions, std::uint32_t channel_load = 1);

}  // namespace flitscope::common
