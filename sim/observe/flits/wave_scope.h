// What waveforms show, and when.
#pragma once

#include <optional>
#include <vector>

#include "model/topology.h"

namespace flitscope {

struct WaveScope {
  std::vector<NodeId> nodes;        ///< with all their ports
  std::vector<ChannelId> channels;  ///< the output port at one end, the input port at the other
  Cycle from = 0;
  std::optional<Cycle> to;  ///< the last cycle; nothing: no end

  [[nodiscard]] bool empty() const { return nodes.empty() && channels.empty(); }
  /// The nodes at which anything is shown, in rising order.
  [[nodiscard]] std::vector<NodeId> watched_nodes(const Topology& topology) const;
};

}  // namespace flitscope
