#include "sim/observe/flits/wave_scope.h"

#include <algorithm>

namespace flitscope {

std::vector<NodeId> WaveScope::watched_nodes(const Topology& topology) const {
  std::vector<NodeId> result = nodes;
  for (const ChannelId channel : channels) {
    const NodeId node = topology.channel_node(channel);
    result.push_back(node);
    result.push_back(*topology.neighbour(node, topology.channel_port(channel)));
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace flitscope
