// Algorithms along Hamiltonian cycles.
#include "algorithms/common/cycles.h"

namespace flitscope::all_reduce {

namespace {

// ring: the chunks go round one Hamiltonian cycle.

common::Spread make_ring(const Topology& topology, const ParameterValues& values,
                         const std::string& algorithm) {
  const bool is_torus = topology.is_fault_free_grid() && topology.wraps() && !topology.is_one_way();
  // Two nodes have one link in each direction, but on a torus two.
  const bool both = values.text("directions") == "both" && (is_torus || Participants(topology).count() > 2);
  const bool between_neighbours = topology.routers() == topology.nodes();
  return common::cycle_spread(
      topology,
      {is_torus ? common::hamiltonian_cycle(topology) : common::searched_cycle(topology, algorithm)}, both,
      between_neighbours ? 1 : 0);
}

const common::Family ring_family{{
    .name = "ring",
    .how = "along one Hamiltonian cycle",
    .source = "the ring algorithm, common knowledge; the cycle winds through the torus, on other networks it "
              "is searched for",
    .claim = "p-1 steps for p nodes; where every router is a node one message per link and step, between "
             "neighbours; (p-1)/p of the vector on each link of the cycle, half of that with both directions",
    .admissible =
        "torus of any sides and any number of dimensions; any network on which a Hamiltonian cycle is "
        "found",
    .parameters = {choice_parameter("directions", "whether half of the vector goes in the other direction",
                                    "both", {"both", "one"})},
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
