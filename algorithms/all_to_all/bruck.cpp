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
std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  ScheduleFacts facts = all_to_all_facts(topology, values, kName, 1, 1, true);
  const Participants participants(topology);
  const NodeId nodes = participants.count();
  facts.steps = ceil_log(2, nodes);
  facts.claimed_steps = facts.steps;
  facts.lower_bound_steps = broadcast_lower_bound(nodes, topology.link_ports());
  facts.messages = facts.steps * nodes;
  return common::stepwise(std::move(facts),
                          [=, order = NodeGroups(topology).order()](std::uint64_t number, Step& step) {
                            const NodeId distance = NodeId{1} << (number - 1);
                            const auto from = [&](NodeId at, NodeId places) {
                              return static_cast<NodeId>((std::uint64_t{at} + places) % nodes);
                            };
                            std::vector<ChunkId> chunks;
                            for (NodeId at = 0; at < nodes; ++at) {
                              chunks.clear();
                              for (NodeId whole = distance; whole < nodes; ++whole) {
                                if ((whole & distance) == 0) continue;
                                const NodeId source = from(at, nodes - whole % distance);
                                chunks.push_back(participants.place(order[source]) * nodes +
                                                 participants.place(order[from(source, whole)]));
                              }
                              std::ranges::sort(chunks);
                              const NodeId to = order[from(at, distance)];
                              step.add(order[at], to, shortest_route(topology, order[at], to), chunks);
                            }
                          });
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
