// A routing function for tests: on a torus it deadlocks however many virtual channels there are, and a head
// may take any of them.
#pragma once

#include <memory>

#include "routers/routing/routing.h"

namespace flitscope::reference {

/// Dimension-order routing with one class of virtual channels.
class WithoutDateline final : public RoutingFunction {
 public:
  explicit WithoutDateline(const Topology& topology) : dimensions_(topology.dimensions()) {}

  [[nodiscard]] unsigned classes() const override { return 1; }
  [[nodiscard]] RoutingDecision decide(const std::uint32_t* here, const Head& head) const override {
    const unsigned dimension = unfinished_dimension(dimensions_, here, head);
    if (dimension == dimensions_) return {};
    return {port_of(dimension, head.route.sign(dimension)), 0};
  }
  [[nodiscard]] std::optional<std::string> objection(Route) const override { return std::nullopt; }

 private:
  unsigned dimensions_;
};

inline const RoutingRegistry::Entry without_dateline{{
    .name = "dimension-order-without-dateline",
    .summary = "dimension-order with one class of virtual channels",
    .source = "these tests",
    .make = [](const Topology& topology) { return std::make_unique<WithoutDateline>(topology); },
}};

}  // namespace flitscope::reference
