// Scatter and gather along a broadcast tree or by a message for every node, and the broadcast made of a
// scatter and an all-gather. Chunk v is the part of node v.
#include <algorithm>
#include <utility>

#include "algorithms/common/cycles.h"
#include "algorithms/common/node_tree.h"
#include "algorithms/common/schedule.h"
#include "model/numbers.h"

namespace flitscope::long_broadcast {
namespace {

constexpr auto kSource = "common knowledge";
constexpr auto kAdmissible = "torus of any sides and any number of dimensions";

ScheduleFacts parts_facts(const Topology& topology, const ParameterValues& values, const std::string& name) {
  require_torus(topology, name);
  return common::vector_facts(topology, values, name, CollectiveKind::all_gather, 1);
}

enum class Goal : std::uint8_t {
  scatter,    ///< every node gets its part from the root
  gather,     ///< the root gets the part of every node
  broadcast,  ///< scatter, then all-gather: every node gets everything
};

using MakeGoal = std::unique_ptr<Schedule> (*)(const Topology&, const ParameterValues&,
                                               const std::string& name, Goal);

/// A scatter from a root, or a gather to it.
Algorithm rooted(const char* name, Goal goal, const char* summary, const char* source, const char* claim,
                 MakeGoal make, MakingMemory memory = {}) {
  const bool scatters = goal == Goal::scatter;
  return {.name = name,
          .collective = {scatters ? CollectiveKind::scatter : CollectiveKind::gather},
          .summary = summary,
          .source = source,
          .claim = claim,
          .admissible = kAdmissible,
          .parameters = {root_parameter("root", scatters ? "the node that has the vector"
                                                         : "the node that gets the vector"),
                         common::vector_parameter()},
          .make = common::make_with(make, std::string(name), goal),
          .memory = memory};
}

// scatter-tree, gather-tree and scatter-allgather: along a broadcast tree, each node's part by itself.

/// The messages of a scatter along the tree: an edge carries the parts of those below it.
std::vector<Step> scatter_steps(const common::BroadcastTree& tree, NodeId nodes) {
  // Below a node lie those it informs, and those below them at that time.
  std::vector<std::vector<ChunkId>> below(nodes);
  for (NodeId node = 0; node < nodes; ++node) below[node] = {node};
  std::vector<Step> steps(tree.steps.size());
  for (std::size_t at = steps.size(); at-- > 0;) {
    for (const Message& edge : tree.steps[at].messages()) {
      std::vector<ChunkId> part = std::exchange(below[edge.destination], {});
      std::ranges::sort(part);
      steps[at].add(edge.source, edge.destination, edge.route, part);
      below[edge.source].insert(below[edge.source].end(), part.begin(), part.end());
    }
  }
  return steps;
}

std::unique_ptr<Schedule> make_tree(const Topology& topology, const ParameterValues& values,
                                    const std::string& name, Goal goal) {
  ScheduleFacts facts = parts_facts(topology, values, name);
  const NodeId root = node_parameter(topology, values, goal == Goal::broadcast ? "source" : "root");
  const NodeId nodes = topology.nodes();
  std::vector<Step> steps = scatter_steps(common::thirds_tree(topology, root), nodes);
  common::Spread spread;
  facts.send_ports = common::ports_of(steps, nodes, &Message::source);
  facts.steps = steps.size();
  facts.messages = nodes - 1;
  if (goal == Goal::gather) {
    common::gather_to(root, facts.collective);
    std::ranges::reverse(steps);
    for (Step& step : steps) {
      const Step scatter = std::exchange(step, {});
      for (const Message& edge : scatter.messages()) {
        step.add(edge.destination, edge.source, common::reversed(edge.route), scatter.chunks(edge));
      }
    }
  } else {
    common::scatter_from(root, facts.collective);
  }
  if (goal == Goal::broadcast) {
    facts.collective.goal.reset();
    spread = common::cycle_spread(topology, {common::hamiltonian_cycle(topology)}, false);
    facts.send_ports = std::max(facts.send_ports, spread.ports);
    facts.steps += spread.steps;
    facts.messages += spread.messages;
  }
  facts.receive_ports = facts.send_ports;
  facts.claimed_steps = facts.steps;
  facts.claimed_channel_load = 1;
  return common::stepwise(std::move(facts), [=](std::uint64_t number, Step& step) {
    if (number > steps.size()) return common::add_step(spread, number - steps.size(), step);
    step = steps[number - 1];
  });
}

constexpr auto kTreeClaim =
    "about the sum of ceil(log_3 k) steps over all sides k; one message per link and step";

const AlgorithmRegistry::Entry scatter_tree{common::segmented(
    rooted("scatter-tree", Goal::scatter,
           "scatter on a torus along a broadcast tree: every node gets its part of a vector of the root",
           "common knowledge; along each dimension by thirds", kTreeClaim, make_tree, {.per_node = 512}))};

const AlgorithmRegistry::Entry gather_tree{common::segmented(
    rooted("gather-tree", Goal::gather,
           "gather on a torus along a broadcast tree backward: the root gets the part of every node",
           "common knowledge; along each dimension by thirds", kTreeClaim, make_tree, {.per_node = 512}))};

const AlgorithmRegistry::Entry scatter_allgather{common::segmented({
    .name = "scatter-allgather",
    .collective = {CollectiveKind::broadcast},
    .summary = "broadcast of a long message on a torus: scatter along a tree, then all-gather along one "
               "Hamiltonian cycle",
    .source = kSource,
    .claim =
        "about the sum of ceil(log_3 k) steps over all sides k, and then p-1; one message per link and step",
    .admissible = kAdmissible,
    .parameters = {root_parameter("source", "the node that holds the message at the start"),
                   common::vector_parameter()},
    .make = common::make_with(make_tree, "scatter-allgather", Goal::broadcast),
    // With segments all messages of one.
    .memory = {.per_pair_of_nodes = 64},
})};

// scatter-direct and gather-direct: a message for every node, from the root or to it.

std::unique_ptr<Schedule> make_direct(const Topology& topology, const ParameterValues& values,
                                      const std::string& name, Goal goal) {
  const bool gather = goal == Goal::gather;
  ScheduleFacts facts = parts_facts(topology, values, name);
  const NodeId root = node_parameter(topology, values, "root");
  auto others = numbers_below<NodeId>(topology.nodes());
  std::erase(others, root);
  // The longest path first: it takes most time.
  std::ranges::stable_sort(others, std::greater(), [&](NodeId node) {
    return route_length(topology, root, node, shortest_route(topology, root, node));
  });
  if (gather) std::ranges::reverse(others);
  const unsigned ports = topology.link_ports();
  facts.send_ports = facts.receive_ports = ports;
  facts.steps = (others.size() + ports - 1) / ports;
  facts.messages = others.size();
  facts.claimed_steps = facts.steps;
  gather ? common::gather_to(root, facts.collective) : common::scatter_from(root, facts.collective);
  return common::stepwise(std::move(facts), [=](std::uint64_t number, Step& step) {
    const std::size_t begin = (number - 1) * ports;
    for (std::size_t i = begin; i < std::min(begin + ports, others.size()); ++i) {
      const NodeId from = gather ? others[i] : root;
      const NodeId to = gather ? root : others[i];
      step.add(from, to, shortest_route(topology, from, to), std::span(&others[i], 1));
    }
  });
}

constexpr auto kDirectClaim = "ceil((p-1)/2D) steps on p nodes in D dimensions";

const AlgorithmRegistry::Entry scatter_direct{
    rooted("scatter-direct", Goal::scatter,
           "scatter on a torus: the root sends every node its part of a vector by itself, the farthest first",
           kSource, kDirectClaim, make_direct)};

const AlgorithmRegistry::Entry gather_direct{
    rooted("gather-direct", Goal::gather,
           "gather on a torus: every node sends its part to the root by itself, the nearest first", kSource,
           kDirectClaim, make_direct)};

// pipelined-trees: a long message down 2D spanning trees that share no link, in segments that follow one
// another. The trees are Hamiltonian paths.

constexpr auto kPipelined = "pipelined-trees";
constexpr std::uint64_t kMaxSegments = 1'000'000;

/// Adds the message along hop `hop` of a path. Path 2 c goes round cycle c from the source, path 2 c + 1 the
/// same nodes in the other direction.
void send(const std::vector<common::HamiltonianCycle>& cycles, std::uint64_t path, std::uint64_t hop,
          ChunkId chunk, Step& step) {
  const common::HamiltonianCycle& cycle = cycles[path / 2];
  const std::size_t length = cycle.nodes.size();
  if (path % 2 == 0) {
    step.add(cycle.nodes[hop], cycle.nodes[hop + 1], one_hop(cycle.moves[hop]), std::span(&chunk, 1));
  } else {
    const std::size_t to = length - hop - 1;
    step.add(cycle.nodes[(to + 1) % length], cycle.nodes[to], common::reversed(one_hop(cycle.moves[to])),
             std::span(&chunk, 1));
  }
}

/// Chunk s * paths + q is segment s of the part of path q.
std::unique_ptr<Schedule> make_pipelined(const Topology& topology, const ParameterValues& values) {
  common::require_disjoint_cycles(topology, kPipelined);
  const NodeId source = node_parameter(topology, values, "source");
  std::vector<common::HamiltonianCycle> cycles = common::disjoint_cycles(topology);
  for (common::HamiltonianCycle& cycle : cycles) {
    const auto at = std::ranges::find(cycle.nodes, source) - cycle.nodes.begin();
    std::ranges::rotate(cycle.nodes, cycle.nodes.begin() + at);
    std::ranges::rotate(cycle.moves, cycle.moves.begin() + at);
  }
  const std::uint64_t bytes = values.bytes("message");
  const std::uint64_t paths = 2 * cycles.size();
  const std::uint64_t part = (bytes + paths - 1) / paths;
  const std::uint64_t segment = values.bytes("segment") == 0 ? part : values.bytes("segment");
  const std::uint64_t segments = (part + segment - 1) / segment;
  refuse_if(segments * paths > kMaxSegments, "workload.segment",
            "segments of {} bytes are {}; at most {} are possible", segment, segments * paths, kMaxSegments);
  const std::uint64_t hops = topology.nodes() - 1;
  ScheduleFacts facts = common::facts_of(topology, kPipelined, topology.link_ports());
  facts.lower_bound_steps = broadcast_lower_bound(topology.nodes(), topology.link_ports());
  facts.claimed_channel_load = 1;
  facts.steps = hops + segments - 1;
  facts.claimed_steps = facts.steps;
  facts.messages = segments * paths * hops;
  facts.collective.chunk_bytes = common::split(bytes, segments * paths);
  facts.collective.initial = {common::run_of_chunks(source, segments * paths)};
  return common::stepwise(std::move(facts), [=](std::uint64_t number, Step& step) {
    const std::uint64_t first = number > hops ? number - hops : 0;
    for (std::uint64_t at = first; at < std::min(segments, number); ++at) {
      for (std::uint64_t path = 0; path < paths; ++path) {
        send(cycles, path, number - at - 1, static_cast<ChunkId>(at * paths + path), step);
      }
    }
  });
}

const AlgorithmRegistry::Entry pipelined_trees{{
    .name = kPipelined,
    .collective = {CollectiveKind::broadcast, "segment"},
    .summary =
        "broadcast of a long message on a torus down 2D spanning trees that share no link, in segments",
    .source = "ours: in both directions along the Hamiltonian cycles after Meyer and Sibeyn, Section 3.4",
    .claim = "p - 2 + s steps for p nodes and s segments a tree; one message per link and step, between "
             "neighbours; 1/2D of the message on a link, the least possible",
    .admissible = "ring; torus of any number D of dimensions, all sides at least 3",
    .parameters = broadcast_parameters(
        {common::segment_parameter("the part of each tree is cut into segments of about that length, which "
                                   "follow one another; 0: one segment",
                                   "512")}),
    .make = make_pipelined,
}};

}  // namespace
}  // namespace flitscope::long_broadcast
