// Scatter and all-to-all broadcast on a mesh, bit by bit of the node numbers.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/common/segmented.h"
#include "algorithms/seidel/broadcast.h"
#include "algorithms/seidel/plan.h"
#include "algorithms/seidel/planned_schedule.h"
#include "model/error.h"

namespace flitscope::seidel {

namespace {

/// All nodes of a mesh of any number of dimensions, whose sides are powers of two; an address is the node's
/// number. Throws Inadmissible("topology.kind" or "topology.shape").
class WholeNetwork {
 public:
  WholeNetwork(const Topology& topology, const std::string& algorithm, NodeId source);

  [[nodiscard]] const Setting& setting() const { return setting_; }
  /// All bits, the most significant first.
  [[nodiscard]] Bits bits() const;

  /// Every node has the packet of its number: what a scatter ends with and an all-to-all broadcast starts
  /// from.
  [[nodiscard]] std::vector<Holding> own_packets() const;
  [[nodiscard]] std::vector<ChunkId> all_packets() const;

  /// Facts without a collective's start and goal. The message is cut into a packet for every node.
  [[nodiscard]] ScheduleFacts facts(const std::string& algorithm, std::uint64_t message) const;
  [[nodiscard]] std::unique_ptr<Schedule> schedule(ScheduleFacts facts, Plan plan) const;

 private:
  Topology topology_;
  Placement placement_;
  Setting setting_;
};

/// One bit for each node and packet: 8 GiB.
constexpr NodeId kMaxNodes = NodeId{1} << 18;

/// Refuses a topology before anything is made of it.
Placement placed(const Topology& topology, const std::string& algorithm, NodeId source) {
  require_mesh(topology, algorithm, 0);
  require_sides(topology, algorithm);
  if (topology.nodes() > kMaxNodes) {
    throw Inadmissible(
        "topology.shape",
        fmt::format("{} keeps account of a packet for every node at every node; it is possible "
                    "with at most {} nodes, not {}",
                    algorithm, kMaxNodes, topology.nodes()));
  }
  return {Resize::none, Tail::st, topology, source};
}

/// `message`: bytes of all packets together.
Parameter total_message_parameter() {
  return {.name = "message",
          .type = ParameterType::bytes,
          .summary = "data of all nodes together, a packet for each",
          .fallback = "64",
          .unit = "bytes",
          .minimum = 1,
          .maximum = std::int64_t{1} << 40};
}

WholeNetwork::WholeNetwork(const Topology& topology, const std::string& algorithm, NodeId source)
    : topology_(topology),
      placement_(placed(topology, algorithm, source)),
      setting_{placement_.axes(), placement_.source_address(), 0} {}

Bits WholeNetwork::bits() const {
  Bits bits;
  for (std::size_t k = setting_.axes.size(); k > 0; --k) {
    const Axis& axis = setting_.axes[k - 1];
    bits = joined({bits, bits_down(axis, 0, axis.bits)});
  }
  return bits;
}

std::vector<Holding> WholeNetwork::own_packets() const {
  std::vector<Holding> holdings;
  for (NodeId node = 0; node < topology_.nodes(); ++node) holdings.push_back({node, {node}});
  return holdings;
}

std::vector<ChunkId> WholeNetwork::all_packets() const {
  std::vector<ChunkId> packets(topology_.nodes());
  std::iota(packets.begin(), packets.end(), ChunkId{0});
  return packets;
}

ScheduleFacts WholeNetwork::facts(const std::string& algorithm, std::uint64_t message) const {
  ScheduleFacts facts(topology_);
  facts.algorithm = algorithm;
  facts.routing = "dimension-order";
  facts.collective.chunk_bytes = cut_evenly(message, topology_.nodes());
  facts.claimed_steps = bits().size();
  facts.lower_bound_steps = bits().size();  // the data, or the nodes that know it, can only double
  return facts;
}

std::unique_ptr<Schedule> WholeNetwork::schedule(ScheduleFacts facts, Plan plan) const {
  require_room_for_steps(plan, topology_);
  return std::make_unique<PlannedSchedule>(std::move(facts), std::move(plan), placement_, false);
}

// distribute: one node sends every node a packet of its own (Section 3.1.1), also called a scatter.
//
// Along a spanning tree: a node keeps the packets of its own half and sends the others across one bit, the
// most significant first. Packet x is for node x.

constexpr auto kDistribute = "distribute";

std::unique_ptr<Schedule> make_distribute(const Topology& topology, const ParameterValues& values) {
  const NodeId source = node_parameter(topology, values, "source");
  const WholeNetwork network(topology, kDistribute, source);
  Plan plan;
  Holders holders = network.setting().start(Numbering(network.bits()));
  distribute(plan, holders, network.bits());

  ScheduleFacts facts = network.facts(kDistribute, values.bytes("message"));
  facts.collective.initial = {{source, network.all_packets()}};
  facts.collective.goal = network.own_packets();
  facts.claimed_channel_load = 1;
  return network.schedule(std::move(facts), std::move(plan));
}

const AlgorithmRegistry::Entry distribute_entry{segmented({
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
  const WholeNetwork network(topology, kDimensionalExchange, 0);
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

  ScheduleFacts facts = network.facts(kDimensionalExchange, values.bytes("message"));
  facts.collective.initial = network.own_packets();
  facts.claimed_channel_load = std::ranges::max(topology.sides()) / 2;
  return network.schedule(std::move(facts), std::move(plan));
}

const AlgorithmRegistry::Entry dimensional_exchange_entry{{
    .name = kDimensionalExchange,
    .collective = {CollectiveKind::gossip},
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
    .make = make_dimensional_exchange,
    .memory = {.per_pair_of_nodes = 4},
}};

}  // namespace

}  // namespace flitscope::seidel
