// The flows that an analysis looks at, and all paths that they can take, by groups of virtual channels.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/route.h"
#include "model/topology.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// Messages from one node to another by one route.
struct Flow {
  NodeId source = 0;
  NodeId destination = 0;
  Route route;
  /// Number of a schedule's message (message_id); 0 if the flow is of none.
  std::uint64_t message = 0;
  /// 0: any length.
  std::uint64_t flits = 0;
};

/// Calls the function given for one flow after the other, until it returns false.
using Flows = std::function<void(const std::function<bool(const Flow&)>&)>;

/// From every node to every other by all routes that the routing function admits.
[[nodiscard]] Flows every_pair(const Topology& topology, const RoutingFunction& routing);

/// Groups of the virtual channels of a link that no message can tell apart: those of one class, or one that
/// several classes share. What waits for one VC of a group waits for all of them. Groups are numbered channel
/// by channel; `group` is such a number.
class VcGroups {
 public:
  VcGroups(const Topology& topology, unsigned classes, unsigned virtual_channels)
      : count_(std::min(classes, virtual_channels)),
        ports_(topology.link_ports()),
        vcs_(count_),
        group_of_(classes),
        lowest_class_(count_) {
    const std::vector<std::uint64_t> masks = class_masks(classes, virtual_channels);
    for (unsigned c = classes; c-- > 0;) {
      group_of_[c] = virtual_channels < classes ? static_cast<unsigned>(std::countr_zero(masks[c])) : c;
      vcs_[group_of_[c]] = masks[c];
      lowest_class_[group_of_[c]] = c;
    }
  }

  /// Groups of a channel, and of a router.
  [[nodiscard]] unsigned of_channel() const { return count_; }
  [[nodiscard]] unsigned of_router() const { return count_ * ports_; }
  /// Whether several classes share a group.
  [[nodiscard]] bool shared() const { return count_ < group_of_.size(); }

  [[nodiscard]] std::uint64_t number(ChannelId channel, unsigned channel_class) const {
    return channel * count_ + group_of_[channel_class];
  }
  [[nodiscard]] ChannelId channel(std::uint64_t group) const { return group / count_; }
  [[nodiscard]] NodeId node(std::uint64_t group) const {
    return static_cast<NodeId>(channel(group) / ports_);
  }
  [[nodiscard]] unsigned port(std::uint64_t group) const {
    return static_cast<unsigned>(channel(group) % ports_);
  }
  /// The lowest class of a group, which is what a routing function sees.
  [[nodiscard]] unsigned lowest_class(std::uint64_t group) const { return lowest_class_[group % count_]; }
  /// Virtual channels: bit v for VC v.
  [[nodiscard]] std::uint64_t vcs(std::uint64_t group) const { return vcs_[group % count_]; }
  [[nodiscard]] unsigned width(std::uint64_t group) const {
    return static_cast<unsigned>(std::popcount(vcs(group)));
  }

 private:
  unsigned count_;
  unsigned ports_;
  std::vector<std::uint64_t> vcs_;      ///< by group of a channel
  std::vector<unsigned> group_of_;      ///< by class
  std::vector<unsigned> lowest_class_;  ///< by group of a channel
};

/// Follows messages along the candidates of a routing function.
class PathEnumerator {
 public:
  /// `routing` must serve the topology.
  PathEnumerator(const Topology& topology, const Routing& routing, unsigned virtual_channels);

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] const RoutingFunction& routing() const { return *routing_; }
  [[nodiscard]] const VcGroups& groups() const { return groups_; }
  /// The router that a group's channel leads to.
  [[nodiscard]] NodeId end(std::uint64_t group) const { return end_[groups_.channel(group)]; }

  [[nodiscard]] Head head(const Flow& flow) const;

  /// Forgets the messages followed before: nothing of the next one is left out.
  void restart() { head_.reset(); }
  /// Calls visit(before, next) for every router where a message of this flow can ask for a virtual channel:
  /// `before` is the group that its head holds, nothing at the source; `next` are the groups that it can ask
  /// for, the best first. After a message with an equal head, what that one has visited behind its source is
  /// left out.
  template <typename Visit>
  void follow(const Flow& flow, Visit visit);
  /// All of it for all flows, from a restart on: calls visit(flow, before, next).
  template <typename Visit>
  void follow_all(const Flows& flows, Visit visit);

  /// The groups that a message can ask for at `node`, where it holds `before`, the best first.
  void find_next(std::optional<std::uint64_t> before, NodeId node, const Head& head,
                 std::vector<std::uint64_t>& next) const;
  /// The groups of a message alone in the network, in order: those of the first candidate everywhere.
  [[nodiscard]] std::vector<std::uint64_t> path(const Flow& flow) const;

 private:
  void begin(const Head& head);
  [[nodiscard]] Arrival arrival(std::optional<std::uint64_t> before) const;
  [[nodiscard]] std::uint64_t group(NodeId node, Candidate candidate) const {
    return groups_.number(topology_.channel(node, candidate.port), candidate.channel_class);
  }

  Topology topology_;
  std::unique_ptr<RoutingFunction> routing_;
  VcGroups groups_;
  std::vector<NodeId> end_;  ///< by channel
  bool deterministic_;
  // Of the message followed last, and others with the same head.
  std::optional<Head> head_;
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> stamps_;  ///< by group: it was visited with this head
  std::vector<std::uint64_t> open_;
  mutable std::vector<Candidate> candidates_;
  std::vector<std::uint64_t> next_;
};

template <typename Visit>
void PathEnumerator::follow(const Flow& flow, Visit visit) {
  const Head head = this->head(flow);
  begin(head);
  const auto follow_from = [&](std::optional<std::uint64_t> before, NodeId node) {
    find_next(before, node, head, next_);
    visit(before, std::span<const std::uint64_t>(next_));
    for (const std::uint64_t group : next_) {
      if (stamps_[group] == stamp_) continue;
      stamps_[group] = stamp_;
      if (end(group) != head.destination) open_.push_back(group);
    }
  };
  follow_from(std::nullopt, flow.source);
  while (!open_.empty()) {
    const std::uint64_t group = open_.back();
    open_.pop_back();
    follow_from(group, end(group));
  }
}

template <typename Visit>
void PathEnumerator::follow_all(const Flows& flows, Visit visit) {
  restart();
  flows([&](const Flow& flow) {
    follow(flow, [&](std::optional<std::uint64_t> before, std::span<const std::uint64_t> next) {
      visit(flow, before, next);
    });
    return true;
  });
}

}  // namespace flitscope
