// edge-disjoint-trees: the rival that Chen, Chiang and Chen compare with, six spanning trees at once.
//
// The paper gives a formula for it (Section 4.1) and neither the trees nor how messages come to their root.
// Here message i is handled by tree i mod 6. Gather: in every step each node passes the first `batch`
// messages of its queue on to its parent, until all are at the root. Broadcast: each tree spreads its
// messages in lots of `batch`, pipelined, a lot every step. The two do not overlap: a channel that leads up
// in one tree leads down in another.
#include <algorithm>
#include <deque>
#include <span>

#include "algorithms/chen/multinode.h"
#include "algorithms/chen/tree_packing.h"
#include "algorithms/common/schedule.h"

namespace flitscope::chen::edge_disjoint_trees {
namespace {

constexpr auto kName = "edge-disjoint-trees";
constexpr std::uint64_t kAttempts = 20'000'000;

/// Everything up to the root, step by step. Nodes are counted from the root.
class Gather {
 public:
  Gather(const TreePacking& packing, std::size_t batch, NodeId nodes) : packing_(packing), batch_(batch) {
    for (auto& tree : queues_) tree.resize(nodes);
  }

  void add(NodeId node, ChunkId chunk) {
    queues_[chunk % kTrees][node].push_back(chunk);
    if (node != 0) ++not_yet_there_;
  }

  [[nodiscard]] bool done() const { return not_yet_there_ == 0; }

  /// One step: calls visit(from, to, chunks) for every message.
  template <typename Visit>
  void step(const Visit& visit) {
    std::vector<ChunkId> sent;
    std::vector<std::pair<NodeId, ChunkId>> arrivals;
    for (unsigned tree = 0; tree < kTrees; ++tree) {
      arrivals.clear();
      for (NodeId node = 1; node < queues_[tree].size(); ++node) {
        auto& queue = queues_[tree][node];
        if (queue.empty()) continue;
        const auto end = queue.begin() + static_cast<std::ptrdiff_t>(std::min(batch_, queue.size()));
        sent.assign(queue.begin(), end);
        queue.erase(queue.begin(), end);
        const NodeId parent = packing_.parent(tree, node);
        visit(node, parent, std::span<const ChunkId>(sent));
        for (const ChunkId chunk : sent) arrivals.emplace_back(parent, chunk);
      }
      for (const auto& [node, chunk] : arrivals) {
        queues_[tree][node].push_back(chunk);
        if (node == 0) --not_yet_there_;
      }
    }
  }

 private:
  const TreePacking& packing_;
  std::size_t batch_;
  std::array<std::vector<std::deque<ChunkId>>, kTrees> queues_;
  std::uint64_t not_yet_there_ = 0;
};

/// The trees as they are used: moved to their root, with their messages.
struct Forest {
  TreePacking packing;
  Cube cube;
  NodeId root = 0;
  std::size_t batch = 1;
  std::size_t messages = 0;

