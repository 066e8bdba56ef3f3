// Where flits waited, as a picture of the network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/topology.h"

namespace flitscope {

/// What a link did, as far as the picture shows it.
struct ChannelUse {
  ChannelId channel = 0;
  double utilisation = 0;     ///< flits a cycle, 0 to 1
  std::uint64_t stalled = 0;  ///< flit-cycles that flits waited for it
};

/// Whether the network can be drawn: one or two dimensions, at most 1024 nodes.
[[nodiscard]] bool can_be_drawn(const Topology& topology);

/// A map as SVG: every link as an arrow that is wider the more flits it moved, and redder the longer flits
/// waited for it. Links round a torus are short arrows at its border. Every arrow says its numbers when the
/// pointer rests on it. Requires can_be_drawn.
[[nodiscard]] std::string draw_channels(const std::vector<ChannelUse>& channels, const Topology& topology);

}  // namespace flitscope
