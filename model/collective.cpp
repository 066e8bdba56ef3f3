#include "model/collective.h"

#include <algorithm>
#include <utility>

#include "model/graph.h"

namespace flitscope {

std::vector<Holding> holdings_of(std::map<NodeId, std::vector<ChunkId>> lists) {
  std::vector<Holding> holdings;
  for (auto& [node, chunks] : lists) {
    std::ranges::sort(chunks);
    const auto repeated = std::ranges::unique(chunks);
    chunks.erase(repeated.begin(), repeated.end());
    holdings.push_back({node, std::move(chunks)});
  }
  return holdings;
}

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
