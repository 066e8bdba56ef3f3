// Gossips of Afsahi and Dimopoulos.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "algorithms/afsahi/circuit_list.h"
#include "algorithms/afsahi/closed_forms.h"
#include "model/error.h"

namespace flitscope::afsahi {

namespace {

// afsahi-gossip: nodes pass on all they have, so that every step multiplies it by k+1 (Section 5, G2).
//
// `groups` is the paper's form, for N = (k+1)^s: first within groups of k+1 consecutive nodes, then
// with nodes j(k+1)^(i-1) away. `shift` takes any N: before a step every node holds its own message and those
// of the w-1 nodes before it.

constexpr auto kGossip = "afsahi-gossip";

class GossipByShifts final : public RoundSchedule {
 public:
  using RoundSchedule::RoundSchedule;

 private:
  void produce(std::uint64_t /*number*/, CircuitEvent& round) override {
    const std::uint64_t nodes = facts().topology.nodes();
    const std::uint64_t k = facts().send_ports;
    // Port c sends its latest `parts` messages to p + shift. While there is room all ports send all w; in the
    // last step they share out the N-w that lack, larger parts first.
    const std::uint64_t dealt = std::min(k * w_, nodes - w_);
    std::uint64_t shift = w_;
    for (std::uint64_t c = 0; c < std::min(k, dealt); ++c) {
      const std::uint64_t part = dealt / k + (c < dealt % k ? 1 : 0);
      for (std::uint64_t p = 0; p < nodes; ++p) {
        chunks_.clear();
        for (std::uint64_t back = 0; back < part; ++back) {
          chunks_.push_back(static_cast<ChunkId>((p + nodes - back) % nodes));
        }
        round.send(
            {static_cast<NodeId>(p), static_cast<std::uint32_t>(c), static_cast<NodeId>((p + shift) % nodes)},
            chunks_);
      }
      shift += part;
    }
    w_ += dealt;
  }

  std::uint64_t w_ = 1;
  std::vector<ChunkId> chunks_;
};

class GossipByGroups final : public RoundSchedule {
 public:
  using RoundSchedule::RoundSchedule;

 private:
  void produce(std::uint64_t number, CircuitEvent& round) override {
    const std::uint64_t nodes = facts().topology.nodes();
    const std::uint64_t group = facts().send_ports + 1;
    const std::uint64_t stride = power(group, number - 1);
    for (std::uint64_t p = 0; p < nodes; ++p) {
      if (number == 1) {
        chunks_.assign(1, static_cast<ChunkId>(p));
      } else {
        collect(p / group, stride / group);
      }
      for (std::uint64_t j = 1; j < group; ++j) {
        const std::uint64_t target =
            number == 1 ? p / group * group + (p + j) % group : (p + j * stride) % nodes;
        round.send({static_cast<NodeId>(p), static_cast<std::uint32_t>(j - 1), static_cast<NodeId>(target)},
                   chunks_);
      }
    }
  }

  /// The messages of a group and of the count-1 groups before it.
  void collect(std::uint64_t group, std::uint64_t count) {
    const std::uint64_t size = facts().send_ports + 1;
    const std::uint64_t groups = facts().topology.nodes() / size;
    chunks_.clear();
    for (std::uint64_t back = 0; back < count; ++back) {
      const std::uint64_t from = (group + groups - back) % groups;
      for (std::uint64_t l = 0; l < size; ++l) chunks_.push_back(static_cast<ChunkId>(from * size + l));
    }
  }

  std::vector<ChunkId> chunks_;
};

std::unique_ptr<CircuitSchedule> make_gossip(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = gossip_facts(network, values, kGossip);
  const std::uint64_t nodes = network.topology.nodes();
  const std::uint64_t k = network.ports;
  facts.steps = ceil_log(k + 1, nodes);
  facts.claimed_units = network.reconfiguration * facts.steps + ceil_div(nodes - 1, k);
  // All steps but the last use all ports.
  const std::uint64_t lacking = nodes - power(k + 1, facts.steps - 1);
  facts.messages = nodes * ((facts.steps - 1) * k + std::min(k, lacking));
  if (values.text("form") == "shift") return std::make_unique<GossipByShifts>(std::move(facts));
  require_power(network, "workload.form", "the form groups", "form: shift");
  return std::make_unique<GossipByGroups>(std::move(facts));
}

const AlgorithmRegistry::Entry gossip_entry{{
    .name = kGossip,
    .collective = {CollectiveKind::gossip},
    .summary = "gossip in which nodes combine messages, so that every step multiplies what they hold by k+1",
    .source = "Afsahi and Dimopoulos, Section 5, G2; the form by shifts, for any N, is ours",
    .claim = "d * ceil(log_{k+1} N) + ceil((N-1)/k), in units of t_m",
    .admissible = "complete network, any N >= 2, k >= 1, d >= 0; form groups: N a power of k+1",
    .parameters = {message_parameter(),
                   {.name = "form",
                    .type = ParameterType::choice,
                    .summary = "shift: any number of nodes; groups: the paper's, for powers of k+1",
                    .fallback = "shift",
                    .choices = {"shift", "groups"}}},
    .make_circuits = make_gossip,
    // A round has the chunks of all its messages, twice while it is handed over.
    .memory = {.per_pair_of_nodes = 12},
}};

// afsahi-gossip-direct: every node sends its own message to k others after the other (Section 5, G1).

constexpr auto kGossipDirect = "afsahi-gossip-direct";

class GossipDirect final : public RoundSchedule {
 public:
  using RoundSchedule::RoundSchedule;

 private:
  void produce(std::uint64_t number, CircuitEvent& round) override {
    const std::uint64_t nodes = facts().topology.nodes();
    const std::uint64_t k = facts().send_ports;
    const std::uint64_t first = (number - 1) * k + 1;
    for (std::uint64_t p = 0; p < nodes; ++p) {
      for (std::uint64_t o = first; o < std::min(first + k, nodes); ++o) {
        round.send({static_cast<NodeId>(p), static_cast<std::uint32_t>(o - first),
                    static_cast<NodeId>((p + o) % nodes)},
                   std::array{static_cast<ChunkId>(p)});
      }
    }
  }
};

std::unique_ptr<CircuitSchedule> make_gossip_direct(const CircuitMachine& network,
                                                    const ParameterValues& values) {
  CircuitFacts facts = gossip_facts(network, values, kGossipDirect);
  const std::uint64_t nodes = network.topology.nodes();
  facts.steps = ceil_div(nodes - 1, network.ports);
  facts.messages = nodes * (nodes - 1);
  facts.claimed_units = (network.reconfiguration + 1) * facts.steps;
  return std::make_unique<GossipDirect>(std::move(facts));
}

const AlgorithmRegistry::Entry gossip_direct_entry{{
    .name = kGossipDirect,
    .collective = {CollectiveKind::gossip},
    .summary = "gossip in which every node sends its message to every other itself",
    .source = "Afsahi and Dimopoulos, Section 5, G1",
    .claim = "(d+1) * ceil((N-1)/k), in units of t_m",
    .admissible = "complete network, any N >= 2, k >= 1, d >= 0",
    .parameters = {message_parameter()},
    .make_circuits = make_gossip_direct,
}};

}  // namespace

}  // namespace flitscope::afsahi
