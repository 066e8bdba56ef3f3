// Dimension-order routing in the shorter direction, with one class for a message in all of a ring.
#include <fmt/format.h>

#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope {
namespace {

/// Class 0 if the message passes the dateline of the ring, else 1. Both are used on either side of the
/// dateline. No dependency cycle: messages of class 1 never pass the dateline, and those of class 0, which
/// travel at most half of the ring, begin in one half and end in the other.
class StaticDateline final : public OrderedRouting {
 public:
  using OrderedRouting::OrderedRouting;

  unsigned classes() const override { return wraps() ? 2 : 1; }
  bool shorter_ways_only() const override { return true; }

  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const override {
    const Coordinates here = coordinates(node);
    const Coordinates target = target_of(head);
    const unsigned dimension = table().first_unfinished(here, target);
    const Sign sign = head.route.sign(dimension);
    const unsigned port = port_of(dimension, sign);
    if (!wraps()) return {port, 0};
    if (arrival.port == port) return {port, arrival.channel_class};
    return {port, dateline_class(here.scaled(dimension), target.scaled(dimension), sign)};
  }

  std::optional<std::string> objection(NodeId source, NodeId destination, Route route) const override {
    if (route.first_dimension != 0) {
      return fmt::format("static-dateline starts in dimension 0, not {}", route.first_dimension);
    }
    for (unsigned dimension = 0; wraps() && dimension < dimensions(); ++dimension) {
      const std::uint32_t side = topology().sides()[dimension];
      const std::uint32_t from = topology().coordinate(source, dimension);
      const std::uint32_t to = topology().coordinate(destination, dimension);
      const bool plus = route.sign(dimension) == Sign::plus;
      const std::uint32_t links = (plus ? to + side - from : from + side - to) % side;
      if (2 * std::uint64_t{links} <= side) continue;
      return fmt::format(
          "static-dateline takes the shorter direction in a ring of {}, not {} links in dimension {}", side,
          links, dimension);
    }
    return std::nullopt;
  }
};

const RoutingRegistry::Entry static_dateline_entry{{
    .name = "static-dateline",
    .summary =
        "dimension-order in the shorter direction; in all of a ring a message has one class, by whether it "
        "passes the dateline",
    .source = "W. Dally, B. Towles: Principles and Practices of Interconnection Networks, 2004, Section 14.2",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .make = [](const Topology& topology) { return std::make_unique<StaticDateline>(topology); },
}};

}  // namespace
}  // namespace flitscope
