// Dimension-order routing: dimension 0 first, or the first one of the network; each in a direction of its
// own.
#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope {
namespace {

template <bool kFromZero>
class DimensionOrder final : public OrderedRouting {
 public:
  explicit DimensionOrder(const Topology& topology)
      : OrderedRouting(topology), first_(topology.first_dimension()) {}

  unsigned classes() const override { return wraps() ? 2 : 1; }

  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    const Coordinates here = coordinates(node);
    const Coordinates target = target_of(head);
    const unsigned dimension = kFromZero ? table().first_unfinished(here, target)
                                         : table().first_unfinished_from(first_, here, target);
    const Sign sign = head.route.sign(dimension);
    return {port_of(dimension, sign),
            wraps() ? dateline_class(here.scaled(dimension), target.scaled(dimension), sign) : 0};
  }

  std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                       Route route) const override {
    if (route.first_dimension == first_) return std::nullopt;
    return "dimension-order routing starts in dimension " + std::to_string(first_) + ", not " +
           std::to_string(route.first_dimension);
  }

 private:
  unsigned first_;
};

const RoutingRegistry::Entry dimension_order_entry{{
    .name = "dimension-order",
    .summary = "dimensions one after the other, 0 first; a direction per dimension",
    .source =
        "W. Dally, C. Seitz: Deadlock-free message routing in multiprocessor interconnection networks, 1987",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .make = [](const Topology& topology) -> std::unique_ptr<RoutingFunction> {
      if (topology.first_dimension() == 0) return std::make_unique<DimensionOrder<true>>(topology);
      return std::make_unique<DimensionOrder<false>>(topology);
    },
}};

}  // namespace
}  // namespace flitscope
