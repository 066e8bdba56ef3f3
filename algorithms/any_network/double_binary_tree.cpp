// double-binary-tree: two binary trees, each for half of the message; an inner node of one is a leaf of the
// other.
#include <algorithm>
#include <bit>

#include "algorithms/common/node_tree.h"
#include "model/node_groups.h"

namespace flitscope::any_network::double_binary_tree {
namespace {

using common::NodeTree;

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

const common::TreeFamily family{{
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
}  // namespace flitscope::any_network::double_binary_tree
