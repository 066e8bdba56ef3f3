// In dimension order to an intermediate node, and on from there.
#pragma once

#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// Each part takes the shorter direction in every dimension; the upper half of the classes is for the second
/// part. A message that reaches its destination in the first part ends there. A derived class says which node
/// is between.
class TwoPartRouting : public DeterministicRouting {
 public:
  explicit TwoPartRouting(const Topology& topology)
      : topology_(topology), first_part_(topology.wraps() ? 2 : 1) {}

  unsigned classes() const final { return 2 * first_part_; }
  bool follows_routes() const final { return false; }

  void build_tables() final { coordinates_.build(topology_); }
  void prepare(Head& head, NodeId source) const final {
    head.prepared = intermediate(source, head.destination);
  }

  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const final {
    const auto drawn = static_cast<NodeId>(head.prepared);
    const bool second = node == drawn || arrival.channel_class >= first_part_;
    const Coordinates here = coordinates_.of(node);
    const Coordinates target = coordinates_.of(second ? head.destination : drawn);
    const unsigned k = coordinates_.first_unfinished(here, target);
    const Sign sign = topology_.shorter_direction(k, here[k], target[k]);
    return {port_of(k, sign),
            (second ? first_part_ : 0) + (first_part_ == 2 ? dateline_class(here[k], target[k], sign) : 0)};
  }

 protected:
  [[nodiscard]] virtual NodeId intermediate(NodeId source, NodeId destination) const = 0;
  [[nodiscard]] const Topology& topology() const { return topology_; }

 private:
  Topology topology_;
  CoordinateTable coordinates_;
  unsigned first_part_;  ///< classes of the first part
};

}  // namespace flitscope
