// hierarchical: broadcast to a node of every group, then within groups; backwards it reduces.
#include <algorithm>

#include "algorithms/common/circulant.h"
#include "algorithms/common/node_tree.h"
#include "model/node_groups.h"

namespace flitscope::any_network::hierarchical_trees {
namespace {

using common::NodeTree;

/// A binomial tree of one node of each group, the root among them, and then one from each of these to its
/// group.
std::vector<NodeTree> trees(const Topology& topology, const ParameterValues& values, NodeId root) {
  const NodeGroups groups = common::groups_of(topology, values);
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

const common::TreeFamily family{{
    .name = "hierarchical",
    .how = "across groups and within them, along binomial trees",
    .source = "hierarchical collectives, common knowledge",
    .claim = "ceil(log_2 G) + ceil(log_2 M) + s - 1 steps for G groups of at most M nodes and s segments; "
             "G-1 messages a segment across groups, the fewest",
    .parameters = {common::group_size_parameter()},
    .rooted = trees,
}};

}  // namespace
}  // namespace flitscope::any_network::hierarchical_trees
