// Negative-first routing: first the dimensions in which a message goes in direction -, in any order, then
// those in which it goes in direction +, in any order.
#include "routers/routing/coordinate_routing.h"

namespace flitscope::negative_first {
namespace {

class NegativeFirst final : public CoordinateRouting {
 public:
  using CoordinateRouting::CoordinateRouting;

  unsigned classes() const override { return 1; }
  /// No turn leads from direction + to direction -, so no dependency cycle closes.
  ClassMask escape_classes() const override { return 1; }

  void add_candidates(NodeId node, Arrival /*arrival*/, const Head& head,
                      std::vector<Candidate>& candidates) const override {
    const Coordinates here = coordinates(node);
    const Coordinates target = target_of(head);
    bool negative = false;
    for (unsigned k = 0; k < dimensions(); ++k) {
      if (target[k] >= here[k]) continue;
      candidates.push_back({port_of(k, Sign::minus), 0});
      negative = true;
    }
    for (unsigned k = 0; k < dimensions() && !negative; ++k) {
      if (target[k] > here[k]) candidates.push_back({port_of(k, Sign::plus), 0});
    }
  }
};

const RoutingRegistry::Entry entry{{
    .name = "negative-first",
    .summary = "minimal, adaptive: direction - in any order of dimensions, then direction + in any order",
    .source = "C. Glass, L. Ni: The turn model for adaptive routing, 1992",
    .topologies = {TopologyKind::mesh},
    .make = [](const Topology& topology) { return std::make_unique<NegativeFirst>(topology); },
}};

}  // namespace
}  // namespace flitscope::negative_first
