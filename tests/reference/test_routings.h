// A routing function for tests that deadlocks. Including this header registers it.
#pragma once

#include <memory>
#include <vector>

#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope::reference {

/// Dimension-order routing with one class of virtual channels: on a torus it deadlocks however many virtual
/// channels there are, and a head may take any of them.
class WithoutDateline final : public DeterministicRouting {
 public:
  explicit WithoutDateline(const Topology& topology) : topology_(topology) {}

  [[nodiscard]] unsigned classes() const override { return 1; }
  [[nodiscard]] ClassMask escape_classes() const override { return 0; }
  void build_tables() override { coordinates_.build(topology_); }
  void prepare(Head& head, NodeId /*source*/) const override { coordinates_.write_target(head); }
  [[nodiscard]] Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    const unsigned dimension = coordinates_.first_unfinished_from(
        head.route.first_dimension, coordinates_.of(node), coordinates_.target_of(head));
    return {port_of(dimension, head.route.sign(dimension)), 0};
  }

 private:
  Topology topology_;
  CoordinateTable coordinates_;
};

inline const std::vector<TopologyKind> kGrids{TopologyKind::torus, TopologyKind::mesh};

inline const RoutingRegistry::Entry without_dateline{{
    .name = "dimension-order-without-dateline",
    .summary = "dimension-order with one class of virtual channels",
    .source = "these tests",
    .topologies = kGrids,
    .make = [](const Topology& topology) { return std::make_unique<WithoutDateline>(topology); },
}};

}  // namespace flitscope::reference
