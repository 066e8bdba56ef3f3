// bruck: parts travel the binary digits of their distance, one digit a step.
#include <algorithm>
#include <utility>

#include "algorithms/all_to_all/exchange.h"
#include "algorithms/common/schedule.h"
#include "model/node_set.h"

namespace flitscope::all_to_all::bruck {
namespace {

constexpr auto kName = "all-to-all-bruck";

/// Nodes are on a circle. In step s a node sends to the one 2^(s-1) places on all parts that it has whose
/// distance from their source to their destination has that digit.
class Exchange {
 public:
  explicit Exchange(const Topology& topology)
      : topology_(topology),
        participants_(topology),
        order_(NodeGroups(topology).order()),
        nodes_(participants_.count()) {}

  void operator()(std::uint64_t number, Step& step) const {
    const NodeId distance = NodeId{1} << (number - 1);
    std::vector<ChunkId> chunks;
    for (NodeId at = 0; at < nodes_; ++at) {
      chunks.clear();
      for (NodeId whole = distance; whole < nodes_; ++whole) {
        if ((whole & distance) == 0) continue;
        const NodeId source = (at + nodes_ - whole % distance) % nodes_;
        chunks.push_back(chunk(source, static_cast<NodeId>((std::uint64_t{source} + whole) % nodes_)));
      }
      std::ranges::sort(chunks);
      const NodeId from = order_[at];
      const NodeId to = order_[static_cast<NodeId>((std::uint64_t{at} + distance) % nodes_)];
      step.add(from, to, shortest_route(topology_, from, to), chunks);
    }
  }

 private:
  [[nodiscard]] ChunkId chunk(NodeId source, NodeId destination) const {
    return participants_.place(order_[source]) * nodes_ + participants_.place(order_[destination]);
  }

  Topology topology_;
  Participants participants_;
  std::vector<NodeId> order_;
  NodeId nodes_;
};

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  ScheduleFacts facts = all_to_all_facts(topology, values, kName, 1, 1, true);
  const NodeId nodes = Participants(topology).count();
  facts.steps = ceil_log(2, nodes);
  facts.claimed_steps = facts.steps;
  facts.lower_bound_steps = broadcast_lower_bound(nodes, topology.link_ports());
  facts.messages = facts.steps * nodes;
  return common::stepwise(std::move(facts), Exchange(topology));
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::all_to_all},
    .summary = "all-to-all on any network in which parts travel the binary digits of their distance on a "
               "circle of all nodes, one digit a step",
    .source = "J. Bruck, C. Ho, S. Kipnis, E. Upfal, D. Weathersby: Efficient algorithms for all-to-all "
              "communications in multiport message-passing systems, 1997, the index operation",
    .claim = "ceil(log_2 p) steps for p nodes; with p a power of two a node sends half of its data in each",
    .admissible = "any network, any number of nodes",
    .parameters = {data_parameter()},
    .make = make,
    .any_network = true,
    .memory = {.per_pair_of_nodes = 96},
}};

}  // namespace
}  // namespace flitscope::all_to_all::bruck
