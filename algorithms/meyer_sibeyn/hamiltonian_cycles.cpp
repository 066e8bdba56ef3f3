// hamiltonian-cycles: gossiping on any torus in the fewest steps, with d packets per PU (what Meyer and
// Sibeyn sketch in Section 3.4 and what stands in for their Theorem 4).
//
// The links are decomposed into d Hamiltonian cycles; packet k of every PU runs along cycle k in both
// directions. Every PU is on every cycle, so a PU only relays.
#include "algorithms/common/hamiltonian_decomposition.h"
#include "algorithms/meyer_sibeyn/gossip.h"
#include "model/link_programs.h"

namespace flitscope::meyer_sibeyn::hamiltonian_cycles {
namespace {

constexpr auto kName = "hamiltonian-cycles";

LinkPrograms make_table(const Topology& topology, const ParameterValues& values) {
  require_torus(topology, kName, 3);
  const unsigned d = topology.dimensions();
  refuse_if(d < 2, "topology.shape",
            "{} needs at least 2 dimensions, not 1; translated-tree gossips on a ring", kName);
  const PaperTorus torus(topology);
  LinkPrograms table(gossip_facts(topology, values, kName, d));
  table.facts.claimed_steps = (std::uint64_t{torus.size()} + 1) / 2;
  TableWriter writer(torus, table, d);
  const std::vector<Ring> cycles = common::hamiltonian_decomposition(torus);
  for (unsigned k = 0; k < d; ++k) writer.ring(cycles[k], k, k);
  complete_table(table, torus.size());
  return table;
}

const AlgorithmRegistry::Entry entry{by_table({
    .name = kName,
    .summary = "gossip on any torus along d Hamiltonian cycles, d packets per node, time-independent routing",
    .source = "ours, after Meyer and Sibeyn, Section 3.4; stands in for their Theorem 4",
    .claim = "ceil((P-1)/2) steps for P nodes, the fewest possible (Meyer and Sibeyn: ceil(P/2)); one packet "
             "per link and step",
    .admissible = "torus of two or more dimensions, all sides at least 3",
    .parameters = {message_parameter()},
    .table = make_table,
})};

}  // namespace
}  // namespace flitscope::meyer_sibeyn::hamiltonian_cycles
