// greedy-all-gather: in every step each link carries a chunk that the node behind it lacks, as far as one can
// be found.
#include <algorithm>
#include <boost/dynamic_bitset.hpp>
#include <span>
#include <utility>

#include "algorithms/common/schedule.h"
#include "algorithms/common/spread.h"
#include "algorithms/common/step_paths.h"
#include "model/schedule.h"

namespace flitscope::any_network::greedy_all_gather {
namespace {

constexpr auto kName = "greedy-all-gather";

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
    for (auto at = more.find_first(); at != more.npos; at = more.find_next(at)) {
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

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  ScheduleFacts facts = common::vector_facts(topology, values, kName, CollectiveKind::all_gather, 1);
  facts.lower_bound_steps = fewest_steps(topology);
  if (common::all_are_nodes(topology)) facts.claimed_channel_load = 1;
  return common::recorded(std::move(facts), greedy_steps(topology));
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::all_gather},
    .summary = "all-gather on any network: every link carries a chunk that is lacking behind it, the one "
               "that the fewest nodes have",
    .source = "greedy matching on the time-expanded network, after W. Won and others (TACOS, 2024); the "
              "choice of chunks is ours",
    .claim = "where every router is a node one message per link and step; at least ceil((p-1)/l) steps for p "
             "nodes, l the links into the node that has fewest",
    .admissible = "any network, also one of which links or nodes are missing",
    .parameters = {common::vector_parameter()},
    .make = make,
    .any_network = true,
    // The steps, and distances where routers have no node.
    .memory = {.per_node = 2048, .per_pair_of_nodes = 96},
}};

}  // namespace
}  // namespace flitscope::any_network::greedy_all_gather
