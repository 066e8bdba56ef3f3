// Dimension-order routing on tori and meshes: from a fixed first dimension, with the class of a message by
// what is ahead of it in a ring or by whether it has passed the dateline; from any dimension; or with one
// class for a message in all of a ring.
#include <fmt/format.h>

#include "routers/routing/coordinate_routing.h"
#include "routers/routing/routing.h"

namespace flitscope {

namespace {

/// Base of functions in which messages start in the topology's first dimension.
class FromFirstDimension : public OrderedRouting {
 public:
  FromFirstDimension(const Topology& topology, const char* name)
      : OrderedRouting(topology), first_(topology.first_dimension()), name_(name) {}

  unsigned classes() const final { return wraps() ? 2 : 1; }
  std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/, Route route) const final {
    if (route.first_dimension == first_) return std::nullopt;
    return fmt::format("{} routing starts in dimension {}, not {}", name_, first_, route.first_dimension);
  }

 protected:
  [[nodiscard]] unsigned first() const { return first_; }

 private:
  unsigned first_;
  const char* name_;
};

template <bool kFromZero>
class DimensionOrder final : public FromFirstDimension {
 public:
  explicit DimensionOrder(const Topology& topology) : FromFirstDimension(topology, "dimension-order") {}

  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    const Coordinates here = coordinates(node);
    const Coordinates target = target_of(head);
    const unsigned dimension = kFromZero ? table().first_unfinished(here, target)
                                         : table().first_unfinished_from(first(), here, target);
    const Sign sign = head.route.sign(dimension);
    return {port_of(dimension, sign),
            wraps() ? dateline_class(here.scaled(dimension), target.scaled(dimension), sign) : 0};
  }
};

const RoutingRegistry::Entry dimension_order_entry{{
    .name = "dimension-order",
    .summary = "dimensions one after the other, 0 first; a direction per dimension",
    .source =
        "W. Dally, C. Seitz: Deadlock-free message routing in multiprocessor interconnection networks, 1987",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .reads_first_dimension = true,
    .make = [](const Topology& topology) -> std::unique_ptr<RoutingFunction> {
      if (topology.first_dimension() == 0) return std::make_unique<DimensionOrder<true>>(topology);
      return std::make_unique<DimensionOrder<false>>(topology);
    },
}};

/// The dateline of a ring is node 0 in the direction of the message, n-1 in direction -. A message has class
/// 0 in a ring until it leaves the dateline, then class 1.
class PassedDateline final : public FromFirstDimension {
 public:
  explicit PassedDateline(const Topology& topology) : FromFirstDimension(topology, "passed-dateline") {}

  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const override {
    const Coordinates here = coordinates(node);
    const unsigned dimension = table().first_unfinished_from(first(), here, target_of(head));
    const Sign sign = head.route.sign(dimension);
    const unsigned port = port_of(dimension, sign);
    if (!wraps()) return {port, 0};
    const std::uint32_t dateline = sign == Sign::plus ? 0 : topology().sides()[dimension] - 1;
    const bool has_passed = arrival.port == port && arrival.channel_class == 1;
    return {port, has_passed || here[dimension] == dateline ? 1U : 0U};
  }
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

// Cyclic dimension-order routing: any first dimension, then cyclically the others.

class CyclicDimensionOrder final : public OrderedRouting {
 public:
  using OrderedRouting::OrderedRouting;

  unsigned classes() const override { return wraps() ? 4 : 2; }

  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    const Coordinates here = coordinates(node);
    const Coordinates target = target_of(head);
    const unsigned dimension = table().first_unfinished_from(head.route.first_dimension, here, target);
    const Sign sign = head.route.sign(dimension);
    const unsigned lap = dimension < head.route.first_dimension ? 1 : 0;
    return {port_of(dimension, sign),
            wraps() ? 2 * lap + dateline_class(here.scaled(dimension), target.scaled(dimension), sign) : lap};
  }

  std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                       Route route) const override {
    if (route.first_dimension < dimensions()) return std::nullopt;
    return "the first dimension must be 0 to " + std::to_string(dimensions() - 1);
  }
};

const RoutingRegistry::Entry cyclic_dimension_order_entry{{
    .name = "cyclic-dimension-order",
    .summary = "dimensions one after the other, cyclically from any first",
    .source = "Tsay and Wang, Section 2",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .reads_first_dimension = true,
    .make = [](const Topology& topology) { return std::make_unique<CyclicDimensionOrder>(topology); },
}};

// Dimension-order routing in the shorter direction, with one class for a message in all of a ring.

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
    .summary = "dimension-order in the shorter direction; in all of a ring a message has one class, by "
               "whether it passes the dateline",
    .source = "W. Dally, B. Towles: Principles and Practices of Interconnection Networks, 2004, Section 14.2",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .make = [](const Topology& topology) { return std::make_unique<StaticDateline>(topology); },
}};

}  // namespace

}  // namespace flitscope
