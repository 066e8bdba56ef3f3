// Cyclic dimension-order routing: any first dimension, then cyclically the others.
#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope {
namespace {

class CyclicDimensionOrder final : public OrderedRouting {
 public:
  using OrderedRouting::OrderedRouting;

  unsigned classes() const override { return wraps() ? 4 : 2; }

  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    const Coordinates here = coordinates(node);
    const Coordinates target = target_of(head);
    const unsigned dimension = table().first_unfinished_from(head.route.first_dimension, here, target);
    const Sign sign = head.route.sign(dimension);
    const unsigned lap = dimension < head.route.first_dimension ? 1 : 0;
    return {port_of(dimension, sign),
            wraps() ? 2 * lap + dateline_class(here.scaled(dimension), target.scaled(dimension), sign) : lap};
  }

  std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                       Route route) const override {
    if (route.first_dimension < dimensions()) return std::nullopt;
    return "the first dimension must be 0 to " + std::to_string(dimensions() - 1);
  }
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
