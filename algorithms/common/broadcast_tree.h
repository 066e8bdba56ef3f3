// Broadcasts as trees that other collectives go along.
#pragma once

#include <string>
#include <vector>

#include "model/route.h"
#include "model/topology.h"
#include "model/types.h"

namespace flitscope::all_reduce {

/// A message of a broadcast.
struct TreeEdge {
  NodeId from = 0;
  NodeId to = 0;
  Route route;
};

/// A broadcast that reaches every node once.
struct BroadcastTree {
  std::string name;
  std::string routing = "dimension-order";
  std::vector<std::vector<TreeEdge>> steps = {};
};

/// One dimension after the other by thirds, on a torus of any sides: the sum of about ceil(log_3 k) steps
/// over all sides k, one message per link and step.
[[nodiscard]] BroadcastTree thirds_tree(const Topology& torus, NodeId root);

/// The one of our broadcasts with the fewest steps on a torus, of any sides.
[[nodiscard]] BroadcastTree fastest_tree(const Topology& torus, NodeId root);

}  // namespace flitscope::all_reduce
