#include "routers/routing/paths.h"

#include "model/error.h"

namespace flitscope {

Paths::Paths(const Topology& topology, const std::string& routing) : topology_(topology) {
  const Routing* const entry = RoutingRegistry::find(routing);
  if (entry == nullptr || !entry->serves(topology)) {
    if (topology.is_fault_free_grid()) return;
    throw Inadmissible("router.routing", "{} does not serve this network ({})", routing, topology.name());
  }
  std::shared_ptr<RoutingFunction> function = entry->make(topology);
  if (topology.is_fault_free_grid() && function->follows_routes()) return;
  function->build_tables();
  routing_ = std::move(function);
}

bool Paths::exists(NodeId source, NodeId destination, Route route) const {
  if (follow_routes()) return route_exists(topology_, source, destination, route);
  return !topology_.is_missing(source) && !topology_.is_missing(destination);
}

std::uint32_t Paths::length(NodeId source, NodeId destination, Route route) const {
  if (follow_routes()) return route_length(topology_, source, destination, route);
  std::uint32_t links = 0;
  for_each_channel(source, destination, route, [&](ChannelId) { ++links; });
  return links;
}

unsigned Paths::first_port(NodeId source, NodeId destination, Route route) const {
  if (follow_routes()) return flitscope::first_port(topology_, source, destination, route);
  const Arrival arrival{static_cast<std::uint8_t>(topology_.link_ports()), 0};
  return routing_->first_candidate(source, arrival, head(source, destination, route)).port;
}

std::string Paths::name(NodeId source, NodeId destination, Route route) const {
  if (follow_routes()) return route_name(topology_, source, destination, route);
  std::string name = topology_.node_name(source);
  for_each_channel(source, destination, route, [&](ChannelId channel) {
    const auto to = topology_.neighbour(topology_.channel_node(channel), topology_.channel_port(channel));
    name += " > " + topology_.node_name(*to);
  });
  return name;
}

Head Paths::head(NodeId source, NodeId destination, Route route) const {
  Head head;
  head.destination = destination;
  head.route = route;
  routing_->prepare(head, source);
  return head;
}

std::vector<Paths> paths_of_networks(const Topology& topology, const std::string& routing) {
  return of_networks(topology, [&](const Topology& network) { return Paths(network, routing); });
}

}  // namespace flitscope
