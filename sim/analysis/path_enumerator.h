// All the ways that a message can take, lane by lane.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "model/route.h"
#include "routers/routing/routing.h"
#include "sim/analysis/vc_groups.h"

namespace flitscope {

/// Follows messages along the candidates of a routing function.
class PathEnumerator {
 public:
  /// `routing` must serve the topology.
  PathEnumerator(const Topology& topology, const Routing& routing, unsigned virtual_channels);

  [[nodiscard]] const Topology& topology() const { return topology_; }
  [[nodiscard]] const RoutingFunction& routing() const { return *routing_; }
  [[nodiscard]] const VcGroups& lanes() const { return lanes_; }
  /// Where a lane leads.
  [[nodiscard]] NodeId end(std::uint64_t lane) const { return end_[lanes_.channel(lane)]; }

  [[nodiscard]] Head head(NodeId source, NodeId destination, Route route) const {
    Head head;
    head.destination = destination;
    head.route = route;
    routing_->prepare(head, source);
    return head;
  }

  /// Messages followed before are forgotten: nothing of the next one is left out.
  void start_again() { head_.reset(); }
  /// Calls visit(before, next) for every place where a message with this head can ask for a virtual channel:
  /// `before` is the lane by which its head came, nothing at the source; `next` are the lanes it can ask for,
  /// the best first. After a message with an equal head, what that one has visited behind its source is left
  /// out.
  template <typename Visit>
  void follow(NodeId source, const Head& head, Visit visit);

  /// The lanes of a message that is alone, in order: those of the first candidate everywhere.
  [[nodiscard]] std::vector<std::uint64_t> way(NodeId source, const Head& head) const;

 private:
  void begin(const Head& head);

  Topology topology_;
  std::unique_ptr<RoutingFunction> routing_;
  VcGroups lanes_;
  std::vector<NodeId> end_;  ///< by channel
  bool deterministic_;
  // Of the message followed last, and others with the same head.
  std::optional<Head> head_;
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> stamps_;  ///< by lane: it was visited with this head
  std::vector<std::uint64_t> open_;
  std::vector<Candidate> candidates_;
  std::vector<std::uint64_t> next_;
};

/// The lane of a channel by which a head comes in, as the routing function sees it.
[[nodiscard]] inline Arrival arrival_by(const VcGroups& lanes, std::uint64_t lane) {
  return {static_cast<std::uint8_t>(lanes.port(lane)),
          static_cast<std::uint8_t>(lanes.lowest_class(lanes.lane(lane)))};
}

template <typename Visit>
void PathEnumerator::follow(NodeId source, const Head& head, Visit visit) {
  begin(head);
  const auto lane_of = [&](NodeId node, Candidate candidate) {
    return lanes_.number(topology_.channel(node, candidate.port), lanes_.of_class(candidate.channel_class));
  };
  const auto take = [&](std::uint64_t lane) {
    if (stamps_[lane] == stamp_) return;
    stamps_[lane] = stamp_;
    if (end(lane) != head.destination) open_.push_back(lane);
  };
  const auto go_on = [&](std::optional<std::uint64_t> before, NodeId node, Arrival arrival) {
    next_.clear();
    if (deterministic_) {
      next_.push_back(lane_of(node, routing_->first_candidate(node, arrival, head)));
    } else {
      candidates_.clear();
      routing_->add_candidates(node, arrival, head, candidates_);
      for (const Candidate& candidate : candidates_) next_.push_back(lane_of(node, candidate));
    }
    visit(before, std::span<const std::uint64_t>(next_));
    for (const std::uint64_t lane : next_) take(lane);
  };
  go_on(std::nullopt, source, {static_cast<std::uint8_t>(topology_.link_ports()), 0});
  while (!open_.empty()) {
    const std::uint64_t lane = open_.back();
    open_.pop_back();
    go_on(lane, end(lane), arrival_by(lanes_, lane));
  }
}

}  // namespace flitscope
