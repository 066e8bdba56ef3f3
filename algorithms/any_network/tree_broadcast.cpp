// tree-broadcast: breadth first from the source, every node to all of its neighbours that do not have the
// message yet.
#include <algorithm>
#include <utility>

#include "algorithms/common/segmented.h"
#include "algorithms/common/step_paths.h"
#include "algorithms/common/stepwise_schedule.h"

namespace flitscope::any_network::tree_broadcast {
namespace {

constexpr auto kName = "tree-broadcast";

struct Sent {
  NodeId from = 0;
  NodeId to = 0;
  Route route;
};
using Plan = std::vector<std::vector<Sent>>;  ///< by step

/// In every step each node that has the message sends it over each of its links, to the nearest node without
/// it. Where every router is a node, a breadth-first tree comes out, a level a step.
Plan plan_from(const Topology& topology, NodeId source) {
  StepPaths paths(topology, StepPaths::Direction::forward);
  std::vector<bool> informed(topology.nodes());
  informed[source] = true;
  std::vector<NodeId> senders{source};
  Plan plan;
  for (NodeId left = Participants(topology).count() - 1; left > 0;
       left -= static_cast<NodeId>(plan.back().size())) {
    auto& step = plan.emplace_back();
    paths.begin();
    for (const NodeId sender : senders) {
      if (step.size() == left) break;
      for (unsigned port = 0; port < topology.link_ports(); ++port) {
        const auto found = paths.take(sender, port, [&](NodeId node) { return !informed[node]; });
        if (!found) continue;
        informed[found->node] = true;
        step.push_back({sender, found->node, found->route});
      }
    }
    // A node sends over each link at most once.
    std::erase_if(senders, [&](NodeId sender) { return !paths.has_routers_beside(sender); });
    for (const Sent& sent : step) senders.push_back(sent.to);
  }
  return plan;
}

unsigned max_sent(const Topology& topology, const Plan& plan) {
  unsigned most = 0;
  std::vector<unsigned> sends(topology.nodes());
  for (const auto& step : plan) {
    for (const Sent& sent : step) most = std::max(most, ++sends[sent.from]);
    for (const Sent& sent : step) sends[sent.from] = 0;
  }
  return most;
}

class TreeBroadcast final : public StepwiseSchedule {
 public:
  TreeBroadcast(ScheduleFacts facts, Plan plan)
      : StepwiseSchedule(std::move(facts)), plan_(std::move(plan)) {}

 private:
  void produce(std::uint64_t number, Step& step) override {
    for (const auto& [from, to, route] : plan_[number - 1]) step.add(from, to, route);
  }

  Plan plan_;
};

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  require_room_for_ways(topology, kName);
  ScheduleFacts facts = broadcast_facts(topology, values, kName, topology.default_routing(), 1);
  const NodeId source = facts.collective.initial.front().node;
  Plan plan = plan_from(topology, source);
  facts.send_ports = max_sent(topology, plan);
  facts.receive_ports = 1;
  facts.steps = plan.size();
  facts.lower_bound_steps = broadcast_lower_bound(Participants(topology).count(), max_links_out(topology));
  if (all_are_nodes(topology)) {
    facts.claimed_steps = eccentricity(topology, source);
    facts.claimed_channel_load = 1;
  }
  return std::make_unique<TreeBroadcast>(std::move(facts), std::move(plan));
}

const AlgorithmRegistry::Entry entry{segmented({
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
