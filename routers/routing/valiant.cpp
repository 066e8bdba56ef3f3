// Valiant's routing and ROMM: in dimension order to an intermediate node, any or one between, drawn for each
// pair of nodes, and on from there.
#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope {

namespace {

/// Each part takes the shorter direction in every dimension; the upper half of the classes is for the second
/// part. A message that reaches its destination in the first part ends there. A derived class says which node
/// is between.
class TwoPartRouting : public WithoutRoutes<DeterministicRouting> {
 public:
  explicit TwoPartRouting(const Topology& topology)
      : WithoutRoutes(topology), first_part_(topology.wraps() ? 2 : 1) {}

  unsigned classes() const final { return 2 * first_part_; }

  void build_tables() final { coordinates_.build(topology()); }
  void prepare(Head& head, NodeId source) const final {
    head.prepared = intermediate(source, head.destination);
  }

  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const final {
    const auto drawn = static_cast<NodeId>(head.prepared);
    const bool second = node == drawn || arrival.channel_class >= first_part_;
    const Coordinates here = coordinates_.of(node);
    const Coordinates target = coordinates_.of(second ? head.destination : drawn);
    const unsigned k = coordinates_.first_unfinished(here, target);
    const Sign sign = topology().shorter_direction(k, here[k], target[k]);
    return {port_of(k, sign),
            (second ? first_part_ : 0) + (first_part_ == 2 ? dateline_class(here[k], target[k], sign) : 0)};
  }

 protected:
  [[nodiscard]] virtual NodeId intermediate(NodeId source, NodeId destination) const = 0;

 private:
  CoordinateTable coordinates_;
  unsigned first_part_;  ///< classes of the first part
};

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

const RoutingRegistry::Entry romm_entry{{
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

}  // namespace flitscope
