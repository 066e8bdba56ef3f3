// Schedules in which every link of a step carries something that is lacking behind it, as far as it can be
// found. tree-broadcast: breadth first from the source, every node to all of its neighbours that do not have
// the message yet. greedy-all-gather: in every step each link carries a chunk that the node behind it lacks.
#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <span>
#include <utility>

#include "algorithms/common/schedule.h"
#include "algorithms/common/spread.h"
#include "algorithms/common/step_paths.h"
#include "model/schedule.h"

namespace flitscope::any_network::greedy {
namespace {

constexpr auto kBroadcast = "tree-broadcast";

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

std::unique_ptr<Schedule> make_broadcast(const Topology& topology, const ParameterValues& values) {
  common::require_memory_for_paths(topology, kBroadcast);
  ScheduleFacts facts = common::broadcast_facts(topology, values, kBroadcast, topology.default_routing(), 1);
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

const AlgorithmRegistry::Entry broadcast_entry{common::segmented({
    .name = kBroadcast,
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast on any network along a breadth-first tree, over all links of a node at a time",
    .source = "common knowledge",
    .claim = "where every router is a node as many steps as the farthest node is links away, one message per "
             "link and step",
    .admissible = "any network, also one of which links or nodes are missing",
    .parameters = broadcast_parameters(),
    .make = make_broadcast,
    .any_network = true,
    // Links and the plan.
    .memory = {.per_node = 1024},
})};

constexpr auto kAllGather = "greedy-all-gather";

/// By node. Chunk c is that of the node at place c (Participants).
using ChunkSets = std::vector<boost::dynamic_bitset<>>;

/// The schedule a step at a time: which link carries what, time expanded.
std::vector<Step> greedy_steps(const Topology& topology) {
  const Participants participants(topology);
  const NodeId nodes = participants.count();
  common::StepPaths paths(topology, common::StepPaths::Direction::backward);
  ChunkSets has(topology.nodes(), boost::dynamic_bitset<>(nodes));  // at the beginning of the step
  for (NodeId place = 0; place < nodes; ++place) has[participants[place]].set(place);
  ChunkSets will_have = has;                               // at its end
  std::vector<NodeId> holders(nodes, 1);                   // by chunk: nodes that will have it
  std::vector<NodeId> lacks(topology.nodes(), nodes - 1);  // by node: chunks
  // The chunk at the fewest nodes; of several, the one behind the place of the receiver.
  const auto rarest = [&](NodeId from, NodeId to) -> ChunkId {
    const NodeId place = participants.place(to);
    std::pair<NodeId, NodeId> best{nodes + 1, 0};
    const auto more = has[from] - will_have[to];
    for (auto at = more.find_first(); at != boost::dynamic_bitset<>::npos; at = more.find_next(at)) {
      const auto chunk = static_cast<ChunkId>(at);
      best = std::min(best, {holders[chunk], (chunk + nodes - place) % nodes});
    }
    return (best.second + place) % nodes;
  };
  std::vector<Step> steps;
  std::uint64_t left = std::uint64_t{nodes} * (nodes - 1);
  for (; left > 0; left -= steps.back().messages().size()) {
    Step& step = steps.emplace_back();
    paths.begin();
    for (NodeId i = 0; i < nodes; ++i) {
      // The first node rotates.
      const NodeId node = participants[static_cast<NodeId>((i + (steps.size() - 1)) % nodes)];
      for (unsigned port = 0; port < topology.link_ports() && lacks[node] > 0; ++port) {
        const auto found =
            paths.take(node, port, [&](NodeId from) { return !has[from].is_subset_of(will_have[node]); });
        if (!found) continue;
        const ChunkId chunk = rarest(found->node, node);
        will_have[node].set(chunk);
        ++holders[chunk];
        --lacks[node];
        step.add(found->node, node, found->route, std::span(&chunk, 1));
      }
    }
    for (const Message& message : step.messages()) {
      has[message.destination].set(step.chunks(message).front());
    }
  }
  return steps;
}

/// A node takes a chunk a link and step, and a chunk comes from one node to the next in a step.
std::uint64_t fewest_steps(const Topology& topology) {
  const Participants participants(topology);
  std::uint64_t steps = 0;
  for (NodeId place = 0; place < participants.count(); ++place) {
    const NodeId node = participants[place];
    unsigned links = 0;
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      links += topology.upstream(node, port).has_value();
    }
    steps = std::max({steps, (std::uint64_t{participants.count()} - 2) / links + 1,
                      std::uint64_t{common::eccentricity(topology, node)}});
  }
  return steps;
}

std::unique_ptr<Schedule> make_all_gather(const Topology& topology, const ParameterValues& values) {
  ScheduleFacts facts = common::vector_facts(topology, values, kAllGather, CollectiveKind::all_gather, 1);
  facts.lower_bound_steps = fewest_steps(topology);
  if (common::all_are_nodes(topology)) facts.claimed_channel_load = 1;
  return common::recorded(std::move(facts), greedy_steps(topology));
}

const AlgorithmRegistry::Entry all_gather_entry{{
    .name = kAllGather,
    .collective = {CollectiveKind::all_gather},
    .summary = "all-gather on any network: every link carries a chunk that is lacking behind it, the one "
               "that the fewest nodes have",
    .source = "greedy matching on the time-expanded network, after W. Won and others (TACOS, 2024); the "
              "choice of chunks is ours",
    .claim = "where every router is a node one message per link and step; at least ceil((p-1)/l) steps for p "
             "nodes, l the links into the node that has fewest",
    .admissible = "any network, also one of which links or nodes are missing",
    .parameters = {common::vector_parameter()},
    .make = make_all_gather,
    .any_network = true,
    // The steps, and distances where routers have no node.
    .memory = {.per_node = 2048, .per_pair_of_nodes = 96},
}};

}  // namespace
}  // namespace flitscope::any_network::greedy
