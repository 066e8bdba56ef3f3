// afsahi-scatter: whoever holds data keeps a (k+1)-th and deals the rest to k children (Section 4, S2; for
// k = 1 the binomial tree). The paper has N = (k+1)^s. Here, for any N, a holder of n items keeps
// (k+1)^(clog n - 1) and deals the rest evenly; equal (k+1)-th parts would take longer.
#include <algorithm>

#include "algorithms/afsahi/closed_forms.h"
#include "algorithms/afsahi/ranges.h"

namespace flitscope::afsahi::scatter {
namespace {

constexpr auto kName = "afsahi-scatter";

std::unique_ptr<CircuitSchedule> make(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = scatter_facts(network, values, kName);
  const std::uint64_t nodes = network.topology.nodes();
  const std::uint64_t k = network.ports;
  const std::uint64_t d = network.reconfiguration;
  const bool warm = is_warm(values);
  const FromSource node = from_source(facts);
  CircuitList events;
  std::vector<Share> open{{0, nodes, 0, warm}};
  while (!open.empty()) {
    const Share holder = open.back();
    open.pop_back();
    if (holder.count == 1) continue;
    const std::uint64_t kept = power(k + 1, ceil_log(k + 1, holder.count) - 1);
    const std::uint64_t dealt = holder.count - kept;
    const std::uint64_t start = holder.ready + (holder.tuned ? 0 : d);
    std::uint64_t first = holder.first + kept;
    for (std::uint64_t p = 0; p < std::min(k, dealt); ++p) {
      const std::uint64_t part = dealt / k + (p < dealt % k ? 1 : 0);
      const Circuit circuit{node(holder.first), static_cast<std::uint32_t>(p), node(first)};
      if (!holder.tuned) {
        events.tune(circuit, holder.ready);
      } else {
        events.begin_with(circuit);
      }
      events.send(circuit, start, range(node, first, part));
      open.push_back({first, part, start + part, warm});
      first += part;
    }
    open.push_back({holder.first, kept, start + ceil_div(dealt, k), false});
  }
  const std::uint64_t tunings = ceil_log(k + 1, nodes) - (warm ? 1 : 0);
  facts.claimed_units = d * tunings + ceil_div(nodes - 1, k);
  return std::move(events).schedule(std::move(facts));
}

std::vector<Parameter> parameters() {
  std::vector<Parameter> list = rooted_parameters();
  list.push_back(start_parameter("cold"));
  return list;
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "scatter in which every node that has data deals it to k children",
    .source = "Afsahi and Dimopoulos, Section 4, S2 (after Desprez and others); for any N ours",
    .claim = "d * ceil(log_{k+1} N) + ceil((N-1)/k), in units of t_m; d less from a warm start",
    .admissible = "complete network, any N >= 2, k >= 1, d >= 0",
    .parameters = parameters(),
    .make_circuits = make,
}};

}  // namespace
}  // namespace flitscope::afsahi::scatter
