// Broadcasts as trees that other collectives go along.
#pragma once

#include <string>
#include <vector>

#include "model/schedule.h"
#include "model/topology.h"

namespace flitscope::common {

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
