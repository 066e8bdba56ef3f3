// O1TURN: one turn at most, from either dimension to the other; each pair of nodes draws one of the two.
#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope {

namespace {

/// Each order of dimensions has classes of its own, in which messages are in dimension order.
class O1Turn final : public WithoutRoutes<DeterministicRouting> {
 public:
  explicit O1Turn(const Topology& topology) : WithoutRoutes(topology), of_order_(topology.wraps() ? 2 : 1) {}

  unsigned classes() const override { return topology().dimensions() * of_order_; }

  void build_tables() override { coordinates_.build(topology()); }
  /// The dimension that comes first, below the directions of ties.
  void prepare(Head& head, NodeId source) const override {
    const std::uint64_t number = number_of_pair(topology(), source, head.destination, head.route.draw);
    head.prepared =
        std::uint64_t{ties_of(head.route.draw, topology())} << 1 | number % topology().dimensions();
  }
  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    const auto first = static_cast<unsigned>(head.prepared & 1);
    Candidate next = shortest_step(topology(), coordinates_, node, head.destination, first,
                                   static_cast<std::uint32_t>(head.prepared >> 1));
    next.channel_class += first * of_order_;
    return next;
  }

 private:
  CoordinateTable coordinates_;
  unsigned of_order_;  ///< classes of one order
};

const RoutingRegistry::Entry o1turn_entry{{
    .name = "o1turn",
    .summary =
        "shortest, dimension 0 or 1 first, as drawn for each pair, in classes of its own; whatever the route",
    .source = "D. Seo, A. Ali, W. Lim, N. Rafique, M. Thottethodi: Near-optimal worst-case throughput "
              "routing for two-dimensional mesh networks, 2005",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .max_dimensions = 2,
    .minimal = false,
    .draws_paths = true,
    .make = [](const Topology& topology) { return std::make_unique<O1Turn>(topology); },
}};

}  // namespace

}  // namespace flitscope
