// Scatter and all-to-all broadcast on a mesh, bit by bit of the node numbers.

#include <algorithm>
#include <string>
#include <utility>

#include "algorithms/common/schedule.h"
#include "algorithms/seidel/planned_schedule.h"

namespace flitscope::seidel {

namespace {

/// All nodes of a mesh of any number of dimensions, whose sides are powers of two; an address is the node's
/// number. Throws Inadmissible("topology.kind" or "topology.shape").
Placement all_nodes(const Topology& topology, const std::string& algorithm, NodeId source) {
  constexpr NodeId kMaxNodes = NodeId{1} << 18;  // one bit for each node and packet: 8 GiB
  require_mesh(topology, algorithm, 0);
  require_powers_of_two(topology, algorithm);
  refuse_if(topology.nodes() > kMaxNodes, "topology.shape",
            "{} keeps account of a packet for every node at every node; it is possible with at "
            "most {} nodes, not {}",
            algorithm, kMaxNodes, topology.nodes());
  return {Resize::none, Tail::st, topology, source};
}

/// `message`: bytes of all packets together.
Parameter total_message_parameter() {
  return bytes_parameter("message", "data of all nodes together, a packet for each", "64");
}

/// The facts of a collective in which every node has, at the start, the packet of its number. The message is
/// cut into these packets.
ScheduleFacts packet_facts(const Topology& topology, const std::string& algorithm, const Bits& bits,
                           std::uint64_t message) {
  ScheduleFacts facts = common::facts_of(topology, algorithm, 1);
  facts.routing = "dimension-order";
  facts.collective.chunk_bytes = cut_evenly(message, topology.nodes());
  facts.collective.initial = common::own_chunks(topology);
  facts.claimed_steps = bits.size();
  facts.lower_bound_steps = bits.size();  // the data, or the nodes that know it, can only double
  return facts;
}

// distribute: one node sends every node a packet of its own (Section 3.1.1), also called a scatter.
//
// Along a spanning tree: a node keeps the packets of its own half and sends the others across one bit, the
// most significant first. Packet x is for node x.

constexpr auto kDistribute = "distribute";

std::unique_ptr<Schedule> make_distribute(const Topology& topology, const ParameterValues& values) {
  const NodeId source = node_parameter(topology, values, "source");
  const Placement placement = all_nodes(topology, kDistribute, source);
  const Setting setting{placement.axes(), placement.source_address(), 0};
  const Bits bits = setting.all_bits();
  Plan plan;
  Holders holders = setting.start(Numbering(bits));
  distribute(plan, holders, bits);

  ScheduleFacts facts = packet_facts(topology, kDistribute, bits, values.bytes("message"));
  common::scatter_from(source, facts.collective);
  facts.claimed_channel_load = 1;
  return planned_schedule(std::move(facts), std::move(plan), placement, false);
}

const AlgorithmRegistry::Entry distribute_entry{common::segmented({
    .name = kDistribute,
    .collective = {CollectiveKind::scatter},
    .summary =
        "scatter on a one-port mesh: one node sends every node a packet of its own, along a spanning tree",
    .source = "Seidel, Broadcasting on Linear Arrays and Meshes, 3.1.1",
    .claim = "d steps on 2^d nodes, (1 - 1/2^d) m a + d b; at most one message per link and step",
    .admissible = "mesh of any number of dimensions, sides powers of two",
    .parameters = {broadcast_parameters().front(), total_message_parameter()},
    .make = make_distribute,
    .memory = {.per_node = 512},
})};

// dimensional-exchange: every node has a packet and all nodes get all packets (Section 3.1.1), also called an
// all-to-all broadcast.
//
// For each bit of the node numbers, every node exchanges all it has with the node across that bit. With the
// least significant bit first messages stay runs of packets, but the longest of them meet the most
// contention. With the most significant bit first it is the shortest, but a node has to put its messages
// together.

constexpr auto kDimensionalExchange = "dimensional-exchange";

std::unique_ptr<Schedule> make_dimensional_exchange(const Topology& topology, const ParameterValues& values) {
  const Placement placement = all_nodes(topology, kDimensionalExchange, 0);
  const Setting setting{placement.axes(), 0, 0};
  const Bits bits = setting.all_bits();
  const bool least_first = values.text("order") == "least-first";
  Plan plan;
  if (!least_first) plan.permute(Plan::Permutation::of_messages);
  Holders holders = setting.start(Numbering(bits));
  holders.varying = setting.everything();
  holders.agree = setting.everything();
  dimensional_exchange(plan, holders, least_first ? reversed(bits) : bits);

  ScheduleFacts facts = packet_facts(topology, kDimensionalExchange, bits, values.bytes("message"));
  facts.claimed_channel_load = std::ranges::max(topology.sides()) / 2;
  return planned_schedule(std::move(facts), std::move(plan), placement, false);
}

const AlgorithmRegistry::Entry dimensional_exchange_entry{{
    .name = kDimensionalExchange,
    .collective = {CollectiveKind::all_gather},
    .summary = "all-to-all broadcast on a one-port mesh: exchanges across every bit of the node numbers",
    .source = "Seidel, Broadcasting on Linear Arrays and Meshes, 3.1.1",
    .claim = "d steps on 2^d nodes, (1 - 1/2^d) m a + d b without contention; across bit t of a coordinate "
             "2^t messages share a link",
    .admissible = "mesh of any number of dimensions, sides powers of two",
    .parameters = {total_message_parameter(),
                   Parameter::choice("order", "which bits come first, the least or the most significant",
                                     {"least-first", "most-first"})
                       .or_else("least-first")},
    .make = make_dimensional_exchange,
    .memory = {.per_pair_of_nodes = 4},
}};

}  // namespace

}  // namespace flitscope::seidel
