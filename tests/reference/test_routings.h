// Routing functions for tests: one that deadlocks, two that are adaptive, one with an intermediate node. Who
// includes this has them in the registry.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "routers/routing/coordinate_table.h"
#include "routers/routing/routing.h"

namespace flitscope::reference {

/// Dimension-order routing with one class of virtual channels: on a torus it deadlocks however many virtual
/// channels there are, and a head may take any of them.
class WithoutDateline final : public DeterministicRouting {
 public:
  explicit WithoutDateline(const Topology& topology) : topology_(topology) {}

  [[nodiscard]] unsigned classes() const override { return 1; }
  [[nodiscard]] ClassMask escape_classes() const override { return 0; }
  void build_tables() override { coordinates_.build(topology_); }
  void prepare(Head& head, NodeId /*source*/) const override { coordinates_.write_target(head); }
  [[nodiscard]] Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    const unsigned dimension = unfinished_dimension(topology_.dimensions(), coordinates_.of(node), head);
    return {port_of(dimension, head.route.sign(dimension)), 0};
  }
  [[nodiscard]] std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                                     Route /*route*/) const override {
    return std::nullopt;
  }

 private:
  Topology topology_;
  CoordinateTable coordinates_;
};

/// In any dimension that is not finished, in the direction of the route. With escape, the last class is for
/// that and the others are those of dimension-order routing, which is the last candidate.
class MinimalAdaptive final : public AdaptiveRouting {
 public:
  MinimalAdaptive(const Topology& topology, bool with_escape)
      : topology_(topology), torus_(topology.wraps()), with_escape_(with_escape) {}

  [[nodiscard]] unsigned classes() const override { return adaptive_class() + 1; }
  [[nodiscard]] ClassMask escape_classes() const override { return (ClassMask{1} << adaptive_class()) - 1; }
  void build_tables() override { coordinates_.build(topology_); }
  void prepare(Head& head, NodeId /*source*/) const override { coordinates_.write_target(head); }
  void add_candidates(NodeId node, Arrival /*arrival*/, const Head& head,
                      std::vector<Candidate>& candidates) const override {
    const std::uint32_t* const here = coordinates_.of(node);
    std::optional<Candidate> escape;
    for (unsigned dimension = 0; dimension < topology_.dimensions(); ++dimension) {
      if (here[dimension] == head.target[dimension]) continue;
      const Sign sign = head.route.sign(dimension);
      const unsigned port = port_of(dimension, sign);
      candidates.push_back({port, adaptive_class()});
      if (escape) continue;
      escape = Candidate{port, torus_ ? dateline_class(here[dimension], head.target[dimension], sign) : 0};
    }
    if (with_escape_) candidates.push_back(*escape);
  }
  [[nodiscard]] std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                                     Route /*route*/) const override {
    return std::nullopt;
  }

 private:
  [[nodiscard]] unsigned adaptive_class() const { return !with_escape_ ? 0 : torus_ ? 2 : 1; }

  Topology topology_;
  CoordinateTable coordinates_;
  bool torus_;
  bool with_escape_;
};

/// By way of a node that depends on source and destination, in dimension order there and on from there. The
/// class tells how far it has come: the upper half is for the second part.
class ByWayOf final : public DeterministicRouting {
 public:
  explicit ByWayOf(const Topology& topology) : topology_(topology), first_part_(topology.wraps() ? 2 : 1) {}

  [[nodiscard]] unsigned classes() const override { return 2 * first_part_; }
  void prepare(Head& head, NodeId source) const override {
    head.target[0] = (7 * source + 13 * head.destination) % topology_.nodes();
  }
  [[nodiscard]] Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const override {
    const bool second = node == head.target[0] || arrival.channel_class >= first_part_;
    const NodeId target = second ? head.destination : head.target[0];
    unsigned dimension = 0;
    while (topology_.coordinate(node, dimension) == topology_.coordinate(target, dimension)) ++dimension;
    const std::uint32_t from = topology_.coordinate(node, dimension);
    const std::uint32_t to = topology_.coordinate(target, dimension);
    const Sign sign = topology_.shorter_direction(dimension, from, to);
    return {port_of(dimension, sign),
            (second ? first_part_ : 0) + (first_part_ == 2 ? dateline_class(from, to, sign) : 0)};
  }
  [[nodiscard]] std::optional<std::string> objection(NodeId /*source*/, NodeId /*destination*/,
                                                     Route /*route*/) const override {
    return std::nullopt;
  }

 private:
  Topology topology_;
  unsigned first_part_;  ///< classes of the first part
};

inline const std::vector<TopologyKind> kGrids{TopologyKind::torus, TopologyKind::mesh};

inline const RoutingRegistry::Entry without_dateline{{
    .name = "dimension-order-without-dateline",
    .summary = "dimension-order with one class of virtual channels",
    .source = "these tests",
    .topologies = kGrids,
    .make = [](const Topology& topology) { return std::make_unique<WithoutDateline>(topology); },
}};

inline const RoutingRegistry::Entry minimal_adaptive{{
    .name = "minimal-adaptive",
    .summary = "any dimension that is not finished, with nothing against deadlock",
    .source = "these tests",
    .topologies = kGrids,
    .make = [](const Topology& topology) { return std::make_unique<MinimalAdaptive>(topology, false); },
}};

inline const RoutingRegistry::Entry minimal_adaptive_with_escape{{
    .name = "minimal-adaptive-with-escape",
    .summary = "any dimension that is not finished, or dimension-order in classes of its own",
    .source = "these tests",
    .topologies = kGrids,
    .make = [](const Topology& topology) { return std::make_unique<MinimalAdaptive>(topology, true); },
}};

inline const RoutingRegistry::Entry by_way_of{{
    .name = "by-way-of",
    .summary = "to some node in dimension order, and on from there",
    .source = "these tests",
    .topologies = kGrids,
    .minimal = false,
    .make = [](const Topology& topology) { return std::make_unique<ByWayOf>(topology); },
}};

}  // namespace flitscope::reference
