// Scatters of Afsahi and Dimopoulos.

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "algorithms/afsahi/circuit_list.h"
#include "algorithms/afsahi/closed_forms.h"

namespace flitscope::afsahi {

namespace {

/// A node that holds the chunks of a range, its own first, and is free to deal from `ready` on.
struct Share {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t ready = 0;
  /// The circuits of the next deal are there already.
  bool tuned = false;
};

/// The events of a scatter from node 0, who holds all N chunks at `begin`: a holder of n > 1 items keeps
/// kept(n) and deals the others evenly, the larger parts first, over its k ports. Nodes are as seen from the
/// source. `tuned`: circuits of a node's first deal are there when it is informed; `warm`, at time 0, or
/// tuned from then on.
CircuitList deal(const FromSource& node, const Sizes& sizes, std::uint64_t begin, bool tuned, bool warm,
                 const std::function<std::uint64_t(std::uint64_t count)>& kept) {
  const auto [nodes, k, d] = sizes;
  CircuitList events;
  std::vector<Share> open{{0, nodes, begin, tuned}};
  while (!open.empty()) {
    const Share holder = open.back();
    open.pop_back();
    if (holder.count == 1) continue;
    const std::uint64_t dealt = holder.count - kept(holder.count);
    const std::uint64_t start = holder.ready + (holder.tuned ? 0 : d);
    std::uint64_t first = holder.first + holder.count - dealt;
    for (std::uint64_t p = 0; p < std::min(k, dealt); ++p) {
      const std::uint64_t part = dealt / k + (p < dealt % k ? 1 : 0);
      const Circuit circuit{node(holder.first), static_cast<std::uint32_t>(p), node(first)};
      holder.tuned ? events.begin_with(circuit, warm) : events.tune(circuit, holder.ready);
      std::vector<ChunkId> chunks(part);
      for (std::uint64_t i = 0; i < part; ++i) chunks[i] = node(first + i);
      events.send(circuit, start, chunks);
      open.push_back({first, part, start + part, tuned});
      first += part;
    }
    open.push_back({holder.first, holder.count - dealt, start + ceil_div(dealt, k), false});
  }
  return events;
}

// afsahi-scatter: a holder of data keeps a (k+1)-th and deals the rest to k children (Section 4, S2; for
// k = 1 the binomial tree). The paper has N = (k+1)^s. Here, for any N, a holder of n items keeps
// (k+1)^(clog n - 1) and deals the rest evenly; equal (k+1)-th parts would take longer.

constexpr auto kScatter = "afsahi-scatter";

std::unique_ptr<CircuitSchedule> make_scatter(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = scatter_facts(network, values, kScatter);
  const auto [nodes, k, d] = sizes_of(network);
  const bool warm = is_warm(values);
  const auto kept = [base = k + 1](std::uint64_t n) { return power(base, ceil_log(base, n) - 1); };
  const std::uint64_t tunings = ceil_log(k + 1, nodes) - (warm ? 1 : 0);
  facts.claimed_units = d * tunings + ceil_div(nodes - 1, k);
  CircuitList events = deal(from_source(facts), sizes_of(network), 0, warm, true, kept);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry scatter_entry{{
    .name = kScatter,
    .collective = {CollectiveKind::scatter},
    .summary = "scatter in which every node that has data deals it to k children",
    .source = "Afsahi and Dimopoulos, Section 4, S2 (after Desprez and others); for any N ours",
    .claim = "d * ceil(log_{k+1} N) + ceil((N-1)/k), in units of t_m; d less from a warm start",
    .admissible = kAnyNetwork,
    .parameters = rooted_parameters({start_parameter("cold")}),
    .make_circuits = make_scatter,
}};

// afsahi-scatter-direct: the source serves k nodes after the other (Section 4, S1: the sequential tree).

constexpr auto kScatterDirect = "afsahi-scatter-direct";

std::unique_ptr<CircuitSchedule> make_scatter_direct(const CircuitMachine& network,
                                                     const ParameterValues& values) {
  CircuitFacts facts = scatter_facts(network, values, kScatterDirect);
  const auto [nodes, k, d] = sizes_of(network);
  const FromSource node = from_source(facts);
  CircuitList events;
  for (std::uint64_t v = 1; v < nodes; ++v) {
    const std::uint64_t start = (v - 1) / k * (d + 1);
    const Circuit circuit{node(0), static_cast<std::uint32_t>((v - 1) % k), node(v)};
    events.tune_and_send(circuit, start, d, std::array{ChunkId{node(v)}});
  }
  facts.claimed_units = (d + 1) * ceil_div(nodes - 1, k);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry scatter_direct_entry{{
    .name = kScatterDirect,
    .collective = {CollectiveKind::scatter},
    .summary = "scatter in which the source sends every node its data itself",
    .source = "Afsahi and Dimopoulos, Section 4, S1: the sequential tree",
    .claim = "(d+1) * ceil((N-1)/k), in units of t_m",
    .admissible = kAnyNetwork,
    .parameters = rooted_parameters(),
    .make_circuits = make_scatter_direct,
}};

// afsahi-scatter-unequal: a scatter that hides tuning, for one port. Ours; the paper says that hiding does
// not help here. The child gets the larger part and forwards it at once over its first circuit, which is
// there, while the holder tunes for what it has kept.

constexpr auto kScatterUnequal = "afsahi-scatter-unequal";

std::unique_ptr<CircuitSchedule> make_scatter_unequal(const CircuitMachine& network,
                                                      const ParameterValues& values) {
  const auto [nodes, k, d] = sizes_of(network);
  if (k != 1) throw Inadmissible("node.ports", "{} is made for 1 port, not {}", kScatterUnequal, k);
  CircuitFacts facts = scatter_facts(network, values, kScatterUnequal);
  const bool warm = is_warm(values);
  const std::uint64_t begin = warm ? 0 : d;
  const UnequalSplit split(nodes, d);
  const auto kept = [&](std::uint64_t n) { return n - split.given(n); };
  facts.claimed_units = begin + split.time(nodes);
  CircuitList events = deal(from_source(facts), sizes_of(network), begin, true, warm, kept);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry scatter_unequal_entry{{
    .name = kScatterUnequal,
    .collective = {CollectiveKind::scatter},
    .summary = "one-port scatter with unequal parts, so that tuning hides behind the children's work",
    .source = "ours, after Afsahi and Dimopoulos, Section 4",
    .claim = "T(N) = min over m of m + max(T(m), d + T(N-m)), in units of t_m; d more from a cold start",
    .admissible = "complete network, k = 1, any N >= 2, d >= 0",
    .parameters = rooted_parameters({start_parameter("warm")}),
    .make_circuits = make_scatter_unequal,
}};

}  // namespace

}  // namespace flitscope::afsahi
