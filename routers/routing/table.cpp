// Routing by tables on any network: given ones and shortest ones.
#include "routers/routing/table_routing.h"

namespace flitscope {

namespace {

class GivenTable final : public WithoutRoutes<DeterministicRouting> {
 public:
  using WithoutRoutes::WithoutRoutes;

  unsigned classes() const override { return routes().layers(); }
  ClassMask escape_classes() const override { return 0; }
  void prepare(Head& head, NodeId source) const override {
    head.prepared = routes().layer(source, head.destination);
  }
  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    return {routes().next(node, head.destination), static_cast<unsigned>(head.prepared)};
  }

 private:
  [[nodiscard]] const RouteTable& routes() const { return *topology().given_routes(); }
};

const RoutingRegistry::Entry table_entry{{
    .name = "table",
    .summary = "the routes of a table from a file; can deadlock",
    .source = "flitscope",
    .any_network = true,
    .needs_routes = true,
    .minimal = false,
    .make = [](const Topology& topology) { return std::make_unique<GivenTable>(topology); },
}};

// Shortest routing on any network: a table, with ties balanced over links. It can deadlock.

const RoutingRegistry::Entry shortest_entry{{
    .name = "shortest",
    .summary = "a shortest route on any network, ties balanced over links; can deadlock where links form "
               "dependency cycles",
    .source = "textbook",
    .any_network = true,
    .minimal = false,
    .make =
        [](const Topology& topology) {
          return std::make_unique<TableRouting>(topology, "shortest", shortest_routes, true);
        },
}};

}  // namespace

}  // namespace flitscope
