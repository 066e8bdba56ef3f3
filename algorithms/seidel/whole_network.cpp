#include "algorithms/seidel/whole_network.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "algorithms/seidel/broadcast.h"
#include "model/error.h"

namespace flitscope::seidel {

namespace {

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

}  // namespace

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

}  // namespace flitscope::seidel
