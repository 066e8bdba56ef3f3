#include "algorithms/common/node_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "algorithms/common/schedule.h"
#include "algorithms/common/spread.h"
#include "model/node_set.h"

namespace flitscope::common {

namespace {

enum class Towards : std::uint8_t { root, leaves };

/// The steps of all trees, tree t with chunk t.
void add_steps(const Topology& topology, const std::vector<NodeTree>& trees, Towards towards,
               std::vector<Step>& steps) {
  std::size_t count = 0;
  for (const NodeTree& tree : trees) count = std::max(count, tree.size());
  for (std::size_t number = 0; number < count; ++number) {
    Step& step = steps.emplace_back();
    const std::size_t index = towards == Towards::root ? count - 1 - number : number;
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
      if (index >= trees[tree].size()) continue;
      const auto chunk = static_cast<ChunkId>(tree);
      for (const auto& [from, to] : trees[tree][index]) {
        if (towards == Towards::root) {
          step.reduce(to, from, shortest_route(topology, to, from), std::span(&chunk, 1));
        } else {
          step.add(from, to, shortest_route(topology, from, to), std::span(&chunk, 1));
        }
      }
    }
  }
}

ScheduleFacts facts_for(const Topology& topology, const ParameterValues& values, const std::string& name,
                        CollectiveKind goal, std::uint64_t parts) {
  const std::vector<std::uint64_t> sizes = split(values.bytes("message"), parts);
  if (goal == CollectiveKind::broadcast) {
    ScheduleFacts facts = broadcast_facts(topology, values, name, topology.default_routing(), 1);
    facts.collective.chunk_bytes = sizes;
    facts.collective.initial = {run_of_chunks(source_of(facts), parts)};
    return facts;
  }
  ScheduleFacts facts = whole_vector_facts(topology, values, name, 1);
  facts.collective.chunk_bytes = sizes;
  if (goal == CollectiveKind::reduce) gather_to(node_parameter(topology, values, "root"), facts.collective);
  return facts;
}

/// The schedule of a broadcast (parameter `source`), a reduce (`root`) or an all-reduce along trees, each of
/// which takes an equal part of the message. Trees span all nodes; those of a broadcast or reduce have its
/// root.
std::unique_ptr<Schedule> tree_schedule(const Topology& topology, const ParameterValues& values,
                                        const std::string& name, CollectiveKind goal,
                                        const std::vector<NodeTree>& trees) {
  ScheduleFacts facts = facts_for(topology, values, name, goal, trees.size());
  std::vector<Step> steps;
  if (goal != CollectiveKind::broadcast) add_steps(topology, trees, Towards::root, steps);
  const std::size_t reducing = steps.size();
  if (goal != CollectiveKind::reduce) add_steps(topology, trees, Towards::leaves, steps);
  if (goal == CollectiveKind::all_reduce) {
    facts.stages = {{"reduce", 1, reducing}, {"broadcast", reducing + 1, steps.size()}};
  }
  facts.claimed_steps = steps.size();
  return recorded(std::move(facts), std::move(steps));
}

Algorithm algorithm_of(const TreeMethod& method, CollectiveKind goal) {
  const std::string name = fmt::format("{}-{}", name_of(goal), method.name);
  std::vector<Parameter> parameters = method.parameters;
  if (goal == CollectiveKind::broadcast) {
    parameters = broadcast_parameters(std::move(parameters));
  } else {
    if (goal == CollectiveKind::reduce) {
      parameters.push_back(root_parameter("root", "the node that gets the combination"));
    }
    parameters.push_back(vector_parameter());
  }
  const char* const root = goal == CollectiveKind::broadcast ? "source" : "root";
  const auto make = [=](const Topology& topology, const ParameterValues& values) {
    if (goal == CollectiveKind::all_reduce) {
      return tree_schedule(topology, values, name, goal, method.all_reduce(topology));
    }
    const NodeId node = node_parameter(topology, values, root);
    return tree_schedule(topology, values, name, goal, method.rooted(topology, values, node));
  };
  return segmented({.name = name,
                    .collective = {goal},
                    .summary = fmt::format("{} on any network {}, in segments", name_of(goal), method.how),
                    .source = method.source,
                    .claim = goal == CollectiveKind::all_reduce ? method.all_reduce_claim : method.claim,
                    .admissible = "any network, any number of nodes",
                    .parameters = std::move(parameters),
                    .make = make,
                    .any_network = true,
                    .memory = {.per_node = 1024}});
}

/// Messages of a broadcast on a ring, by step; positions are counted from the source, in direction +.
struct RingHop {
  std::int64_t from = 0;
  std::int64_t to = 0;
};
using RingHops = std::vector<std::vector<RingHop>>;

/// By thirds: the node at `at` answers for a stretch of the ring, `left` and `right` nodes on its sides, and
/// sends to the middles of the parts on both sides of its third of it. No two stretches share a link.
void spread_by_thirds(std::int64_t at, std::int64_t left, std::int64_t right, std::size_t step,
                      RingHops& steps) {  // NOLINT(misc-no-recursion)
  if (left == 0 && right == 0) return;
  if (steps.size() <= step) steps.resize(step + 1);
  // As many stay as go to either side, as far as that can be.
  const std::int64_t keep = (left + right + 1 + 2) / 3 - 1;
  const std::int64_t keep_left = std::min(left, std::max(keep / 2, keep - right));
  const std::int64_t keep_right = std::min(right, keep - keep_left);
  for (const int sign : {-1, 1}) {
    const std::int64_t kept = sign < 0 ? keep_left : keep_right;
    const std::int64_t others = (sign < 0 ? left : right) - kept;
    if (others == 0) continue;
    const std::int64_t nearer = (others - 1) / 2;
    const std::int64_t beyond = others - 1 - nearer;
    const std::int64_t to = at + sign * (kept + 1 + nearer);
    steps[step].push_back({at, to});
    spread_by_thirds(to, sign > 0 ? nearer : beyond, sign > 0 ? beyond : nearer, step + 1, steps);
  }
  spread_by_thirds(at, keep_left, keep_right, step + 1, steps);
}

/// The tree of a registered broadcast. Throws Inadmissible if it does not fit the network.
BroadcastTree tree_of(const std::string& name, const Topology& topology, NodeId root) {
  const Algorithm& algorithm = *AlgorithmRegistry::find(name);
  ParameterValues values;
  for (const Parameter& parameter : algorithm.parameters) {
    if (parameter.type == ParameterType::choice) values.set(parameter.name, parameter.fallback);
  }
  values.set("source", NodeName{topology.node_name(root)});
  values.set("message", std::int64_t{1});
  const auto schedule = algorithm.make(topology, values);
  BroadcastTree tree{schedule->facts().routing};
  for (Step step; schedule->next(step);) tree.steps.push_back(step);
  return tree;
}

/// The same; nothing if it does not fit the torus or informs a node twice.
std::optional<BroadcastTree> admitted_tree_of(const std::string& name, const Topology& torus, NodeId root) {
  try {
    BroadcastTree tree = tree_of(name, torus, root);
    std::size_t messages = 0;
    for (const Step& step : tree.steps) messages += step.messages().size();
    return messages == torus.nodes() - 1 ? std::optional(std::move(tree)) : std::nullopt;
  } catch (const Inadmissible&) {
    return std::nullopt;
  }
}

}  // namespace

