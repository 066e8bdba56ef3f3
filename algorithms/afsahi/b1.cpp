// afsahi-b1: broadcast along the k-ary tree; a node tunes its ports when it is informed (Section 3.1, B1).
#include <array>

#include "algorithms/afsahi/closed_forms.h"
#include "algorithms/afsahi/trees.h"

namespace flitscope::afsahi::b1 {
namespace {

constexpr auto kName = "afsahi-b1";

std::unique_ptr<CircuitSchedule> make(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = broadcast_facts(network, values, kName);
  const std::uint64_t nodes = network.topology.nodes();
  const std::uint64_t d = network.reconfiguration;
  const std::array<ChunkId, 1> chunk{0};
  CircuitList events;
  for_each_edge(nodes, network.ports, from_source(facts), [&](const Circuit& edge, std::uint64_t level) {
    const std::uint64_t informed = level * (d + 1);
    events.tune(edge, informed);
    events.send(edge, informed + d, chunk);
  });
  facts.claimed_units = (d + 1) * tree_depth(nodes, network.ports);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "broadcast along the k-ary tree, tuning when informed",
    .source = "Afsahi and Dimopoulos, Section 3.1, B1",
    .claim = "(d+1) * depth of the k-ary tree on N nodes, in units of t_m",
    .admissible = "complete network, any N >= 2, k >= 1, d >= 0",
    .parameters = rooted_parameters(),
    .make_circuits = make,
}};

}  // namespace
}  // namespace flitscope::afsahi::b1
