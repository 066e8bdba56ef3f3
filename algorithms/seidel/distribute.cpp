// distribute: one node sends every node a packet of its own (Section 3.1.1), also called a scatter.
//
// Along a spanning tree: a node keeps the packets of its own half and sends the others across one bit, the
// most significant first. Packet x is for node x.
#include "algorithms/common/segmented.h"
#include "algorithms/seidel/whole_network.h"

namespace flitscope::seidel::distribute_schedule {
namespace {

constexpr auto kName = "distribute";

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  const NodeId source = node_parameter(topology, values, "source");
  const WholeNetwork network(topology, kName, source);
  Plan plan;
  Holders holders = network.setting().start(Numbering(network.bits()));
  distribute(plan, holders, network.bits());

  ScheduleFacts facts = network.facts(kName, values.bytes("message"));
  facts.collective.initial = {{source, network.all_packets()}};
  facts.collective.goal = network.own_packets();
  facts.claimed_channel_load = 1;
  return network.schedule(std::move(facts), std::move(plan));
}

const AlgorithmRegistry::Entry entry{segmented({
    .name = kName,
    .summary =
        "scatter on a one-port mesh: one node sends every node a packet of its own, along a spanning tree",
    .source = "Seidel, Broadcasting on Linear Arrays and Meshes, 3.1.1",
    .claim = "d steps on 2^d nodes, (1 - 1/2^d) m a + d b; at most one message per link and step",
    .admissible = "mesh of any number of dimensions, sides powers of two",
    .parameters = {broadcast_parameters().front(), total_message_parameter()},
    .make = make,
    .memory = {.per_node = 512},
})};

}  // namespace
}  // namespace flitscope::seidel::distribute_schedule
