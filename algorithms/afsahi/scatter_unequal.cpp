// afsahi-scatter-unequal: a scatter that hides tuning, for one port. Ours; the paper says that hiding does
// not help here. The child gets the larger part and forwards it at once over its first circuit, which is
// there, while the holder tunes for what it has kept.
#include <fmt/format.h>

#include "algorithms/afsahi/ranges.h"
#include "algorithms/afsahi/unequal_split.h"
#include "model/error.h"

namespace flitscope::afsahi::scatter_unequal {
namespace {

constexpr auto kName = "afsahi-scatter-unequal";

std::unique_ptr<CircuitSchedule> make(const CircuitMachine& network, const ParameterValues& values) {
  if (network.ports != 1) {
    throw Inadmissible("node.ports", fmt::format("{} is made for 1 port, not {}", kName, network.ports));
  }
  CircuitFacts facts = scatter_facts(network, values, kName);
  const std::uint64_t nodes = network.topology.nodes();
  const std::uint64_t d = network.reconfiguration;
  const bool warm = is_warm(values);
  const std::uint64_t begin = warm ? 0 : d;
  const FromSource node = from_source(facts);
  const UnequalSplit split(nodes, d);
  CircuitList events;
  std::vector<Share> open{{0, nodes, begin, true}};
  while (!open.empty()) {
    const Share holder = open.back();
    open.pop_back();
    if (holder.count == 1) continue;
    const std::uint64_t m = split.given(holder.count);
    const std::uint64_t first = holder.first + holder.count - m;
    const Circuit circuit{node(holder.first), 0, node(first)};
    if (!holder.tuned) {
      events.tune(circuit, holder.ready);
    } else if (warm) {
      events.begin_with(circuit);
    } else {
      events.tune(circuit, 0);
    }
    const std::uint64_t start = holder.ready + (holder.tuned ? 0 : d);
    events.send(circuit, start, range(node, first, m));
    open.push_back({first, m, start + m, true});
    open.push_back({holder.first, holder.count - m, start + m, false});
  }
  facts.claimed_units = begin + split.time(nodes);
  return std::move(events).schedule(std::move(facts));
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> list = rooted_parameters();
  list.push_back(start_parameter("warm"));
  return list;
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "one-port scatter with unequal parts, so that tuning hides behind the children's work",
    .source = "ours, after Afsahi and Dimopoulos, Section 4",
    .claim = "T(N) = min over m of m + max(T(m), d + T(N-m)), in units of t_m; d more from a cold start",
    .admissible = "complete network, k = 1, any N >= 2, d >= 0",
    .parameters = parameters(),
    .make_circuits = make,
}};

}  // namespace
}  // namespace flitscope::afsahi::scatter_unequal
