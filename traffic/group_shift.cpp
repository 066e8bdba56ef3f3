// group-shift: every node to the nodes of the group at one distance, at random.
#include <fmt/format.h>

#include <span>
#include <utility>

#include "model/error.h"
#include "model/node_set.h"
#include "traffic/traffic_pattern.h"

namespace flitscope::traffic_group_shift {
namespace {

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

const TrafficRegistry::Entry entry{{
    .name = "group-shift",
    .summary =
        "to the nodes of the group `groups` groups on, all equally often: the adversary of minimal routing "
        "on dragonflies",
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
          if (distance % groups.count() == 0) {
            throw Inadmissible(in.section + ".groups", "must lead to another one of the {} groups, so not {}",
                               groups.count(), distance);
          }
          return std::make_unique<GroupShift>(std::move(groups), static_cast<std::uint32_t>(distance));
        },
}};

}  // namespace
}  // namespace flitscope::traffic_group_shift
