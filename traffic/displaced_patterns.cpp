// Patterns that send a fixed distance on: neighbour and tornado in every dimension, group-shift by groups.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/node_set.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::displaced_patterns {

namespace {

/// Coordinate x of dimension k goes to x + offsets[k], modulo the side.
std::unique_ptr<TrafficPattern> displaced(const Topology& topology,
                                          const std::vector<std::uint32_t>& offsets) {
  return std::make_unique<FixedPattern>(topology.nodes(), [&](NodeId node) {
    std::vector<std::uint32_t> at = topology.coordinates(node);
    for (std::size_t k = 0; k < at.size(); ++k) at[k] = (at[k] + offsets[k]) % topology.sides()[k];
    return topology.node(at);
  });
}

// neighbour: one node onwards in every dimension.

const TrafficRegistry::Entry neighbour_entry{{
    .name = "neighbour",
    .summary = "coordinate x of a side n to x + 1 modulo n, in every dimension",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "any",
    .make =
        [](const PatternInput& in) {
          return displaced(in.topology, std::vector<std::uint32_t>(in.topology.dimensions(), 1));
        },
}};

// tornado: nearly half way around, in every dimension.

/// Coordinate x of a side n goes to x + ceil(n / 2) - 1 modulo n: the farthest way that leads all messages in
/// the same direction around.
std::unique_ptr<TrafficPattern> make_tornado(const PatternInput& in) {
  constexpr std::uint32_t kLeastSide = 3;
  if (std::ranges::all_of(in.topology.sides(), [](std::uint32_t side) { return side < kLeastSide; })) {
    throw Inadmissible(nodes_key(in.topology),
                       "tornado needs a side of at least {}: on the {} every node would send to itself",
                       kLeastSide, in.topology.name());
  }
  std::vector<std::uint32_t> offsets;
  for (const std::uint32_t side : in.topology.sides()) offsets.push_back((side + 1) / 2 - 1);
  return displaced(in.topology, offsets);
}

const TrafficRegistry::Entry tornado_entry{{
    .name = "tornado",
    .summary = "coordinate x of a side n to x + ceil(n / 2) - 1 modulo n, in every dimension",
    .source = "W. Dally, B. Towles: Principles and practices of interconnection networks, 2004, section 3.2",
    .admissible = "a side of at least 3",
    .make = make_tornado,
}};

// group-shift: every node to the nodes of the group at one distance, at random.

class GroupShift final : public TrafficPattern {
 public:
  GroupShift(NodeGroups groups, std::uint32_t distance)
      : groups_(std::move(groups)), distance_(distance), group_of_(groups_.order().size()) {
    for (std::uint32_t group = 0; group < groups_.count(); ++group) {
      for (const NodeId node : groups_[group]) group_of_[node] = group;
    }
  }

  NodeId destination(NodeId source, std::uint64_t /*index*/, RandomStream& random) const override {
    const auto nodes = destinations(source);
    return nodes[random.below(nodes.size())];
  }
  void for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const override {
    const auto nodes = destinations(source);
    for (const NodeId node : nodes) visit(node, 1.0 / static_cast<double>(nodes.size()));
  }

 private:
  [[nodiscard]] std::span<const NodeId> destinations(NodeId source) const {
    return groups_[(group_of_[source] + distance_) % groups_.count()];
  }

  NodeGroups groups_;
  std::uint32_t distance_;
  std::vector<std::uint32_t> group_of_;  ///< by node
};

const TrafficRegistry::Entry group_shift_entry{{
    .name = "group-shift",
    .summary = "to the nodes of the group `groups` groups on, all equally often: the adversary of minimal "
               "routing on dragonflies",
    .source =
        "J. Kim, W. Dally, S. Scott, D. Abts: Technology-driven, highly-scalable dragonfly topology, 2008",
    .admissible = "two groups at least",
    .parameters = {Parameter::integer("groups",
                                      "groups between source and destination, in the order of their numbers",
                                      {1, std::int64_t{1} << 31}, "groups")
                       .or_else("1")},
    .make =
        [](const PatternInput& in) {
          NodeGroups groups(in.topology);
          const std::int64_t distance = in.values.integer("groups");
          refuse_if(distance % groups.count() == 0, in.section + ".groups",
                    "{}.groups must lead to another one of the {} groups, so not {}", in.section,
                    groups.count(), distance);
          return std::make_unique<GroupShift>(std::move(groups), static_cast<std::uint32_t>(distance));
        },
}};

}  // namespace

}  // namespace flitscope::displaced_patterns
