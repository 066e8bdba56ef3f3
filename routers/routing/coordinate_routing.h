// What adaptive functions on tori and meshes have in common: they look at where a head is and where it goes.
#pragma once

#include "routers/routing/coordinate_table.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// Derive from it and say classes(), escape_classes() and add_candidates(). Every route is admitted.
class CoordinateRouting : public AdaptiveRouting {
 public:
  explicit CoordinateRouting(const Topology& topology) : topology_(topology) {}

  void build_tables() final { coordinates_.build(topology_); }
  void prepare(Head& head, NodeId /*source*/) const final { coordinates_.write_target(head); }

 protected:
  [[nodiscard]] unsigned dimensions() const { return topology_.dimensions(); }
  /// The coordinates of a node, and of a head's destination.
  [[nodiscard]] Coordinates coordinates(NodeId node) const { return coordinates_.of(node); }
  [[nodiscard]] Coordinates target_of(const Head& head) const { return coordinates_.target_of(head); }

 private:
  Topology topology_;
  CoordinateTable coordinates_;
};

}  // namespace flitscope
