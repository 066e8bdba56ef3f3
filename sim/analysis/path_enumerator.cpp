#include "sim/analysis/path_enumerator.h"

#include <algorithm>

namespace flitscope {

PathEnumerator::PathEnumerator(const Topology& topology, const Routing& routing, unsigned virtual_channels)
    : topology_(topology),
      routing_(routing.make(topology)),
      lanes_(topology, routing_->classes(), virtual_channels),
      end_(topology.channel_ids(), kNoNode),
      deterministic_(routing_->deterministic()),
      stamps_(topology.channel_ids() * lanes_.count(), 0) {
  routing_->build_tables();
  for (ChannelId channel = 0; channel < end_.size(); ++channel) {
    end_[channel] =
        topology.neighbour(topology.channel_node(channel), topology.channel_port(channel)).value_or(kNoNode);
  }
}

void PathEnumerator::begin(const Head& head) {
  if (head_ == head) return;
  head_ = head;
  if (++stamp_ != 0) return;
  std::ranges::fill(stamps_, 0);
  stamp_ = 1;
}

std::vector<std::uint64_t> PathEnumerator::way(NodeId source, const Head& head) const {
  std::vector<std::uint64_t> result;
  NodeId node = source;
  Arrival arrival{static_cast<std::uint8_t>(topology_.link_ports()), 0};
  while (node != head.destination) {
    const Candidate candidate = routing_->first_candidate(node, arrival, head);
    const std::uint64_t lane =
        lanes_.number(topology_.channel(node, candidate.port), lanes_.of_class(candidate.channel_class));
    result.push_back(lane);
    arrival = arrival_by(lanes_, lane);
    node = end(lane);
  }
  return result;
}

}  // namespace flitscope
