// Dimension-order routing: dimension 0 first, each dimension in a direction of its own.
#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope {
namespace {

class DimensionOrder final : public DeterministicRouting {
 public:
  explicit DimensionOrder(const Topology& topology) : topology_(topology), torus_(topology.wraps()) {}

  unsigned classes() const override { return torus_ ? 2 : 1; }

  void build_tables() override { coordinates_.build(topology_); }
  void prepare(Head& head, NodeId /*source*/) const override { coordinates_.write_target(head); }

  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    const Coordinates here = coordinates_.of(node);
    const Coordinates target = coordinates_.target_of(head);
    const unsigned dimension = coordinates_.first_unfinished(here, target);
    const Sign sign = head.route.sign(dimension);
    return {port_of(dimension, sign),
            torus_ ? dateline_class(here.scaled(dimension), target.scaled(dimension), sign) : 0};
  }

  std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                       Route route) const override {
    if (route.first_dimension == 0) return std::nullopt;
    return "dimension-order routing starts in dimension 0, not " + std::to_string(route.first_dimension);
  }

 private:
  Topology topology_;
  CoordinateTable coordinates_;
  bool torus_;
};

const RoutingRegistry::Entry dimension_order_entry{{
    .name = "dimension-order",
    .summary = "dimensions one after the other, 0 first; a direction per dimension",
    .source =
        "W. Dally, C. Seitz: Deadlock-free message routing in multiprocessor interconnection networks, 1987",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .make = [](const Topology& topology) { return std::make_unique<DimensionOrder>(topology); },
}};

}  // namespace
}  // namespace flitscope
