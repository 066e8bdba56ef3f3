#include "model/collective.h"
#include "model/graph.h"

namespace flitscope {

Participants::Participants(const Topology& topology) : Participants(topology.nodes()) {
  if (topology.graph() == nullptr || topology.graph()->faults().nodes.empty()) return;
  place_.assign(nodes_, kNoNode);
  for (NodeId node = 0; node < nodes_; ++node) {
    if (topology.is_missing(node)) continue;
    place_[node] = static_cast<NodeId>(node_.size());
    node_.push_back(node);
  }
  count_ = static_cast<NodeId>(node_.size());
}

}  // namespace flitscope
