// tree-broadcast: breadth first from the source, every node to all of its neighbours that do not have the
// message yet.
#include <utility>

#include "algorithms/common/schedule.h"
#include "algorithms/common/step_paths.h"

namespace flitscope::any_network::tree_broadcast {
namespace {

constexpr auto kName = "tree-broadcast";

/// In every step each node that has the message sends it over each of its links, to the nearest node without
/// it. Where every router is a node, a breadth-first tree comes out, a level a step.
std::vector<Step> steps_from(const Topology& topology, NodeId source) {
  common::StepPaths paths(topology, common::StepPaths::Direction::forward);
  std::vector<bool> informed(topology.nodes());
  informed[source] = true;
  std::vector<NodeId> senders{source};
  std::vector<Step> steps;
  NodeId left = Participants(topology).count() - 1;
  while (left > 0) {
    Step& step = steps.emplace_back();
    paths.begin();
    for (const NodeId sender : senders) {
      if (left == 0) break;
      for (unsigned port = 0; port < topology.link_ports(); ++port) {
        const auto found = paths.take(sender, port, [&](NodeId node) { return !informed[node]; });
        if (!found) continue;
        informed[found->node] = true;
        step.add(sender, found->node, found->route);
        --left;
      }
    }
    // A node sends over each link at most once.
    std::erase_if(senders, [&](NodeId sender) { return !paths.has_routers_beside(sender); });
    for (const Message& message : step.messages()) senders.push_back(message.destination);
  }
  return steps;
}

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  common::require_memory_for_paths(topology, kName);
  ScheduleFacts facts = common::broadcast_facts(topology, values, kName, topology.default_routing(), 1);
  const NodeId source = common::source_of(facts);
  std::vector<Step> steps = steps_from(topology, source);
  facts.lower_bound_steps =
      broadcast_lower_bound(Participants(topology).count(), common::max_links_out(topology));
  if (common::all_are_nodes(topology)) {
    facts.claimed_steps = common::eccentricity(topology, source);
    facts.claimed_channel_load = 1;
  }
  return common::recorded(std::move(facts), std::move(steps));
}

const AlgorithmRegistry::Entry entry{common::segmented({
    .name = kName,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast on any network along a breadth-first tree, over all links of a node at a time",
    .source = "common knowledge",
    .claim = "where every router is a node as many steps as the farthest node is links away, one message per "
             "link and step",
    .admissible = "any network, also one of which links or nodes are missing",
    .parameters = broadcast_parameters(),
    .make = make,
    .any_network = true,
    // Links and the plan.
    .memory = {.per_node = 1024},
})};

}  // namespace
}  // namespace flitscope::any_network::tree_broadcast
