// afsahi-b2: all informed nodes inform k others each, step after step (Section 3.1, B2; for k = 1 the
// binomial tree).
#include <algorithm>
#include <array>

#include "algorithms/afsahi/circuit_list.h"

namespace flitscope::afsahi::b2 {
namespace {

constexpr auto kName = "afsahi-b2";

std::unique_ptr<CircuitSchedule> make(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = broadcast_facts(network, values, kName);
  const std::uint64_t nodes = network.topology.nodes();
  const std::uint64_t k = network.ports;
  const std::uint64_t d = network.reconfiguration;
  const FromSource node = from_source(facts);
  const std::array<ChunkId, 1> chunk{0};
  CircuitList events;
  std::uint64_t start = 0;
  // The n informed nodes are 0 .. n-1; node j informs n+jk .. n+jk+k-1.
  for (std::uint64_t n = 1; n < nodes; n = std::min(nodes, n * (k + 1)), start += d + 1) {
    for (std::uint64_t target = n; target < std::min(nodes, n * (k + 1)); ++target) {
      const Circuit circuit{node((target - n) / k), static_cast<std::uint32_t>((target - n) % k),
                            node(target)};
      events.tune(circuit, start);
      events.send(circuit, start + d, chunk);
    }
  }
  facts.claimed_units = (d + 1) * ceil_log(k + 1, nodes);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "broadcast in which all informed nodes tune to k others each in every step",
    .source = "Afsahi and Dimopoulos, Section 3.1, B2; k = 1: the spanning binomial tree",
    .claim = "(d+1) * ceil(log_{k+1} N), in units of t_m",
    .admissible = "complete network, any N >= 2, k >= 1, d >= 0",
    .parameters = rooted_parameters(),
    .make_circuits = make,
}};

}  // namespace
}  // namespace flitscope::afsahi::b2
