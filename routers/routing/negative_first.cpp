// Negative-first routing: first the dimensions in which a message goes in direction -, in any order, then
// those in which it goes in direction +, in any order.
#include "routers/routing/coordinate_table.h"
#include "routers/routing/routing.h"

namespace flitscope::negative_first {
namespace {

class NegativeFirst final : public AdaptiveRouting {
 public:
  explicit NegativeFirst(const Topology& topology) : topology_(topology) {}

  unsigned classes() const override { return 1; }
  /// No turn leads from direction + to direction -, so no circle closes.
  ClassMask escape_classes() const override { return 1; }

  void build_tables() override { coordinates_.build(topology_); }
  void prepare(Head& head, NodeId /*source*/) const override { coordinates_.write_target(head); }

  void add_candidates(NodeId node, Arrival /*arrival*/, const Head& head,
                      std::vector<Candidate>& candidates) const override {
    const std::uint32_t* const here = coordinates_.of(node);
    bool negative = false;
    for (unsigned k = 0; k < topology_.dimensions(); ++k) {
      if (head.target[k] >= here[k]) continue;
      candidates.push_back({port_of(k, Sign::minus), 0});
      negative = true;
    }
    for (unsigned k = 0; k < topology_.dimensions() && !negative; ++k) {
      if (head.target[k] > here[k]) candidates.push_back({port_of(k, Sign::plus), 0});
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
    .name = "negative-first",
    .summary = "minimal, adaptive: direction - in any order of dimensions, then direction + in any order",
    .source = "C. Glass, L. Ni: The turn model for adaptive routing, 1992",
    .topologies = {TopologyKind::mesh},
    .make = [](const Topology& topology) { return std::make_unique<NegativeFirst>(topology); },
}};

}  // namespace
}  // namespace flitscope::negative_first
