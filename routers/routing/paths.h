// The links of a message's path, by its route or by the routing function.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/route.h"
#include "model/topology.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// Paths for analyses before and after a run. On fault-free tori and meshes a path is that of the message's
/// route, with any routing function; on other networks, and with functions that do not follow routes, that of
/// the first candidate everywhere. Copies are cheap.
class Paths {
 public:
  /// Paths on fault-free tori and meshes, by routes.
  explicit Paths(const Topology& topology) : topology_(topology) {}
  /// Builds the function's tables if routes are not followed. A function that does not serve the topology, or
  /// does not exist, is treated as one that follows routes on a fault-free torus or mesh; otherwise throws
  /// Inadmissible("router.routing").
  Paths(const Topology& topology, const std::string& routing);

  [[nodiscard]] const Topology& topology() const { return topology_; }
  /// False if all messages from one node to another, with one draw, have the same path.
  [[nodiscard]] bool follow_routes() const { return routing_ == nullptr; }
  /// The function that gives the paths. Requires !follow_routes().
  [[nodiscard]] const RoutingFunction& function() const { return *routing_; }
  /// A head at its source. Requires !follow_routes().
  [[nodiscard]] Head head(NodeId source, NodeId destination, Route route) const;

  /// See route_exists; without routes every path exists that does not begin or end at a missing node.
  [[nodiscard]] bool exists(NodeId source, NodeId destination, Route route) const;
  [[nodiscard]] std::uint32_t length(NodeId source, NodeId destination, Route route) const;
  /// The link port by which it leaves its source. Requires source != destination.
  [[nodiscard]] unsigned first_port(NodeId source, NodeId destination, Route route) const;
  /// "+4@1 +2@0" by a route; otherwise the routers, "r0 > r3 > r1".
  [[nodiscard]] std::string name(NodeId source, NodeId destination, Route route) const;

  /// Calls visit(channel) for every link of the path, in order. Requires that the path exists.
  template <typename Visit>
  void for_each_channel(NodeId source, NodeId destination, Route route, Visit visit) const {
    if (follow_routes()) return flitscope::for_each_channel(topology_, source, destination, route, visit);
    const Head head = this->head(source, destination, route);
    Arrival arrival{static_cast<std::uint8_t>(topology_.link_ports()), 0};
    for (NodeId at = source; at != destination;) {
      const Candidate candidate = routing_->first_candidate(at, arrival, head);
      visit(topology_.channel(at, candidate.port));
      arrival = {static_cast<std::uint8_t>(candidate.port),
                 static_cast<std::uint8_t>(candidate.channel_class)};
      at = *topology_.neighbour(at, candidate.port);
    }
  }

 private:
  Topology topology_;
  std::shared_ptr<const RoutingFunction> routing_;
};

/// Those of each network of a topology, alone.
[[nodiscard]] std::vector<Paths> paths_of_networks(const Topology& topology, const std::string& routing);

}  // namespace flitscope
