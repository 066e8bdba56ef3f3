// scatter-tree, gather-tree and scatter-allgather: along a broadcast tree, each node's part by itself.
#include <algorithm>
#include <utility>

#include "algorithms/common/broadcast_tree.h"
#include "algorithms/common/cycles.h"
#include "algorithms/common/segmented.h"
#include "algorithms/common/stepwise_schedule.h"

namespace flitscope::long_broadcast::rooted {
namespace {

using all_reduce::BroadcastTree;
using all_reduce::TreeEdge;

enum class Goal : std::uint8_t {
  scatter,    ///< every node gets its part from the root
  gather,     ///< the root gets the part of every node
  broadcast,  ///< scatter, then all-gather: every node gets everything
};

/// Chunk v is the part of node v.
class Rooted final : public StepwiseSchedule {
 public:
  Rooted(ScheduleFacts facts, Goal goal, BroadcastTree tree, std::unique_ptr<all_reduce::Spread> spread)
      : StepwiseSchedule(std::move(facts)), goal_(goal), tree_(std::move(tree)), spread_(std::move(spread)) {
    // Below a node lie those it informs, and those below them at that time.
    std::vector<std::vector<ChunkId>> below(topology().nodes());
    for (NodeId node = 0; node < topology().nodes(); ++node) below[node] = {node};
    parts_.resize(tree_.steps.size());
    for (std::size_t step = tree_.steps.size(); step-- > 0;) {
      for (const TreeEdge& edge : tree_.steps[step]) {
        auto& part = parts_[step].emplace_back(std::move(below[edge.to]));
        std::ranges::sort(part);
        below[edge.from].insert(below[edge.from].end(), part.begin(), part.end());
      }
    }
  }

 private:
  void produce(std::uint64_t number, Step& step) override {
    const std::size_t depth = tree_.steps.size();
    if (number > depth) {
      spread_->produce(number - depth,
                       [&](NodeId from, NodeId to, Route route, std::span<const ChunkId> chunks) {
                         step.add(from, to, route, chunks);
                       });
      return;
    }
    const auto index = static_cast<std::size_t>(goal_ == Goal::gather ? depth - number : number - 1);
    for (std::size_t i = 0; i < tree_.steps[index].size(); ++i) {
      const TreeEdge& edge = tree_.steps[index][i];
      if (goal_ == Goal::gather) {
        step.add(edge.to, edge.from, all_reduce::reversed(edge.route), parts_[index][i]);
      } else {
        step.add(edge.from, edge.to, edge.route, parts_[index][i]);
      }
    }
  }

  Goal goal_;
  BroadcastTree tree_;
  std::unique_ptr<all_reduce::Spread> spread_;
  /// Chunks of each edge.
  std::vector<std::vector<std::vector<ChunkId>>> parts_;
};

/// The most messages that a node sends, or receives, in one step.
unsigned ports_of(const BroadcastTree& tree, NodeId nodes) {
  unsigned ports = 1;
  for (const auto& edges : tree.steps) {
    std::vector<unsigned> sends(nodes);
    for (const TreeEdge& edge : edges) ports = std::max(ports, ++sends[edge.from]);
  }
  return ports;
}

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values,
                               const std::string& name, Goal goal) {
  require_torus(topology, name);
  const NodeId root = node_parameter(topology, values, goal == Goal::broadcast ? "source" : "root");
  const NodeId nodes = topology.nodes();
  std::unique_ptr<all_reduce::Spread> spread;
  ScheduleFacts facts = all_reduce::vector_facts(topology, values, name, all_reduce::Goal::all_gather, 1);
  BroadcastTree tree = all_reduce::thirds_tree(topology, root);
  facts.send_ports = ports_of(tree, nodes);
  facts.steps = tree.steps.size();
  facts.messages = nodes - 1;
  if (goal == Goal::broadcast) {
    spread = std::make_unique<all_reduce::CycleSpread>(
        topology, std::vector{all_reduce::hamiltonian_cycle(topology)}, false);
    facts.send_ports = std::max(facts.send_ports, spread->ports());
    facts.steps += spread->steps();
    facts.messages += spread->messages();
  }
  facts.receive_ports = facts.send_ports;
  facts.claimed_steps = facts.steps;
  facts.claimed_channel_load = 1;
  Holding all{root, {}};
  for (NodeId node = 0; node < nodes; ++node) all.chunks.push_back(node);
  auto parts = std::exchange(facts.collective.initial, {});
  if (goal == Goal::gather) {
    facts.collective.initial = std::move(parts);
    facts.collective.goal = {std::move(all)};
  } else {
    facts.collective.initial = {std::move(all)};
    if (goal == Goal::scatter) facts.collective.goal = std::move(parts);
  }
  return std::make_unique<Rooted>(std::move(facts), goal, std::move(tree), std::move(spread));
}

Parameter root_parameter(const char* name, const char* summary) {
  return {.name = name, .type = ParameterType::node, .summary = summary, .fallback = "origin"};
}

constexpr auto kSource = "common knowledge; along each dimension by thirds";
constexpr auto kAdmissible = "torus of any sides and any number of dimensions";
constexpr auto kClaim =
    "about the sum of ceil(log_3 k) steps over all sides k; one message per link and step";

const AlgorithmRegistry::Entry scatter{segmented({
    .name = "scatter-tree",
    .collective = {CollectiveKind::scatter},
    .summary = "scatter on a torus along a broadcast tree: every node gets its part of a vector of the root",
    .source = kSource,
    .claim = kClaim,
    .admissible = kAdmissible,
    .parameters = {root_parameter("root", "the node that has the vector"), all_reduce::vector_parameter()},
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          return make(topology, values, "scatter-tree", Goal::scatter);
        },
})};

const AlgorithmRegistry::Entry gather{segmented({
    .name = "gather-tree",
    .collective = {CollectiveKind::gather},
    .summary = "gather on a torus along a broadcast tree backward: the root gets the part of every node",
    .source = kSource,
    .claim = kClaim,
    .admissible = kAdmissible,
    .parameters = {root_parameter("root", "the node that gets the vector"), all_reduce::vector_parameter()},
    .make = [](const Topology& topology,
               const ParameterValues& values) { return make(topology, values, "gather-tree", Goal::gather); },
})};

const AlgorithmRegistry::Entry scatter_allgather{segmented({
    .name = "scatter-allgather",
    .collective = {CollectiveKind::broadcast},
    .summary =
        "broadcast of a long message on a torus: scatter along a tree, then all-gather along one Hamiltonian "
        "cycle",
    .source = "common knowledge",
    .claim =
        "about the sum of ceil(log_3 k) steps over all sides k, and then p-1; one message per link and step",
    .admissible = kAdmissible,
    .parameters = {root_parameter("source", "the node that holds the message at the start"),
                   all_reduce::vector_parameter()},
    .make =
        [](const Topology& topology, const ParameterValues& values) {
          return make(topology, values, "scatter-allgather", Goal::broadcast);
        },
    // With segments all messages of one.
    .memory = {.per_pair_of_nodes = 64},
})};

}  // namespace
}  // namespace flitscope::long_broadcast::rooted
