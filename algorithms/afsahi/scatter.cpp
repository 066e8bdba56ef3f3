// Scatters of Afsahi and Dimopoulos.

#include <algorithm>
#include <array>
#include <cstdint>
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

/// The chunks of nodes first .. first+count-1, as seen from the source.
[[nodiscard]] inline std::vector<ChunkId> range(const FromSource& node, std::uint64_t first,
                                                std::uint64_t count) {
  std::vector<ChunkId> chunks(count);
  for (std::uint64_t i = 0; i < count; ++i) chunks[i] = node(first + i);
  return chunks;
}

// afsahi-scatter: a holder of data keeps a (k+1)-th and deals the rest to k children (Section 4, S2; for
// k = 1 the binomial tree). The paper has N = (k+1)^s. Here, for any N, a holder of n items keeps
// (k+1)^(clog n - 1) and deals the rest evenly; equal (k+1)-th parts would take longer.

constexpr auto kScatter = "afsahi-scatter";

std::unique_ptr<CircuitSchedule> make_scatter(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = scatter_facts(network, values, kScatter);
  const auto [nodes, k, d] = sizes_of(network);
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
      holder.tuned ? events.begin_with(circuit) : events.tune(circuit, holder.ready);
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
    holder.tuned ? events.begin_with(circuit, warm) : events.tune(circuit, holder.ready);
    const std::uint64_t start = holder.ready + (holder.tuned ? 0 : d);
    events.send(circuit, start, range(node, first, m));
    open.push_back({first, m, start + m, true});
    open.push_back({holder.first, holder.count - m, start + m, false});
  }
  facts.claimed_units = begin + split.time(nodes);
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
