// Broadcasts B1 to B3 of Afsahi and Dimopoulos.
#include <algorithm>
#include <array>
#include <cstdint>

#include "algorithms/afsahi/circuit_list.h"
#include "algorithms/afsahi/closed_forms.h"

namespace flitscope::afsahi {

namespace {

constexpr std::array<ChunkId, 1> kMessage{0};

/// Calls visit(circuit, level) for every edge of the tree on N nodes, level by level; the root's are of level
/// 0. Nodes are as seen from the source.
template <typename Visit>
void for_each_edge(std::uint64_t nodes, std::uint64_t k, const FromSource& node, Visit visit) {
  std::uint64_t level = 0;
  std::uint64_t last_of_level = 0;
  for (std::uint64_t v = 0; k * v + 1 < nodes; ++v) {
    if (v > last_of_level) {
      ++level;
      last_of_level = k * last_of_level + k;
    }
    for (std::uint64_t p = 0; p < k && k * v + p + 1 < nodes; ++p) {
      visit(Circuit{node(v), static_cast<std::uint32_t>(p), node(k * v + p + 1)}, level);
    }
  }
}

// afsahi-b1: broadcast along the k-ary tree; a node tunes its ports when it is informed (Section 3.1, B1).

constexpr auto kB1 = "afsahi-b1";

std::unique_ptr<CircuitSchedule> make_b1(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = broadcast_facts(network, values, kB1);
  const auto [nodes, k, d] = sizes_of(network);
  CircuitList events;
  for_each_edge(nodes, k, from_source(facts), [&](const Circuit& edge, std::uint64_t level) {
    events.tune_and_send(edge, level * (d + 1), d, kMessage);
  });
  facts.claimed_units = (d + 1) * tree_depth(nodes, k);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry b1_entry{{
    .name = kB1,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast along the k-ary tree, tuning when informed",
    .source = "Afsahi and Dimopoulos, Section 3.1, B1",
    .claim = "(d+1) * depth of the k-ary tree on N nodes, in units of t_m",
    .admissible = kAnyNetwork,
    .parameters = rooted_parameters(),
    .make_circuits = make_b1,
}};

// afsahi-b2: all informed nodes inform k others each, step after step (Section 3.1, B2; for k = 1 the
// binomial tree).

constexpr auto kB2 = "afsahi-b2";

std::unique_ptr<CircuitSchedule> make_b2(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = broadcast_facts(network, values, kB2);
  const auto [nodes, k, d] = sizes_of(network);
  const FromSource node = from_source(facts);
  CircuitList events;
  std::uint64_t start = 0;
  // The n informed nodes are 0 .. n-1; node j informs n+jk .. n+jk+k-1.
  for (std::uint64_t n = 1; n < nodes; n = std::min(nodes, n * (k + 1)), start += d + 1) {
    for (std::uint64_t target = n; target < std::min(nodes, n * (k + 1)); ++target) {
      const auto port = static_cast<std::uint32_t>((target - n) % k);
      events.tune_and_send({node((target - n) / k), port, node(target)}, start, d, kMessage);
    }
  }
  facts.claimed_units = (d + 1) * ceil_log(k + 1, nodes);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry b2_entry{{
    .name = kB2,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast in which all informed nodes tune to k others each in every step",
    .source = "Afsahi and Dimopoulos, Section 3.1, B2; k = 1: the spanning binomial tree",
    .claim = "(d+1) * ceil(log_{k+1} N), in units of t_m",
    .admissible = kAnyNetwork,
    .parameters = rooted_parameters(),
    .make_circuits = make_b2,
}};

// afsahi-b3: broadcast along the k-ary tree, all of whose circuits are tuned at once (Section 3.1, B3).

constexpr auto kB3 = "afsahi-b3";

std::unique_ptr<CircuitSchedule> make_b3(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = broadcast_facts(network, values, kB3);
  const auto [nodes, k, d] = sizes_of(network);
  const bool warm = is_warm(values);
  const std::uint64_t first = warm ? 0 : d;
  CircuitList events;
  for_each_edge(nodes, k, from_source(facts), [&](const Circuit& edge, std::uint64_t level) {
    events.begin_with(edge, warm);
    events.send(edge, first + level, kMessage);
  });
  facts.claimed_units = first + tree_depth(nodes, k);
  return std::move(events).schedule(std::move(facts));
}

const AlgorithmRegistry::Entry b3_entry{{
    .name = kB3,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast along the k-ary tree, all circuits tuned together beforehand",
    .source = "Afsahi and Dimopoulos, Section 3.1, B3",
    .claim = "d + depth of the k-ary tree on N nodes, in units of t_m; from a warm start the depth",
    .admissible = kAnyNetwork,
    .parameters = rooted_parameters({start_parameter("cold")}),
    .make_circuits = make_b3,
}};

}  // namespace

}  // namespace flitscope::afsahi
