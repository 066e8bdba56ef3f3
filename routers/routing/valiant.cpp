// Valiant's routing: in dimension order to a node drawn for each pair of nodes, and on from there.
#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope {
namespace {

/// Each part takes the shorter direction in every dimension; the upper half of the classes is for the second
/// part. A message that reaches its destination in the first part ends there.
class Valiant final : public DeterministicRouting {
 public:
  explicit Valiant(const Topology& topology) : topology_(topology), first_part_(topology.wraps() ? 2 : 1) {}

  unsigned classes() const override { return 2 * first_part_; }
  bool follows_routes() const override { return false; }

  void build_tables() override { coordinates_.build(topology_); }
  void prepare(Head& head, NodeId source) const override {
    head.prepared = random_intermediate(topology_, source, head.destination);
  }

  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const override {
    const auto drawn = static_cast<NodeId>(head.prepared);
    const bool second = node == drawn || arrival.channel_class >= first_part_;
    const Coordinates here = coordinates_.of(node);
    const Coordinates target = coordinates_.of(second ? head.destination : drawn);
    const unsigned k = coordinates_.first_unfinished(here, target);
    const Sign sign = topology_.shorter_direction(k, here[k], target[k]);
    return {port_of(k, sign),
            (second ? first_part_ : 0) + (first_part_ == 2 ? dateline_class(here[k], target[k], sign) : 0)};
  }

 private:
  Topology topology_;
  CoordinateTable coordinates_;
  unsigned first_part_;  ///< classes of the first part
};

const RoutingRegistry::Entry valiant_entry{{
    .name = "valiant",
    .summary = "in dimension order to a node drawn for each pair, and on from there; whatever the route",
    .source = "L. Valiant, G. Brebner: Universal schemes for parallel communication, 1981",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .minimal = false,
    .may_share_classes = false,
    .make = [](const Topology& topology) { return std::make_unique<Valiant>(topology); },
}};

}  // namespace
}  // namespace flitscope
