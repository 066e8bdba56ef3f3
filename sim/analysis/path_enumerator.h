// The flows that an analysis looks at, and all paths that they can take, by groups of virtual channels.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
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

/// From every node to every other by all routes that the routing function admits; of one that draws paths by
/// so many of them.
[[nodiscard]] Flows every_pair(const Topology& topology, const RoutingFunction& routing,
                               std::uint32_t drawn_paths = 1);

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
  [[nodiscard]] NodeId end(std::uint64_t group) const { return places_[group].router; }

  [[nodiscard]] Head head(const Flow& flow) const {
    Head head;
    head.destination = flow.destination;
    head.route = flow.route;
    routing_->prepare(head, flow.source);
    return head;
  }

  /// Forgets the messages followed before: nothing of the next one is left out.
  void restart() {
    head_.reset();
    open_.clear();
  }
  /// Calls visit(before, next) for every router where a message of this flow can ask for a virtual channel:
  /// `before` is the group that its head holds, nothing at the source; `next` are the groups that it can ask
  /// for, the best first. After a message with an equal head, what that one has visited behind its source is
  /// left out.
  template <typename Visit>
  void follow(const Flow& flow, Visit visit);
  /// All of it for all flows, from a restart on, those with equal heads that follow one another together:
  /// calls visit(head, before, next).
  template <typename Visit>
  void follow_all(const Flows& flows, Visit visit);

  /// The groups that a message can ask for where it holds the group `before`, or at its source, the best
  /// first.
  void find_next(std::optional<std::uint64_t> before, NodeId source, const Head& head,
                 std::vector<std::uint64_t>& next) const {
    find_next(before ? places_[*before] : places_[first_source_ + source], head, next);
  }
  /// The groups of a message alone in the network, in order: those of the first candidate everywhere.
  [[nodiscard]] std::vector<std::uint64_t> path(const Flow& flow) const;

 private:
  /// Where a head is that holds a group, or at its source. A table, since a group is divided several times to
  /// compute it.
  struct Place {
    NodeId router = kNoNode;
    Arrival arrival{};        ///< as the routing function sees it
    std::uint32_t stamp = 0;  ///< it was visited with the head of this number
  };

  void begin(const Head& head);
  template <typename Visit>
  void follow_open(Visit visit);
  void find_next(const Place& place, const Head& head, std::vector<std::uint64_t>& next) const;
  [[nodiscard]] std::uint64_t group(NodeId node, Candidate candidate) const {
    return groups_.number(topology_.channel(node, candidate.port), candidate.channel_class);
  }

  Topology topology_;
  std::unique_ptr<RoutingFunction> routing_;
  VcGroups groups_;
  std::uint64_t first_source_;
  std::vector<Place> places_;                  ///< by group, and from `first_source_` on by source
  const DeterministicRouting* deterministic_;  ///< the same function; nullptr if it is adaptive
  // Of the message followed last, and others with the same head.
  std::optional<Head> head_;
  std::uint32_t stamp_ = 0;
  std::vector<std::uint64_t> open_;  ///< places
  mutable std::vector<Candidate> candidates_;
  std::vector<std::uint64_t> next_;
};

template <typename Visit>
void PathEnumerator::follow(const Flow& flow, Visit visit) {
  const Head head = this->head(flow);
  if (head_ != head) begin(head);
  open_.push_back(first_source_ + flow.source);
  follow_open(visit);
}

template <typename Visit>
void PathEnumerator::follow_all(const Flows& flows, Visit visit) {
  restart();
  const auto visit_place = [&](std::optional<std::uint64_t> before, std::span<const std::uint64_t> next) {
    visit(*head_, before, next);
  };
  flows([&](const Flow& flow) {
    const Head head = this->head(flow);
    if (head_ != head) {
      follow_open(visit_place);
      begin(head);
    }
    const std::uint64_t source = first_source_ + flow.source;
    if (std::exchange(places_[source].stamp, stamp_) != stamp_) open_.push_back(source);
    return true;
  });
  follow_open(visit_place);
}

/// In the order in which places were found: what is computed for one does not depend on the one before.
template <typename Visit>
void PathEnumerator::follow_open(Visit visit) {
  if (open_.empty()) return;
  const Head head = *head_;
  const auto follow_from_each = [&, stamp = stamp_, places = places_.data()](auto next_of) {
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const std::uint64_t from = open_[i];
      const std::span<const std::uint64_t> next = next_of(places[from]);
      visit(from < first_source_ ? std::optional(from) : std::nullopt, next);
      for (const std::uint64_t group : next) {
        Place& place = places[group];
        if (std::exchange(place.stamp, stamp) != stamp && place.router != head.destination)
          open_.push_back(group);
      }
    }
  };
  if (deterministic_ != nullptr) {
    std::uint64_t next = 0;
    follow_from_each([&](const Place& place) {
      next = group(place.router, deterministic_->first_candidate(place.router, place.arrival, head));
      return std::span(&next, 1);
    });
  } else {
    follow_from_each([&](const Place& place) {
      find_next(place, head, next_);
      return std::span(next_);
    });
  }
  open_.clear();
}

}  // namespace flitscope
