// A torus or mesh of which something is missing, as a graph. Apart from graph.cpp, since a topology may hold
// a graph.
#include "model/graph.h"
#include "model/topology.h"

namespace flitscope {

Graph::Graph(const Topology& whole, const Faults& faults)
    : nodes_(whole.nodes()), ports_(whole.link_ports()), missing_(whole.nodes()), faults_(faults) {
  std::vector<bool> gone(whole.channel_ids());
  for (const ChannelId channel : faults.links) gone[channel] = true;
  for (const NodeId node : faults.nodes) missing_[node] = true;
  to_.assign(std::size_t{nodes_} * ports_, kNoNode);
  from_ = to_;
  link_.assign(to_.size(), kNoLink);
  for (NodeId node = 0; node < nodes_; ++node) {
    places_.push_back(node);
    plan_.routers.push_back({whole.node_name(node), !missing_[node]});
    for (unsigned port = 0; port < ports_; ++port) {
      const auto to = whole.neighbour(node, port);
      if (!to || gone[whole.channel(node, port)] || missing_[node] || missing_[*to]) continue;
      link_[at(node, port)] = static_cast<std::uint32_t>(plan_.links.size());
      plan_.links.push_back({node, *to});
      to_[at(node, port)] = *to;
      from_[at(*to, port)] = node;
    }
  }
  plan_.name = whole.name();
  complete_grid();
}

}  // namespace flitscope
