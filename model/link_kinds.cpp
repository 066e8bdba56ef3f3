#include "model/link_kinds.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/graph.h"

namespace flitscope {

LinkKinds::LinkKinds(const Topology& topology) : topology_(topology) {
  if (topology.is_grid()) {
    for (unsigned i = 0; i < topology.dimensions(); ++i) names_.push_back(fmt::format("dimension {}", i));
    return;
  }
  for (const GraphPlan::Link& link : topology.graph()->plan().links) {
    if (std::ranges::count(names_, link.kind) == 0) names_.emplace_back(link.kind);
  }
  const auto of_nodes = std::ranges::find(names_, kLinkOfNode);
  if (of_nodes != names_.end()) std::rotate(of_nodes, of_nodes + 1, names_.end());
}

std::size_t LinkKinds::kind_of(ChannelId channel) const {
  const NodeId router = topology_.channel_node(channel);
  const unsigned port = topology_.channel_port(channel);
  if (topology_.is_grid()) return topology_.dimension(port);
  return static_cast<std::size_t>(
      std::ranges::find(names_, topology_.graph()->link(router, topology_.port_alone(port)).kind) -
      names_.begin());
}

double LinkKinds::length_of(ChannelId channel) const {
  if (topology_.is_grid()) return 1;
  return topology_.graph()
      ->link(topology_.channel_node(channel), topology_.port_alone(topology_.channel_port(channel)))
      .length;
}

}  // namespace flitscope
