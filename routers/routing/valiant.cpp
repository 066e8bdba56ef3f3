// Valiant's routing and ROMM: in dimension order to an intermediate node, any or one between, drawn for each
// pair of nodes and draw, and on from there.
#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope {

namespace {

/// Each part takes the shorter direction in every dimension, of two equal ones that of the draw; the upper
/// half of the classes is for the second part. A message that reaches its destination in the first part ends
/// there.
class TwoPartRouting final : public WithoutRoutes<DeterministicRouting> {
 public:
  /// The node between a source and a destination.
  using Intermediate = NodeId (*)(const Topology& topology, NodeId source, NodeId destination,
                                  std::uint8_t draw);

  TwoPartRouting(const Topology& topology, Intermediate intermediate)
      : WithoutRoutes(topology), intermediate_(intermediate), first_part_(topology.wraps() ? 2 : 1) {}

  unsigned classes() const override { return 2 * first_part_; }

  void build_tables() override { coordinates_.build(topology()); }
  void prepare(Head& head, NodeId source) const override {
    const std::uint64_t between = intermediate_(topology(), source, head.destination, head.route.draw);
    head.prepared = std::uint64_t{ties_of(head.route.draw, topology())} << kNodeBits | between;
  }

  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const override {
    const auto drawn = static_cast<NodeId>(head.prepared);
    const bool second = node == drawn || arrival.channel_class >= first_part_;
    Candidate next = shortest_step(topology(), coordinates_, node, second ? head.destination : drawn, 0,
                                   static_cast<std::uint32_t>(head.prepared >> kNodeBits));
    if (second) next.channel_class += first_part_;
    return next;
  }

 private:
  CoordinateTable coordinates_;
  Intermediate intermediate_;
  unsigned first_part_;  ///< classes of the first part

  /// Of Head::prepared: the drawn node, below the directions of ties.
  static constexpr unsigned kNodeBits = 32;
};

const RoutingRegistry::Entry valiant_entry{over_drawn_nodes({
    .name = "valiant",
    .summary = "in dimension order to a node drawn for each pair, and on from there; whatever the route",
    .source = "L. Valiant, G. Brebner: Universal schemes for parallel communication, 1981",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .make =
        [](const Topology& topology) {
          return std::make_unique<TwoPartRouting>(topology, random_intermediate);
        },
})};

/// In every dimension as far as the digit of the pair's number says: one of 0 to the distance.
NodeId random_between(const Topology& topology, NodeId source, NodeId destination, std::uint8_t draw) {
  std::uint64_t number = number_of_pair(topology, source, destination, draw);
  NodeId node = source;
  for (unsigned k = 0; k < topology.dimensions(); ++k) {
    const std::uint32_t from = topology.coordinate(source, k);
    const std::uint32_t to = topology.coordinate(destination, k);
    const Sign sign = shorter_direction(topology, k, from, to, draw);
    const std::uint64_t choices = *topology.hops(k, from, to, sign) + std::uint64_t{1};
    node = topology.moved(node, k, sign, static_cast<std::uint32_t>(number % choices));
    number /= choices;
  }
  return node;
}

const RoutingRegistry::Entry romm_entry{over_drawn_nodes({
    .name = "romm",
    .summary = "shortest: in dimension order to a node drawn for each pair among those between, and on from "
               "there; whatever the route",
    .source = "T. Nesson, L. Johnsson: ROMM routing on mesh and torus networks, 1995",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .make =
        [](const Topology& topology) { return std::make_unique<TwoPartRouting>(topology, random_between); },
})};

}  // namespace

}  // namespace flitscope
