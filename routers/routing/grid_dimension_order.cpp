// Dimension-order routing on families of networks that are grids, by coordinates, so that networks of any
// size need no table.
#include "routers/routing/grid_steps.h"
#include "routers/routing/routing.h"

namespace flitscope {

namespace {

class GridDimensionOrder final : public WithoutRoutes<DeterministicRouting> {
 public:
  using WithoutRoutes::WithoutRoutes;

  unsigned classes() const override { return 1; }
  NodesOfRouter nodes_of_router() const override { return NodesOfRouter::alike; }
  void build_tables() override {
    if (steps_ == nullptr) steps_ = std::make_unique<const GridSteps>(topology());
  }
  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    return {steps_->next(node, head.destination), 0};
  }

 private:
  std::unique_ptr<const GridSteps> steps_;
};

const RoutingRegistry::Entry grid_dimension_order_entry{{
    .name = "grid-dimension-order",
    .summary = "on a HyperX, flattened butterfly, concentrated mesh or mesh of chiplets: one dimension after "
               "the other, lowest first; one class",
    .source = "J. Ahn et al.: HyperX: topology, routing, and packaging of efficient large-scale networks, "
              "2009; W. Dally, B. Towles: Principles and practices of interconnection networks, 2004",
    .families = {"chiplets", "concentrated-mesh", "flattened-butterfly", "hyperx"},
    .minimal = false,
    .make = [](const Topology& topology) { return std::make_unique<GridDimensionOrder>(topology); },
}};

}  // namespace

}  // namespace flitscope
