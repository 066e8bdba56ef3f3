// Gossips of Afsahi and Dimopoulos.
#include <algorithm>
#include <array>

#include "algorithms/afsahi/circuit_list.h"
#include "algorithms/afsahi/closed_forms.h"

namespace flitscope::afsahi {

namespace {

// afsahi-gossip: nodes pass on all they have, so that every step multiplies it by k+1 (Section 5, G2).
//
// `groups` is the paper's form, for N = (k+1)^s: first within groups of k+1 consecutive nodes, then
// with nodes j(k+1)^(i-1) away. `shift` takes any N: before a step every node holds its own message and those
// of the w-1 nodes before it.

constexpr auto kGossip = "afsahi-gossip";

/// By shifts: the messages of a step in which nodes hold `w`, with `dealt` more for each, larger parts first.
/// While nodes lack enough all ports send all w; in the last step they share out what is lacking.
void add_shifts(const Sizes& sizes, std::uint64_t w, std::uint64_t dealt, CircuitEvent& round) {
  const auto [nodes, k, d] = sizes;
  std::vector<ChunkId> chunks;
  // Port c sends its latest `part` messages to p + shift.
  std::uint64_t shift = w;
  for (std::uint32_t c = 0; c < std::min(k, dealt); ++c) {
    const std::uint64_t part = dealt / k + (c < dealt % k ? 1 : 0);
    for (std::uint64_t p = 0; p < nodes; ++p) {
      chunks.clear();
      for (std::uint64_t back = 0; back < part; ++back) {
        chunks.push_back(static_cast<ChunkId>((p + nodes - back) % nodes));
      }
      round.send({static_cast<NodeId>(p), c, static_cast<NodeId>((p + shift) % nodes)}, chunks);
    }
    shift += part;
  }
}

/// By groups: the messages of step `number`.
void add_group_step(const Sizes& sizes, std::uint64_t number, CircuitEvent& round) {
  const auto [nodes, k, d] = sizes;
  const std::uint64_t size = k + 1;
  const std::uint64_t groups = nodes / size;
  const std::uint64_t stride = power(size, number - 1);
  std::vector<ChunkId> chunks;
  for (std::uint64_t p = 0; p < nodes; ++p) {
    chunks.clear();
    if (number == 1) chunks.push_back(static_cast<ChunkId>(p));
    // The messages of its group and of those before it.
    for (std::uint64_t back = 0; back < stride / size; ++back) {
      const std::uint64_t from = (p / size + groups - back) % groups;
      for (std::uint64_t l = 0; l < size; ++l) chunks.push_back(static_cast<ChunkId>(from * size + l));
    }
    for (std::uint64_t j = 1; j < size; ++j) {
      const std::uint64_t target = number == 1 ? p / size * size + (p + j) % size : (p + j * stride) % nodes;
      round.send({static_cast<NodeId>(p), static_cast<std::uint32_t>(j - 1), static_cast<NodeId>(target)},
                 chunks);
    }
  }
}

std::unique_ptr<CircuitSchedule> make_gossip(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = gossip_facts(network, values, kGossip);
  const Sizes sizes = sizes_of(network);
  const auto [nodes, k, d] = sizes;
  facts.steps = ceil_log(k + 1, nodes);
  facts.claimed_units = d * facts.steps + ceil_div(nodes - 1, k);
  // All steps but the last use all ports.
  const std::uint64_t lacking = nodes - power(k + 1, facts.steps - 1);
  facts.messages = nodes * ((facts.steps - 1) * k + std::min(k, lacking));
  if (values.text("form") == "shift") {
    return in_rounds(std::move(facts), [sizes](std::uint64_t number, CircuitEvent& round) {
      const std::uint64_t w = power(sizes.k + 1, number - 1);
      add_shifts(sizes, w, std::min(sizes.k * w, sizes.nodes - w), round);
    });
  }
  require_power(network, "workload.form", "the form groups", "form: shift");
  return in_rounds(std::move(facts), [sizes](std::uint64_t number, CircuitEvent& round) {
    add_group_step(sizes, number, round);
  });
}

const AlgorithmRegistry::Entry gossip_entry{{
    .name = kGossip,
    .collective = {CollectiveKind::gossip},
    .summary = "gossip in which nodes combine messages, so that every step multiplies what they hold by k+1",
    .source = "Afsahi and Dimopoulos, Section 5, G2; the form by shifts, for any N, is ours",
    .claim = "d * ceil(log_{k+1} N) + ceil((N-1)/k), in units of t_m",
    .admissible = "complete network, any N >= 2, k >= 1, d >= 0; form groups: N a power of k+1",
    .parameters = {message_parameter(),
                   Parameter::choice("form",
                                     "shift: any number of nodes; groups: the paper's, for powers of k+1",
                                     {"shift", "groups"})
                       .or_else("shift")},
    .make_circuits = make_gossip,
    // A round has the chunks of all its messages, twice while it is handed over.
    .memory = {.per_pair_of_nodes = 12},
}};

// afsahi-gossip-direct: every node sends its own message to k others after the other (Section 5, G1).

constexpr auto kGossipDirect = "afsahi-gossip-direct";

std::unique_ptr<CircuitSchedule> make_gossip_direct(const CircuitMachine& network,
                                                    const ParameterValues& values) {
  CircuitFacts facts = gossip_facts(network, values, kGossipDirect);
  const Sizes sizes = sizes_of(network);
  facts.steps = ceil_div(sizes.nodes - 1, sizes.k);
  facts.messages = sizes.nodes * (sizes.nodes - 1);
  facts.claimed_units = (sizes.d + 1) * facts.steps;
  return in_rounds(std::move(facts), [sizes](std::uint64_t number, CircuitEvent& round) {
    const auto [nodes, k, d] = sizes;
    const std::uint64_t first = (number - 1) * k + 1;
    for (std::uint64_t p = 0; p < nodes; ++p) {
      for (std::uint64_t o = first; o < std::min(first + k, nodes); ++o) {
        round.send({static_cast<NodeId>(p), static_cast<std::uint32_t>(o - first),
                    static_cast<NodeId>((p + o) % nodes)},
                   std::array{static_cast<ChunkId>(p)});
      }
    }
  });
}

const AlgorithmRegistry::Entry gossip_direct_entry{{
    .name = kGossipDirect,
    .collective = {CollectiveKind::gossip},
    .summary = "gossip in which every node sends its message to every other itself",
    .source = "Afsahi and Dimopoulos, Section 5, G1",
    .claim = "(d+1) * ceil((N-1)/k), in units of t_m",
    .admissible = kAnyNetwork,
    .parameters = {message_parameter()},
    .make_circuits = make_gossip_direct,
}};

}  // namespace

}  // namespace flitscope::afsahi
