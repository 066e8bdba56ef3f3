// combined-total-exchange: i steps of standard exchange, then direct exchange of what has been combined
// (Section 6, TE3; i = 0 is the direct exchange TE1, i = log_{k+1} N the standard exchange TE2).
//
// `digit` is the paper's form, for N = (k+1)^s: nodes are numbers of s digits to the base k+1, and step t
// gives everything to the node with the right digit t, counted from the most significant. `offset` takes any
// N: a block for the node o further on travels by the digits of o, the least significant first, and what
// remains at once.

#include <algorithm>
#include <string>

#include "algorithms/afsahi/circuit_list.h"
#include "algorithms/afsahi/closed_forms.h"
#include "algorithms/common/schedule.h"

namespace flitscope::afsahi::combined_total_exchange {
namespace {

constexpr auto kName = "combined-total-exchange";
/// The blocks of more nodes are too many for Possession to keep track of.
constexpr NodeId kMaxNodes = 4096;

/// The block from `source` to the node o further on, o = 1 .. N-1.
ChunkId block(std::uint64_t nodes, std::uint64_t source, std::uint64_t o) {
  return static_cast<ChunkId>(source * (nodes - 1) + o - 1);
}

/// Messages of all nodes in a step over one port: the blocks of these offsets, each to the node `shift`
/// further on. Before that a block of offset o is o mod w further on than its source.
struct Shift {
  std::uint64_t shift = 0;
  std::vector<std::uint64_t> offsets;
};
struct OffsetRound {
  std::uint64_t w = 1;
  std::vector<Shift> ports;
};

std::vector<OffsetRound> offset_rounds(std::uint64_t nodes, std::uint64_t k, unsigned i) {
  std::vector<OffsetRound> rounds;
  std::uint64_t w = 1;
  // A round of up to k ports, each with the offsets of one digit, to this base, at the place that is worth w:
  // from `first` on.
  const auto add_round = [&](std::uint64_t first, std::uint64_t base) {
    OffsetRound& round = rounds.emplace_back(OffsetRound{w, {}});
    for (std::uint64_t digit = first; digit < first + k && digit * w < nodes; ++digit) {
      Shift& shift = round.ports.emplace_back(Shift{digit * w, {}});
      for (std::uint64_t o = digit * w; o < nodes; ++o) {
        if (o / w % base == digit) shift.offsets.push_back(o);
      }
    }
  };
  for (unsigned t = 0; t < i && w < nodes; ++t, w *= k + 1) add_round(1, k + 1);
  for (std::uint64_t first = 1; first * w < nodes; first += k) add_round(first, nodes);
  return rounds;
}

void add_offset_round(std::uint64_t nodes, const OffsetRound& round, CircuitEvent& event) {
  std::vector<ChunkId> chunks;
  for (std::uint32_t port = 0; port < round.ports.size(); ++port) {
    const Shift& shift = round.ports[port];
    for (std::uint64_t p = 0; p < nodes; ++p) {
      chunks.clear();
      for (const std::uint64_t o : shift.offsets) {
        chunks.push_back(block(nodes, (p + nodes - o % round.w) % nodes, o));
      }
      event.send({static_cast<NodeId>(p), port, static_cast<NodeId>((p + shift.shift) % nodes)}, chunks);
    }
  }
}

/// Adds the message from p to q: the blocks from all sources that agree with p modulo `modulus`, to `count`
/// destinations from `first` on.
void send_blocks(std::uint64_t nodes, const Circuit& circuit, std::uint64_t modulus, std::uint64_t first,
                 std::uint64_t count, CircuitEvent& event) {
  std::vector<ChunkId> chunks;
  for (std::uint64_t source = circuit.node % modulus; source < nodes; source += modulus) {
    for (std::uint64_t to = first; to < first + count; ++to) {
      chunks.push_back(block(nodes, source, (to + nodes - source) % nodes));
    }
  }
  event.send(circuit, chunks);
}

/// Node p sends to every node q that differs from it in digit t only the blocks for destinations that agree
/// with q in the digits 1 .. t. They come from the sources that agree with p in the digits t .. s.
void add_standard_step(std::uint64_t nodes, std::uint64_t base, std::uint64_t t, CircuitEvent& event) {
  const std::uint64_t span = nodes / power(base, t);  // worth of digit t
  for (std::uint64_t p = 0; p < nodes; ++p) {
    const std::uint64_t digit = p / span % base;
    for (std::uint64_t j = 1; j < base; ++j) {
      const std::uint64_t q = p - digit * span + (digit + j) % base * span;
      const Circuit circuit{static_cast<NodeId>(p), static_cast<std::uint32_t>(j - 1),
                            static_cast<NodeId>(q)};
      send_blocks(nodes, circuit, span * base, q / span * span, span, event);
    }
  }
}

/// In groups of g consecutive nodes: to the k next offsets, all blocks for the target.
void add_direct_step(std::uint64_t nodes, std::uint64_t k, std::uint64_t g, std::uint64_t step,
                     CircuitEvent& event) {
  const std::uint64_t first = (step - 1) * k + 1;
  for (std::uint64_t p = 0; p < nodes; ++p) {
    for (std::uint64_t o = first; o < std::min(first + k, g); ++o) {
      const std::uint64_t q = p / g * g + (p + o) % g;
      const Circuit circuit{static_cast<NodeId>(p), static_cast<std::uint32_t>(o - first),
                            static_cast<NodeId>(q)};
      send_blocks(nodes, circuit, g, q, 1, event);
    }
  }
}

CircuitFacts total_exchange_facts(const CircuitMachine& network, const ParameterValues& values) {
  const NodeId nodes = network.topology.nodes();
  refuse_if(nodes > kMaxNodes, "topology.nodes",
            "{} can keep track of the blocks of at most {} nodes, not of {}", kName, kMaxNodes, nodes);
  CircuitFacts facts = facts_of(network, kName);
  facts.collective.chunk_bytes.assign(std::uint64_t{nodes} * (nodes - 1), values.bytes("message"));
  facts.collective.initial = common::own_chunks(nodes, nodes - 1);
  facts.collective.goal.emplace();
  for (NodeId node = 0; node < nodes; ++node) {
    Holding wanted{node, {}};
    for (NodeId source = 0; source < nodes; ++source) {
      if (source != node)
        wanted.chunks.push_back(block(nodes, source, (std::uint64_t{node} + nodes - source) % nodes));
    }
    facts.collective.goal->push_back(std::move(wanted));
  }
  facts.lower_bound_units = ceil_div(nodes - 1, network.ports);
  return facts;
}

unsigned chosen_i(const CircuitMachine& network, const ParameterValues& values) {
  const auto [nodes, k, d] = sizes_of(network);
  const unsigned most = ceil_log(k + 1, nodes);
  if (std::holds_alternative<std::string>(values.all().at("i"))) {
    unsigned best = 0;
    for (unsigned i = 1; i <= most; ++i) {
      if (offset_exchange_time(nodes, k, d, i) < offset_exchange_time(nodes, k, d, best)) best = i;
    }
    return best;
  }
  const std::int64_t i = values.integer("i");
  refuse_if(i > most, "workload.i",
            "{} steps of standard exchange are too many: {} nodes with {} ports take 0 to {}, or auto", i,
            nodes, k, most);
  return static_cast<unsigned>(i);
}

std::unique_ptr<CircuitSchedule> make(const CircuitMachine& network, const ParameterValues& values) {
  const Sizes sizes = sizes_of(network);
  const auto [nodes, k, d] = sizes;
  const bool digits = values.text("form") == "digit";
  if (digits) require_power(network, "workload.form", "the form digit", "form: offset");
  const unsigned i = chosen_i(network, values);
  CircuitFacts facts = total_exchange_facts(network, values);
  if (digits) {
    const std::uint64_t g = nodes / power(k + 1, i);
    facts.steps = i + ceil_div(g - 1, k);
    facts.messages = nodes * (i * k + g - 1);
    facts.claimed_units = digit_exchange_time(nodes, k, d, i);
    return in_rounds(std::move(facts), [sizes, i, g](std::uint64_t number, CircuitEvent& event) {
      if (number <= i) return add_standard_step(sizes.nodes, sizes.k + 1, number, event);
      add_direct_step(sizes.nodes, sizes.k, g, number - i, event);
    });
  }
  std::vector<OffsetRound> rounds = offset_rounds(nodes, k, i);
  facts.steps = rounds.size();
  for (const OffsetRound& round : rounds) facts.messages += nodes * round.ports.size();
  facts.claimed_units = offset_exchange_time(nodes, k, d, i);
  return in_rounds(std::move(facts), [sizes, rounds](std::uint64_t number, CircuitEvent& event) {
    add_offset_round(sizes.nodes, rounds[number - 1], event);
  });
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::all_to_all},
    .summary = "total exchange: i steps that combine messages, then every node directly to every other",
    .source = "Afsahi and Dimopoulos, Section 6, TE1, TE2 and TE3; the form by offsets, for any N, is ours",
    .claim = "i (d + N/(k+1)) + (N/(k+1)^i - 1)(d + (k+1)^i)/k for N = (k+1)^s, in units of t_m",
    .admissible = "complete network, any N >= 2, k >= 1, d >= 0; form digit: N a power of k+1",
    .parameters = {message_parameter(),
                   Parameter::choice("form",
                                     "offset: any number of nodes; digit: the paper's, for powers of k+1",
                                     {"offset", "digit"})
                       .or_else("offset"),
                   Parameter::integer(
                       "i", "steps of standard exchange before the direct exchange; auto: the best of all",
                       {0, 64}, "steps")
                       .or_words({"auto"})
                       .or_else("auto")},
    .make_circuits = make,
    // The blocks of all nodes, twice while a round is handed over.
    .memory = {.per_pair_of_nodes = 24},
}};

}  // namespace
}  // namespace flitscope::afsahi::combined_total_exchange
