// Dimension-order routing with the class of a message by whether it has passed the dateline of its ring.
#include <fmt/format.h>

#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope {
namespace {

/// The dateline of a ring is node 0 in the direction of the message, n-1 in direction -. A message has class
/// 0 in a ring until it leaves the dateline, then class 1.
class PassedDateline final : public OrderedRouting {
 public:
  explicit PassedDateline(const Topology& topology)
      : OrderedRouting(topology), first_(topology.first_dimension()) {}

  unsigned classes() const override { return wraps() ? 2 : 1; }

  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const override {
    const Coordinates here = coordinates(node);
    const unsigned dimension = table().first_unfinished_from(first_, here, target_of(head));
    const Sign sign = head.route.sign(dimension);
    const unsigned port = port_of(dimension, sign);
    if (!wraps()) return {port, 0};
    const std::uint32_t dateline = sign == Sign::plus ? 0 : topology().sides()[dimension] - 1;
    const bool has_passed = arrival.port == port && arrival.channel_class == 1;
    return {port, has_passed || here[dimension] == dateline ? 1U : 0U};
  }

  std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                       Route route) const override {
    if (route.first_dimension == first_) return std::nullopt;
    return fmt::format("passed-dateline routing starts in dimension {}, not {}", first_,
                       route.first_dimension);
  }

 private:
  unsigned first_;
};

const RoutingRegistry::Entry passed_dateline_entry{{
    .name = "passed-dateline",
    .summary =
        "dimension-order; a message changes its class where it leaves node 0 of a ring, in its direction",
    .source = "W. Dally, C. Seitz: The torus routing chip, Distributed Computing 1, 1986",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .reads_first_dimension = true,
    .make = [](const Topology& topology) { return std::make_unique<PassedDateline>(topology); },
}};

}  // namespace
}  // namespace flitscope