NodeTree binomial_tree(std::span<const NodeId> nodes) {
  const unsigned steps = ceil_log(2, nodes.size());
  NodeTree tree(steps);
  for (unsigned step = 0; step < steps; ++step) {
    const std::size_t distance = std::size_t{1} << (steps - 1 - step);
    for (std::size_t at = 0; at + distance < nodes.size(); at += 2 * distance) {
      tree[step].push_back({nodes[at], nodes[at + distance]});
    }
  }
  return tree;
}

std::vector<NodeId> order_from(const Topology& topology, NodeId first) {
  std::vector<NodeId> order = NodeGroups(topology).order();
  std::ranges::rotate(order, std::ranges::find(order, first));
  return order;
}

TreeFamily::TreeFamily(const TreeMethod& method) {
  for (const CollectiveKind goal :
       {CollectiveKind::broadcast, CollectiveKind::reduce, CollectiveKind::all_reduce}) {
    if (goal == CollectiveKind::all_reduce && !method.all_reduce) continue;
    const AlgorithmRegistry::Entry entry(algorithm_of(method, goal));
  }
}

BroadcastTree thirds_tree(const Topology& torus, NodeId root) {
  BroadcastTree tree;
  std::vector<NodeId> informed{root};
  for (unsigned k = 0; k < torus.dimensions(); ++k) {
    RingHops ring;
    spread_by_thirds(0, torus.side(k) / 2, (torus.side(k) - 1) / 2, 0, ring);
    for (const auto& hops : ring) {
      Step& step = tree.steps.emplace_back();
      for (const NodeId line : informed) {
        for (const auto& [from, to] : hops) {
          step.add(displaced(torus, line, k, from), displaced(torus, line, k, to),
                   Route::cyclic(0, from < to ? Sign::plus : Sign::minus));
        }
      }
    }
    extend_along(informed, torus, k);
  }
  return tree;
}

BroadcastTree fastest_tree(const Topology& topology, NodeId root) {
  // Of any network, unless it refuses the network itself.
  if (!topology.is_fault_free_grid() || !topology.wraps() || topology.is_one_way())
    return tree_of("tree-broadcast", topology, root);
  BroadcastTree best = thirds_tree(topology, root);
  for (const char* name : {"two-port-torus", "tsay-wang", "tsay-wang-direct"}) {
    auto tree = admitted_tree_of(name, topology, root);
    if (tree && tree->steps.size() < best.steps.size()) best = std::move(*tree);
  }
  return best;
}

}  // namespace flitscope::common
