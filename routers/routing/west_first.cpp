// West-first routing on meshes of two dimensions: first all the way in direction - of dimension 0, then in
// any order of dimensions.
#include "routers/routing/coordinate_routing.h"

namespace flitscope::west_first {
namespace {

class WestFirst final : public CoordinateRouting {
 public:
  using CoordinateRouting::CoordinateRouting;

  unsigned classes() const override { return 1; }
  /// No turn leads to direction -0, which every dependency cycle of a mesh needs.
  ClassMask escape_classes() const override { return 1; }

  void add_candidates(NodeId node, Arrival /*arrival*/, const Head& head,
                      std::vector<Candidate>& candidates) const override {
    const Coordinates here = coordinates(node);
    const Coordinates target = target_of(head);
    if (target[0] < here[0]) return candidates.push_back({port_of(0, Sign::minus), 0});
    for (unsigned k = 0; k < dimensions(); ++k) {
      if (target[k] == here[k]) continue;
      candidates.push_back({port_of(k, target[k] > here[k] ? Sign::plus : Sign::minus), 0});
    }
  }
};

const RoutingRegistry::Entry entry{{
    .name = "west-first",
    .summary = "minimal, adaptive: direction -0 first, then any order of dimensions",
    .source = "C. Glass, L. Ni: The turn model for adaptive routing, 1992",
    .topologies = {TopologyKind::mesh},
    .max_dimensions = 2,
    .make = [](const Topology& topology) { return std::make_unique<WestFirst>(topology); },
}};

}  // namespace
}  // namespace flitscope::west_first
