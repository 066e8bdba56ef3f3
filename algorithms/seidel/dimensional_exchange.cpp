// dimensional-exchange: every node has a packet and all nodes get all packets (Section 3.1.1), also called an
// all-to-all broadcast.
//
// For each bit of the node numbers, every node exchanges all it has with the node across that bit. With the
// least significant bit first messages stay runs of packets, but the longest of them meet the most
// contention. With the most significant bit first it is the shortest, but a node has to put its messages
// together.
#include <algorithm>

#include "algorithms/seidel/whole_network.h"

namespace flitscope::seidel::dimensional_exchange_schedule {
namespace {

constexpr auto kName = "dimensional-exchange";

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  const WholeNetwork network(topology, kName, 0);
  Plan plan;
  Bits bits = network.bits();
  if (values.text("order") == "least-first") {
    bits = reversed(bits);
  } else {
    plan.permute(Plan::Permutation::of_messages);
  }
  const Address everything = network.setting().everything();
  Holders holders = network.setting().start(Numbering(network.bits()));
  holders.varying = everything;
  holders.agree = everything;
  dimensional_exchange(plan, holders, bits);

  ScheduleFacts facts = network.facts(kName, values.bytes("message"));
  facts.collective.initial = network.own_packets();
  facts.claimed_channel_load = std::ranges::max(topology.sides()) / 2;
  return network.schedule(std::move(facts), std::move(plan));
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .summary = "all-to-all broadcast on a one-port mesh: exchanges across every bit of the node numbers",
    .source = "Seidel, Broadcasting on Linear Arrays and Meshes, 3.1.1",
    .claim =
        "d steps on 2^d nodes, (1 - 1/2^d) m a + d b without contention; across bit t of a coordinate 2^t "
        "messages share a link",
    .admissible = "mesh of any number of dimensions, sides powers of two",
    .parameters = {total_message_parameter(),
                   {.name = "order",
                    .type = ParameterType::choice,
                    .summary = "which bits come first, the least or the most significant",
                    .fallback = "least-first",
                    .choices = {"least-first", "most-first"}}},
    .make = make,
    .memory = {.per_pair_of_nodes = 4},
}};

}  // namespace
}  // namespace flitscope::seidel::dimensional_exchange_schedule
