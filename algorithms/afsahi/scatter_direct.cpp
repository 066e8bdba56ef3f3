// afsahi-scatter-direct: the source serves k nodes after the other (Section 4, S1: the sequential tree).
#include <array>

#include "algorithms/afsahi/circuit_list.h"
#include "algorithms/afsahi/closed_forms.h"

namespace flitscope::afsahi::scatter_direct {
namespace {

constexpr auto kName = "afsahi-scatter-direct";

std::unique_ptr<CircuitSchedule> make(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = scatter_facts(network, values, kName);
  const std::uint64_t nodes = network.topology.nodes();
  const std::uint64_t k = network.ports;
  const std::uint64_t d = network.reconfiguration;
  const FromSource node = from_source(facts);
  CircuitList events;
  for (std::uint64_t v = 1; v < nodes; ++v) {
    const std::uint64_t start = (v - 1) / k * (d + 1);
    const Circuit circuit{node(0), static_cast<std::uint32_t>((v - 1) % k), node(v)};
    events.tune(circuit, start);
    events.send(circuit, start + d, std::array{ChunkId{node(v)}});
  }
  facts.claimed_units = (d + 1) * ceil_div(nodes - 1, k);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "scatter in which the source sends every node its data itself",
    .source = "Afsahi and Dimopoulos, Section 4, S1: the sequential tree",
    .claim = "(d+1) * ceil((N-1)/k), in units of t_m",
    .admissible = "complete network, any N >= 2, k >= 1, d >= 0",
    .parameters = rooted_parameters(),
    .make_circuits = make,
}};

}  // namespace
}  // namespace flitscope::afsahi::scatter_direct
