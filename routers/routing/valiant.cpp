// Valiant's routing: in dimension order to a node drawn for each pair of nodes, and on from there.
#include "routers/routing/two_part_routing.h"

namespace flitscope {
namespace {

class Valiant final : public TwoPartRouting {
 public:
  using TwoPartRouting::TwoPartRouting;

 private:
  NodeId intermediate(NodeId source, NodeId destination) const override {
    return random_intermediate(topology(), source, destination);
  }
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
