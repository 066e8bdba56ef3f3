// Minimal adaptive routing: in any dimension that is not finished, with nothing against deadlock.
#include "routers/routing/coordinate_table.h"
#include "routers/routing/routing.h"

namespace flitscope::minimal_adaptive {
namespace {

class MinimalAdaptive final : public AdaptiveRouting {
 public:
  explicit MinimalAdaptive(const Topology& topology) : topology_(topology) {}

  unsigned classes() const override { return 1; }
  ClassMask escape_classes() const override { return 0; }

  void build_tables() override { coordinates_.build(topology_); }
  void prepare(Head& head, NodeId /*source*/) const override { coordinates_.write_target(head); }

  void add_candidates(NodeId node, Arrival /*arrival*/, const Head& head,
                      std::vector<Candidate>& candidates) const override {
    const std::uint32_t* const here = coordinates_.of(node);
    for (unsigned k = 0; k < topology_.dimensions(); ++k) {
      if (here[k] != head.target[k]) candidates.push_back({port_of(k, head.route.sign(k)), 0});
    }
  }

  std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                       Route /*route*/) const override {
    return std::nullopt;
  }

 private:
  Topology topology_;
  CoordinateTable coordinates_;
};

const RoutingRegistry::Entry entry{{
    .name = "minimal-adaptive",
    .summary = "any dimension that is not finished, in the route's direction; can deadlock",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, Chapter 10",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .make = [](const Topology& topology) { return std::make_unique<MinimalAdaptive>(topology); },
}};

}  // namespace
}  // namespace flitscope::minimal_adaptive