  /// A node of the torus as counted from the root (`sign` -1), or the other way round (1).
  [[nodiscard]] NodeId moved(NodeId node, int sign) const {
    return cube.node(cube.x(node) + sign * cube.x(root), cube.y(node) + sign * cube.y(root),
                     cube.z(node) + sign * cube.z(root));
  }
  [[nodiscard]] std::size_t lots(unsigned tree) const {
    return ((messages + kTrees - 1 - tree) / kTrees + batch - 1) / batch;
  }
  /// Lot j of a tree, in the order of the messages.
  [[nodiscard]] std::vector<ChunkId> lot(unsigned tree, std::size_t j) const {
    std::vector<ChunkId> chunks;
    for (std::size_t i = j * batch; i < (j + 1) * batch && i * kTrees + tree < messages; ++i) {
      chunks.push_back(static_cast<ChunkId>(i * kTrees + tree));
    }
    return chunks;
  }
};

/// Adds the messages of step `number` of the broadcast.
void spread(const Forest& forest, std::uint64_t number, const auto& send) {
  const TreePacking& packing = forest.packing;
  for (unsigned tree = 0; tree < kTrees; ++tree) {
    for (std::size_t j = 0; j < forest.lots(tree) && j < number; ++j) {
      const auto depth = static_cast<unsigned>(number - j);
      if (depth > packing.height(tree)) continue;
      const auto lot = forest.lot(tree, j);
      const auto reached = std::ranges::equal_range(packing.by_depth(tree), depth, {},
                                                    [&](NodeId node) { return packing.depth(tree, node); });
      for (const NodeId node : reached) send(packing.parent(tree, node), node, lot);
    }
  }
}

std::unique_ptr<Schedule> make(const Topology& topology, const ParameterValues& values) {
  ScheduleFacts facts = multinode_facts(topology, values, kName);
  const int n = static_cast<int>(topology.side(0));
  TreePacking packing = values.text("packing") == "explicit"
                            ? explicit_packing(n)
                            : searched_packing(n, height_in_paper(n),
                                               static_cast<std::uint64_t>(values.integer("seed")), kAttempts);
  const auto forest = std::make_shared<const Forest>(
      Forest{std::move(packing), Cube(n), node_parameter(topology, values, "root"),
             static_cast<std::size_t>(values.integer("batch")), facts.collective.chunk_bytes.size()});
  Gather gather(forest->packing, forest->batch, topology.nodes());
  for (const Holding& holding : facts.collective.initial) {
    for (const ChunkId chunk : holding.chunks) gather.add(forest->moved(holding.node, -1), chunk);
  }
  for (Gather rehearsal = gather; !rehearsal.done(); ++facts.steps) {
    rehearsal.step([&](NodeId, NodeId, std::span<const ChunkId>) { ++facts.messages; });
  }
  const std::uint64_t gathering = facts.steps;
  if (gathering > 0) facts.stages.push_back({"gather", 1, gathering});
  for (unsigned tree = 0; tree < kTrees; ++tree) {
    // Lot j is on the channels into depth e in step j + e.
    const std::uint64_t lots = forest->lots(tree);
    if (lots > 0) facts.steps = std::max(facts.steps, gathering + lots + forest->packing.height(tree) - 1);
    facts.messages += lots * (topology.nodes() - 1);
  }
  facts.stages.push_back({"broadcast", gathering + 1, facts.steps});
  return common::stepwise(std::move(facts), [=](std::uint64_t number, Step& step) mutable {
    // Over one link.
    const auto send = [&](NodeId from, NodeId to, std::span<const ChunkId> chunks) {
      const NodeId source = forest->moved(from, 1);
      const NodeId destination = forest->moved(to, 1);
      step.add(source, destination, shortest_route(topology, source, destination), chunks);
    };
    if (number <= gathering) return gather.step(send);
    spread(*forest, number - gathering, send);
  });
}

const AlgorithmRegistry::Entry entry{{
    .name = kName,
    .collective = {CollectiveKind::multinode_broadcast},
    .summary = "broadcast from many sources on a 3-D torus over six edge-disjoint spanning trees, pipelined",
    .source = "the rival in Chen, Chiang and Chen, Section 4; trees, gather and pipelining are ours",
    .claim = "steps of the gather, then height + ceil(s / (6 batch)) - 1 for the highest tree; at most one "
             "message per link and step",
    .admissible = "torus of three equal sides n >= 3",
    .parameters = multinode_parameters(
        {root_parameter("root", "the root of all six trees"),
         Parameter::choice("packing", "trees by rule, or lower ones by search", {"explicit", "searched"})
             .or_else("explicit"),
         Parameter::integer("seed", "of the search for trees").or_else("1"),
         Parameter::integer("batch", "messages that travel combined in one", {1, std::int64_t{1} << 31},
                            "messages")
             .or_else("1")}),
    .make = make,
    .memory = {.per_node = 16'384},
}};

}  // namespace
}  // namespace flitscope::chen::edge_disjoint_trees
