// afsahi-b3: broadcast along the k-ary tree, all of whose circuits are tuned at once (Section 3.1, B3).
#include <array>

#include "algorithms/afsahi/closed_forms.h"
#include "algorithms/afsahi/trees.h"

namespace flitscope::afsahi::b3 {
namespace {

constexpr auto kName = "afsahi-b3";

std::unique_ptr<CircuitSchedule> make(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = broadcast_facts(network, values, kName);
  const std::uint64_t nodes = network.topology.nodes();
  const bool warm = is_warm(values);
  const std::uint64_t first = warm ? 0 : network.reconfiguration;
  const std::array<ChunkId, 1> chunk{0};
  CircuitList events;
  for_each_edge(nodes, network.ports, from_source(facts), [&](const Circuit& edge, std::uint64_t level) {
    if (warm) {
      events.begin_with(edge);
    } else {
      events.tune(edge, 0);
    }
    events.send(edge, first + level, chunk);
  });
  facts.claimed_units = first + tree_depth(nodes, network.ports);
  return std::move(events).schedule(std::move(facts));
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> list = rooted_parameters();
  list.push_back(start_parameter("cold"));
  return list;
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "broadcast along the k-ary tree, all circuits tuned together beforehand",
    .source = "Afsahi and Dimopoulos, Section 3.1, B3",
    .claim = "d + depth of the k-ary tree on N nodes, in units of t_m; from a warm start the depth",
    .admissible = "complete network, any N >= 2, k >= 1, d >= 0",
    .parameters = parameters(),
    .make_circuits = make,
}};

}  // namespace
}  // namespace flitscope::afsahi::b3
