// Broadcast, reduce and all-reduce along trees of nodes:
// binomial: in every step each node that has the message sends it to one more.
// hierarchical: broadcast to a node of every group, then within groups; backwards it reduces.
// tree: to the root of a broadcast tree and, in an all-reduce, back, in segments that follow one another.
// double-binary-tree: two binary trees, each for half of the message; an inner node of one is a leaf of the
// other.
#include <algorithm>
#include <bit>
#include <iterator>
#include <ranges>
#include <utility>

#include "algorithms/common/node_tree.h"
#include "algorithms/common/schedule.h"
#include "algorithms/common/spread.h"
#include "model/node_set.h"

namespace flitscope::any_network::trees {
namespace {

using common::NodeTree;

const common::TreeFamily binomial_family{{
    .name = "binomial",
    .how = "along a binomial tree",
    .source = "common knowledge",
    .claim = "ceil(log_2 p) + s - 1 steps for p nodes and s segments",
    .rooted = [](const Topology& topology, const ParameterValues& /*values*/, NodeId root)
        -> std::vector<NodeTree> { return {common::binomial_tree(common::order_from(topology, root))}; },
}};

/// A binomial tree of one node of each group, the root among them, and then one from each of these to its
/// group.
std::vector<NodeTree> trees_of_groups(const Topology& topology, const ParameterValues& values, NodeId root) {
  const NodeGroups groups = groups_of(topology, values);
  std::vector<NodeId> leaders;
  std::vector<NodeTree> below;
  std::size_t root_group = 0;
  for (std::uint32_t group = 0; group < groups.count(); ++group) {
    std::vector<NodeId> nodes(groups[group].begin(), groups[group].end());
    const auto place = std::ranges::find(nodes, root);
    if (place != nodes.end()) {
      root_group = group;
      std::ranges::rotate(nodes, place);
    }
    leaders.push_back(nodes.front());
    below.push_back(common::binomial_tree(nodes));
  }
  std::ranges::rotate(leaders, leaders.begin() + static_cast<std::ptrdiff_t>(root_group));
  NodeTree tree = common::binomial_tree(leaders);
  const std::size_t above = tree.size();
  for (const NodeTree& group : below) {
    tree.resize(std::max(tree.size(), above + group.size()));
    for (std::size_t step = 0; step < group.size(); ++step) {
      tree[above + step].insert(tree[above + step].end(), group[step].begin(), group[step].end());
    }
  }
  return {tree};
}

const common::TreeFamily hierarchical_family{{
    .name = "hierarchical",
    .how = "across groups and within them, along binomial trees",
    .source = "hierarchical collectives, common knowledge",
    .claim = "ceil(log_2 G) + ceil(log_2 M) + s - 1 steps for G groups of at most M nodes and s segments; "
             "G-1 messages a segment across groups, the fewest",
    .parameters = {group_size_parameter()},
    .rooted = trees_of_groups,
}};

/// One segment: through the tree backward and, in an all-reduce, forward again.
std::unique_ptr<Schedule> make_reduction(const Topology& topology, const ParameterValues& values,
                                         const std::string& name, bool to_root_only) {
  const NodeId root = node_parameter(topology, values, "root");
  common::BroadcastTree tree = common::fastest_tree(topology, root);
  std::vector<Step> steps;
  for (const Step& step : std::views::reverse(tree.steps)) {
    Step& back = steps.emplace_back();
    for (const Message& message : step.messages()) {
      back.reduce(message.destination, message.source,
                  common::route_back(topology, message.source, message.destination, message.route),
                  step.chunks(message));
    }
  }
  if (!to_root_only) std::ranges::move(tree.steps, std::back_inserter(steps));
  ScheduleFacts facts = common::whole_vector_facts(topology, values, name, 1);
  facts.routing = tree.routing;
  if (to_root_only) common::gather_to(root, facts.collective);
  facts.claimed_steps = steps.size();
  return common::recorded(std::move(facts), std::move(steps));
}

/// A reduction to the root of a broadcast tree, or an all-reduce to the root and back.
Algorithm reduction(const char* name, CollectiveKind kind, const char* summary, const char* claim) {
  return common::segmented({
      .name = name,
      .collective = {kind},
      .summary = summary,
      .source =
          "common knowledge, on tori on the broadcast of ours with the fewest steps, else on tree-broadcast",
      .claim = claim,
      .admissible = "any network, any number of nodes",
      .parameters = {root_parameter("root", "the node to which the tree leads"), common::vector_parameter()},
      .make = common::make_with(make_reduction, std::string(name), kind == CollectiveKind::reduce),
      .any_network = true,
      .memory = {.per_node = 1536},  // of the broadcast, and the messages of one segment
  });
}

const AlgorithmRegistry::Entry all_reduce_entry{
    reduction("all-reduce-tree", CollectiveKind::all_reduce,
              "all-reduce on any network to the root of a broadcast tree and back, in segments",
              "2 t + s - 1 steps for s segments, t the steps of the broadcast")};

const AlgorithmRegistry::Entry reduce_entry{
    reduction("reduce-tree", CollectiveKind::reduce,
              "reduce on any network to the root of a broadcast tree, in segments: the root gets the "
              "combination of all vectors",
              "t + s - 1 steps for s segments, t the steps of the broadcast")};

/// A binary tree of `nodes`, in which nodes at odd places, counted from 1, are leaves: the root is at the
/// largest power of two. Its hops join `tree` from level `level` on.
void add_binary_tree(std::span<const NodeId> nodes, std::size_t level,
                     NodeTree& tree) {  // NOLINT(misc-no-recursion)
  const std::size_t root = std::bit_floor(nodes.size()) - 1;
  for (const auto& part : {nodes.first(root), nodes.subspan(root + 1)}) {
    if (part.empty()) continue;
    if (tree.size() <= level) tree.resize(level + 1);
    tree[level].push_back({nodes[root], part[std::bit_floor(part.size()) - 1]});
    add_binary_tree(part, level + 1, tree);
  }
}

/// The places of the second tree: of an even number of nodes in reverse order, of an odd one a place on. So
/// odd places are even there, but for the last one of an odd number.
std::vector<NodeId> second_order(std::vector<NodeId> nodes) {
  if (nodes.size() % 2 == 0) {
    std::ranges::reverse(nodes);
  } else {
    std::ranges::rotate(nodes, nodes.end() - 1);
  }
  return nodes;
}

std::vector<NodeTree> two_trees(const Topology& topology) {
  const std::vector<NodeId> nodes = NodeGroups(topology).order();
  std::vector<NodeTree> trees(2);
  add_binary_tree(nodes, 0, trees[0]);
  add_binary_tree(second_order(nodes), 0, trees[1]);
  return trees;
}

/// The root sends a half to the root of each tree, which has all other nodes.
std::vector<NodeTree> two_trees_from(const Topology& topology, const ParameterValues& /*values*/,
                                     NodeId root) {
  std::vector<NodeId> others = common::order_from(topology, root);
  others.erase(others.begin());
  std::vector<NodeTree> trees;
  for (const std::vector<NodeId>& nodes : {others, second_order(others)}) {
    NodeTree& tree = trees.emplace_back();
    tree.push_back({{root, nodes[std::bit_floor(nodes.size()) - 1]}});
    add_binary_tree(nodes, 1, tree);
  }
  return trees;
}

const common::TreeFamily double_binary_family{{
    .name = "double-binary-tree",
    .how = "along two binary trees, each for half of the message",
    .source = "P. Sanders, J. Speck, J. Traeff: Two-tree algorithms for full bandwidth broadcast, reduction "
              "and scan, 2009",
    .claim = "floor(log_2(p-1)) + s steps for p nodes and s segments; no node sends, or gets, more than the "
             "message once",
    .all_reduce_claim = "2 floor(log_2 p) + s - 1 steps for p nodes and s segments; no node sends, or gets, "
                        "more than the vector twice",
    .rooted = two_trees_from,
    .all_reduce = two_trees,
}};

}  // namespace
}  // namespace flitscope::any_network::trees
