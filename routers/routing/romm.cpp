// ROMM: in dimension order to a node drawn between source and destination, and on from there.
#include "routers/routing/two_part_routing.h"

namespace flitscope::romm {
namespace {

class Romm final : public TwoPartRouting {
 public:
  using TwoPartRouting::TwoPartRouting;

 private:
  /// In every dimension as far as the digit of the pair's number says: one of 0 to the distance.
  NodeId intermediate(NodeId source, NodeId destination) const override {
    std::uint64_t number = number_of_pair(topology(), source, destination);
    NodeId node = source;
    for (unsigned k = 0; k < topology().dimensions(); ++k) {
      const std::uint32_t from = topology().coordinate(source, k);
      const std::uint32_t to = topology().coordinate(destination, k);
      const Sign sign = topology().shorter_direction(k, from, to);
      const std::uint64_t choices = *topology().hops(k, from, to, sign) + std::uint64_t{1};
      node = topology().moved(node, k, sign, static_cast<std::uint32_t>(number % choices));
      number /= choices;
    }
    return node;
  }
};

const RoutingRegistry::Entry entry{{
    .name = "romm",
    .summary = "shortest: in dimension order to a node drawn for each pair among those between, and on from "
               "there; whatever the route",
    .source = "T. Nesson, L. Johnsson: ROMM routing on mesh and torus networks, 1995",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .minimal = false,
    .may_share_classes = false,
    .make = [](const Topology& topology) { return std::make_unique<Romm>(topology); },
}};

}  // namespace
}  // namespace flitscope::romm
