// Routing by a given table: any routes on any network. The deadlock check decides whether they can deadlock.
#include "routers/routing/table_routing.h"

namespace flitscope {
namespace {

class GivenTable final : public DeterministicRouting {
 public:
  explicit GivenTable(const Topology& topology) : topology_(topology) {}

  bool follows_routes() const override { return false; }
  unsigned classes() const override { return routes().layers(); }
  ClassMask escape_classes() const override { return 0; }
  void prepare(Head& head, NodeId source) const override {
    head.prepared = routes().layer(source, head.destination);
  }
  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    return {routes().next(node, head.destination), static_cast<unsigned>(head.prepared)};
  }

 private:
  [[nodiscard]] const RouteTable& routes() const { return *topology_.given_routes(); }

  Topology topology_;
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

}  // namespace
}  // namespace flitscope
