// Dimension-order routing: dimension 0 first, each dimension in a direction of its own.
#include "routers/routing/routing.h"

namespace flitscope::dimension_order {
namespace {

class DimensionOrder final : public RoutingFunction {
 public:
  explicit DimensionOrder(const Topology& topology)
      : dimensions_(topology.dimensions()), torus_(topology.kind() == TopologyKind::torus) {}

  unsigned classes() const override { return torus_ ? 2 : 1; }

  RoutingDecision decide(const std::uint32_t* here, const Head& head) const override {
    for (unsigned dimension = 0; dimension < dimensions_; ++dimension) {
      const std::uint32_t at = here[dimension];
      const std::uint32_t target = head.target[dimension];
      if (at == target) continue;
      const Sign sign = head.route.sign(dimension);
      return {port_of(dimension, sign), torus_ ? dateline_class(at, target, sign) : 0};
    }
    return {};
  }

  std::optional<std::string> objection(Route route) const override {
    if (route.first_dimension == 0) return std::nullopt;
    return "dimension-order routing starts in dimension 0, not " + std::to_string(route.first_dimension);
  }

 private:
  unsigned dimensions_;
  bool torus_;
};

const RoutingRegistry::Entry entry{{
    .name = "dimension-order",
    .summary = "dimensions one after the other, 0 first; a direction per dimension",
    .source =
        "W. Dally, C. Seitz: Deadlock-free message routing in multiprocessor interconnection networks, 1987",
    .make = [](const Topology& topology) { return std::make_unique<DimensionOrder>(topology); },
}};

}  // namespace
}  // namespace flitscope::dimension_order
