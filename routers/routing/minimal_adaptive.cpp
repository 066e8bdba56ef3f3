// Minimal adaptive routing on tori and meshes: any unfinished dimension, which can deadlock; and Duato's,
// with dimension-order routing as the escape.
#include "routers/routing/coordinate_routing.h"

namespace flitscope {

namespace {

/// Any unfinished dimension in the last class; with an escape, dimension-order routing in the others.
class MinimalAdaptive final : public CoordinateRouting {
 public:
  MinimalAdaptive(const Topology& topology, bool has_escape)
      : CoordinateRouting(topology),
        adaptive_class_(!has_escape ? 0
                        : wraps()   ? 2
                                    : 1) {}

  unsigned classes() const override { return adaptive_class_ + 1; }
  ClassMask escape_classes() const override { return (ClassMask{1} << adaptive_class_) - 1; }

  void add_candidates(NodeId node, Arrival /*arrival*/, const Head& head,
                      std::vector<Candidate>& candidates) const override {
    const Coordinates here = coordinates(node);
    const Coordinates target = target_of(head);
    std::optional<Candidate> escape;
    for (unsigned k = 0; k < dimensions(); ++k) {
      if (here[k] == target[k]) continue;
      const Sign sign = head.route.sign(k);
      const unsigned port = port_of(k, sign);
      candidates.push_back({port, adaptive_class_});
      if (!escape) escape = Candidate{port, wraps() ? dateline_class(here[k], target[k], sign) : 0};
    }
    if (adaptive_class_ > 0) candidates.push_back(*escape);
  }

 private:
  unsigned adaptive_class_;
};

const RoutingRegistry::Entry minimal_adaptive_entry{{
    .name = "minimal-adaptive",
    .summary = "any dimension that is not finished, in the route's direction; can deadlock",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, Chapter 10",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .make = [](const Topology& topology) { return std::make_unique<MinimalAdaptive>(topology, false); },
}};

const RoutingRegistry::Entry duato_entry{{
    .name = "duato",
    .summary =
        "minimal, adaptive: any dimension in the last class, dimension-order in the others to escape by",
    .source = "J. Duato: A new theory of deadlock-free adaptive routing in wormhole networks, 1993",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .make = [](const Topology& topology) { return std::make_unique<MinimalAdaptive>(topology, true); },
}};

}  // namespace

}  // namespace flitscope
