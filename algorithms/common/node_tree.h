// Trees of nodes by their levels of messages, broadcasts as trees, and collectives along them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/schedule.h"
#include "model/topology.h"

namespace flitscope::common {

struct TreeHop {
  NodeId from = 0;
  NodeId to = 0;
};
/// By step: a node sends what came in an earlier step.
using NodeTree = std::vector<std::vector<TreeHop>>;

/// From the first of `nodes`, which is the root: ceil(log_2 n) steps, in each of which every node that has
/// the message sends it to one that lacks it, the farthest in the list first.
[[nodiscard]] NodeTree binomial_tree(std::span<const NodeId> nodes);

/// All nodes in the order of NodeGroups, from `first` on and round.
[[nodiscard]] std::vector<NodeId> order_from(const Topology& topology, NodeId first);

/// Declared at namespace scope, it registers the algorithms of a kind of trees, in segments: broadcast-NAME,
/// reduce-NAME, and with `all_reduce` all-reduce-NAME.
struct TreeMethod {
  std::string name;
  /// To follow the goal: "along a binomial tree".
  std::string how;
  std::string source;
  /// Of broadcast and reduce, and of an all-reduce.
  std::string claim;
  std::string all_reduce_claim = {};
  std::vector<Parameter> parameters = {};
  /// Trees from a root.
  std::function<std::vector<NodeTree>(const Topology&, const ParameterValues&, NodeId root)> rooted;
  /// Trees of an all-reduce, each with a root of its own; empty: there is none.
  std::function<std::vector<NodeTree>(const Topology&)> all_reduce = {};
};

struct TreeFamily {
  explicit TreeFamily(const TreeMethod& method);
};

// Broadcasts as trees that other collectives go along.

/// A broadcast that reaches every node once: the messages of its steps.
struct BroadcastTree {
  std::string routing = "dimension-order";
  std::vector<Step> steps = {};
};

/// One dimension after the other by thirds, on a torus of any sides: the sum of about ceil(log_3 k) steps
/// over all sides k, one message per link and step.
[[nodiscard]] BroadcastTree thirds_tree(const Topology& torus, NodeId root);

/// The one of our broadcasts with the fewest steps on a torus, of any sides; tree-broadcast on other
/// networks. Throws Inadmissible as that does.
[[nodiscard]] BroadcastTree fastest_tree(const Topology& topology, NodeId root);

}  // namespace flitscope::common
