// Patterns that send a fixed number of nodes onwards in every dimension.
#pragma once

#include <vector>

#include "traffic/traffic_pattern.h"

namespace flitscope {

/// Coordinate x of dimension k goes to x + offsets[k], modulo the side.
class DisplacedPattern final : public FixedPattern {
 public:
  DisplacedPattern(const Topology& topology, const std::vector<std::uint32_t>& offsets)
      : partners_(topology.nodes()) {
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      std::vector<std::uint32_t> at = topology.coordinates(node);
      for (std::size_t k = 0; k < at.size(); ++k) at[k] = (at[k] + offsets[k]) % topology.sides()[k];
      partners_[node] = topology.node(at);
    }
  }

  NodeId partner(NodeId source) const override { return partners_[source]; }

 private:
  std::vector<NodeId> partners_;
};

}  // namespace flitscope
