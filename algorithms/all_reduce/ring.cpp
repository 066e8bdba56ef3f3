// Algorithms along Hamiltonian cycles.
#include <utility>

#include "algorithms/common/cycles.h"

namespace flitscope::all_reduce {

namespace {

// ring: the chunks go round one circle of all nodes.

/// A link leads from each node of the cycle to the next.
bool has_all_links(const Topology& topology, const common::HamiltonianCycle& cycle) {
  for (std::size_t at = 0; at < cycle.nodes.size(); ++at) {
    const NodeId next = cycle.nodes[(at + 1) % cycle.nodes.size()];
    if (topology.neighbour(cycle.nodes[at], cycle.moves[at]) != next) return false;
  }
  return true;
}

common::Spread make_ring(const Topology& topology, const ParameterValues& values,
                         const std::string& /*algorithm*/) {
  const bool is_torus = topology.is_fault_free_grid() && topology.wraps() && !topology.is_one_way();
  // Two nodes have one link in each direction, but on a torus two.
  const bool both = values.text("directions") == "both" && (is_torus || Participants(topology).count() > 2);
  common::HamiltonianCycle cycle =
      is_torus ? common::hamiltonian_cycle(topology) : common::searched_cycle(topology);
  const std::uint32_t channel_load = has_all_links(topology, cycle) ? 1 : 0;
  return common::cycle_spread(topology, {std::move(cycle)}, both, channel_load);
}

const common::Family ring_family{{
    .name = "ring",
    .how = "round one circle of all nodes",
    .source = "the ring algorithm, common knowledge; the circle is a Hamiltonian cycle where one is known or "
              "found, else a walk round a breadth-first tree",
    .claim = "p-1 steps for p nodes; where every router is a node and a Hamiltonian cycle is found one "
             "message per link and step, between neighbours; (p-1)/p of the vector on each link of the "
             "cycle, half of that with both directions",
    .admissible = "any network, any number of nodes",
    .parameters = {Parameter::choice("directions", "whether half of the vector goes in the other direction",
                                     {"both", "one"})
                       .or_else("both")},
    .make = make_ring,
    .any_network = true,
}};

// hamiltonian: the chunks go round Hamiltonian cycles that together have all links.

common::Spread make_hamiltonian(const Topology& topology, const ParameterValues& /*values*/,
                                const std::string& algorithm) {
  common::require_disjoint_cycles(topology, algorithm);
  return common::cycle_spread(topology, common::disjoint_cycles(topology), true);
}

const common::Family hamiltonian_family{{
    .name = "hamiltonian",
    .how = "along D Hamiltonian cycles that share no link, in both directions of each",
    .source = "ours, after Meyer and Sibeyn, Section 3.4",
    .claim = "p-1 steps for p nodes; one message per link and step, between neighbours; (p-1)/2Dp of the "
             "vector on every link, the least possible",
    .admissible = "ring; torus of any number D of dimensions, all sides at least 3",
    .make = make_hamiltonian,
}};

}  // namespace

}  // namespace flitscope::all_reduce
