// Minimal adaptive routing: any unfinished dimension; can deadlock.
#include "routers/routing/coordinate_routing.h"

namespace flitscope {
namespace {

class MinimalAdaptive final : public CoordinateRouting {
 public:
  using CoordinateRouting::CoordinateRouting;

  unsigned classes() const override { return 1; }
  ClassMask escape_classes() const override { return 0; }

  void add_candidates(NodeId node, Arrival /*arrival*/, const Head& head,
                      std::vector<Candidate>& candidates) const override {
    const Coordinates here = coordinates(node);
    const Coordinates target = target_of(head);
    for (unsigned k = 0; k < dimensions(); ++k) {
      if (here[k] != target[k]) candidates.push_back({port_of(k, head.route.sign(k)), 0});
    }
  }
};

const RoutingRegistry::Entry minimal_adaptive_entry{{
    .name = "minimal-adaptive",
    .summary = "any dimension that is not finished, in the route's direction; can deadlock",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, Chapter 10",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .make = [](const Topology& topology) { return std::make_unique<MinimalAdaptive>(topology); },
}};

}  // namespace
}  // namespace flitscope
