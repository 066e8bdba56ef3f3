// Positive-hop routing on any network: shortest routes; a class of virtual channels for every link of a
// route.
#include <algorithm>

#include "routers/routing/table_routing.h"

namespace flitscope {

namespace {

/// The class is the number of links between core routers behind a message, so that links are ordered by it.
class PositiveHop final : public WithoutRoutes<DeterministicRouting> {
 public:
  explicit PositiveHop(const Topology& topology) : WithoutRoutes(topology) {
    const auto make = [&] { return std::make_shared<const RouteTable>(shortest_routes(topology)); };
    table_ = topology.graph() == nullptr ? make() : topology.graph()->computed("shortest", make);
    const CoreLinks links(topology, *table_);
    Distances distance(links, table_->cores());
    for (std::uint32_t to = 0; to < table_->cores(); ++to) {
      if (table_->nodes_at(to) == 0) continue;
      distance.find(to);
      for (const std::uint32_t at : distance.order()) {
        if (table_->nodes_at(at) > 0) classes_ = std::max(classes_, distance[at]);
      }
    }
  }

  unsigned classes() const override { return classes_; }
  NodesOfRouter nodes_of_router() const override { return NodesOfRouter::alike; }

  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const override {
    const unsigned port = table_->next(node, head.destination);
    const bool is_first = arrival.port >= topology().link_ports() || table_->is_from_leaf(node, arrival.port);
    return {port, is_first ? 0 : std::min(arrival.channel_class + 1U, classes_ - 1)};
  }

 private:
  std::shared_ptr<const RouteTable> table_;
  std::uint32_t classes_ = 1;  ///< links of the longest route between core routers
};

const RoutingRegistry::Entry positive_hop_entry{{
    .name = "positive-hop",
    .summary = "a shortest route on any network, a class of virtual channels for its first link, one for its "
               "second, and so on: as many as the longest route has between routers",
    .source =
        "R. Boppana, S. Chalasani: A framework for designing deadlock-free wormhole routing algorithms, "
        "1996; I. Gopal: Prevention of store-and-forward deadlock in computer networks, 1985",
    .any_network = true,
    .minimal = false,
    .make = [](const Topology& topology) { return std::make_unique<PositiveHop>(topology); },
}};

}  // namespace

}  // namespace flitscope
