// ring: the chunks go round one Hamiltonian cycle of the torus.
#include "algorithms/all_reduce/cycles.h"

namespace flitscope::all_reduce::ring {
namespace {

std::unique_ptr<Spread> make(const Topology& topology, const ParameterValues& values,
                             const std::string& algorithm) {
  require_torus(topology, algorithm);
  return std::make_unique<CycleSpread>(topology, std::vector{hamiltonian_cycle(topology)},
                                       values.text("directions") == "both");
}

const Family family{{
    .name = "ring",
    .how = "along one Hamiltonian cycle",
    .source = "the ring algorithm, common knowledge; the cycle winds through the torus",
    .claim =
        "p-1 steps for p nodes; one message per link and step, between neighbours; (p-1)/p of the vector "
        "on each link of the cycle, half of that with both directions",
    .admissible = "torus of any sides and any number of dimensions",
    .parameters = {{.name = "directions",
                    .type = ParameterType::choice,
                    .summary = "whether half of the vector goes the other way round",
                    .fallback = "both",
                    .choices = {"both", "one"}}},
    .make = make,
}};

}  // namespace
}  // namespace flitscope::all_reduce::ring
