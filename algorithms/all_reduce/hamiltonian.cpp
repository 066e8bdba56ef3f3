// hamiltonian: the chunks go round Hamiltonian cycles that together have all links.
#include "algorithms/all_reduce/cycles.h"

namespace flitscope::all_reduce::hamiltonian {
namespace {

std::unique_ptr<Spread> make(const Topology& topology, const ParameterValues& /*values*/,
                             const std::string& algorithm) {
  require_disjoint_cycles(topology, algorithm);
  return std::make_unique<CycleSpread>(topology, disjoint_cycles(topology), true);
}

const Family family{{
    .name = "hamiltonian",
    .how = "along D Hamiltonian cycles that share no link, both ways round each",
    .source = "ours, after Meyer and Sibeyn, Section 3.4",
    .claim = "p-1 steps for p nodes; one message per link and step, between neighbours; (p-1)/2Dp of the "
             "vector on every link, the least possible",
    .admissible = "ring; torus of any number D of dimensions, all sides at least 3",
    .make = make,
}};

}  // namespace
}  // namespace flitscope::all_reduce::hamiltonian
