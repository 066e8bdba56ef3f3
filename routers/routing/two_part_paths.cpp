#include "routers/routing/two_part_paths.h"

#include "routers/routing/coordinate_routing.h"
#include "routers/routing/dragonfly_routes.h"
#include "routers/routing/grid_steps.h"

namespace flitscope {

namespace {

/// In dimension order, the shorter direction in every dimension.
class GridPaths final : public TwoPartPaths {
 public:
  explicit GridPaths(const Topology& topology) : topology_(topology), classes_(topology.wraps() ? 2 : 1) {}

  unsigned first_classes() const override { return classes_; }
  unsigned second_classes() const override { return classes_; }
  void build_tables() override { coordinates_.build(topology_); }
  std::uint32_t place(NodeId node) const override { return node; }
  bool is_leaf(NodeId /*node*/) const override { return false; }
  Candidate first(NodeId node, NodeId between) const override { return second(node, between); }
  Candidate second(NodeId node, NodeId destination) const override {
    const Coordinates here = coordinates_.of(node);
    const Coordinates target = coordinates_.of(destination);
    const unsigned k = coordinates_.first_unfinished(here, target);
    const Sign sign = topology_.shorter_direction(k, here[k], target[k]);
    return {port_of(k, sign), classes_ == 2 ? dateline_class(here[k], target[k], sign) : 0};
  }

 private:
  Topology topology_;
  CoordinateTable coordinates_;
  unsigned classes_;
};

/// In dimension order, one link in each.
class HyperXPaths final : public TwoPartPaths {
 public:
  explicit HyperXPaths(const Topology& topology) : topology_(topology) {}

  unsigned first_classes() const override { return 1; }
  unsigned second_classes() const override { return 1; }
  void build_tables() override {
    if (steps_ == nullptr) steps_ = std::make_unique<const GridSteps>(topology_);
  }
  std::uint32_t place(NodeId node) const override { return steps_->routers().core_of(node); }
  bool is_leaf(NodeId node) const override { return steps_->routers().is_leaf(node); }
  Candidate first(NodeId node, NodeId between) const override { return second(node, between); }
  Candidate second(NodeId node, NodeId destination) const override {
    return {steps_->next(node, destination), 0};
  }

 private:
  Topology topology_;
  std::unique_ptr<const GridSteps> steps_;
};

/// Minimal paths to the group of the intermediate node, where the first part ends behind the global link. In
/// the second part the links of the destination's group have a class of their own, the higher one.
class DragonflyPaths final : public TwoPartPaths {
 public:
  explicit DragonflyPaths(const Topology& topology) : topology_(topology) {}

  unsigned first_classes() const override { return 1; }
  unsigned second_classes() const override { return 2; }
  void build_tables() override { table_ = dragonfly_routes(topology_); }
  std::uint32_t place(NodeId node) const override { return dragonfly_group(topology_, node); }
  bool is_leaf(NodeId node) const override { return table_->is_leaf(node); }
  Candidate first(NodeId node, NodeId between) const override { return {table_->next(node, between), 0}; }
  Candidate second(NodeId node, NodeId destination) const override {
    return {table_->next(node, destination), place(node) == place(destination) ? 1U : 0U};
  }

 private:
  Topology topology_;
  std::shared_ptr<const RouteTable> table_;
};

}  // namespace

std::unique_ptr<TwoPartPaths> two_part_paths(const Topology& topology) {
  if (topology.graph() == nullptr) return std::make_unique<GridPaths>(topology);
  if (topology.graph()->family() == "dragonfly") return std::make_unique<DragonflyPaths>(topology);
  return std::make_unique<HyperXPaths>(topology);
}

}  // namespace flitscope
