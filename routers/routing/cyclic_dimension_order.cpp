// Cyclic dimension-order routing: any first dimension, then cyclically the others.
#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope {
namespace {

class CyclicDimensionOrder final : public DeterministicRouting {
 public:
  explicit CyclicDimensionOrder(const Topology& topology)
      : topology_(topology), dimensions_(topology.dimensions()), torus_(topology.wraps()) {}

  unsigned classes() const override { return torus_ ? 4 : 2; }

  void build_tables() override { coordinates_.build(topology_); }
  void prepare(Head& head, NodeId /*source*/) const override { coordinates_.write_target(head); }

  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    const Coordinates here = coordinates_.of(node);
    const Coordinates target = coordinates_.target_of(head);
    const unsigned dimension = coordinates_.first_unfinished_from(head.route.first_dimension, here, target);
    const Sign sign = head.route.sign(dimension);
    const unsigned lap = dimension < head.route.first_dimension ? 1 : 0;
    return {port_of(dimension, sign),
            torus_ ? 2 * lap + dateline_class(here.scaled(dimension), target.scaled(dimension), sign) : lap};
  }

  std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                       Route route) const override {
    if (route.first_dimension < dimensions_) return std::nullopt;
    return "the first dimension must be 0 to " + std::to_string(dimensions_ - 1);
  }

 private:
  Topology topology_;
  CoordinateTable coordinates_;
  unsigned dimensions_;
  bool torus_;
};

const RoutingRegistry::Entry cyclic_dimension_order_entry{{
    .name = "cyclic-dimension-order",
    .summary = "dimensions one after the other, cyclically from any first",
    .source = "Tsay and Wang, Section 2",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .make = [](const Topology& topology) { return std::make_unique<CyclicDimensionOrder>(topology); },
}};

}  // namespace
}  // namespace flitscope
