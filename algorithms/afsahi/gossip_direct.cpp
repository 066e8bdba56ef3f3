// afsahi-gossip-direct: every node sends its own message to k others after the other (Section 5, G1).
#include <algorithm>
#include <array>

#include "algorithms/afsahi/circuit_list.h"
#include "algorithms/afsahi/closed_forms.h"

namespace flitscope::afsahi::gossip_direct {
namespace {

constexpr auto kName = "afsahi-gossip-direct";

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

std::unique_ptr<CircuitSchedule> make(const CircuitMachine& network, const ParameterValues& values) {
  CircuitFacts facts = gossip_facts(network, values, kName);
  const std::uint64_t nodes = network.topology.nodes();
  facts.steps = ceil_div(nodes - 1, network.ports);
  facts.messages = nodes * (nodes - 1);
  facts.claimed_units = (network.reconfiguration + 1) * facts.steps;
  return std::make_unique<GossipDirect>(std::move(facts));
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "gossip in which every node sends its message to every other itself",
    .source = "Afsahi and Dimopoulos, Section 5, G1",
    .claim = "(d+1) * ceil((N-1)/k), in units of t_m",
    .admissible = "complete network, any N >= 2, k >= 1, d >= 0",
    .parameters = {message_parameter()},
    .make_circuits = make,
}};

}  // namespace
}  // namespace flitscope::afsahi::gossip_direct
