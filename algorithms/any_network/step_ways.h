// Ways between neighbours on any network, of which no two in a step share a link.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/route.h"
#include "model/topology.h"

namespace flitscope::any_network {

/// Every router is a node: neighbours are nodes that a link joins.
[[nodiscard]] bool all_are_nodes(const Topology& topology);

/// The number of links that leave a node, of the node that has most.
[[nodiscard]] unsigned max_links_out(const Topology& topology);

/// Nodes that a message comes to on its way from `source` to the node that is farthest by this count, that
/// node included. Routers without a node do not count.
[[nodiscard]] std::uint32_t eccentricity(const Topology& topology, NodeId source);

/// Throws Inadmissible("topology.kind") if StepWays would take too much memory: where routers have no node,
/// two bytes for each pair of nodes.
void require_room_for_ways(const Topology& topology, const std::string& algorithm);

/// Finds ways for the messages of a step one by one. A way leads through no other node, is as short as any
/// between its ends, and shares no link with another way of the step. What ends are wanted is up to the
/// caller. On a graph the routing function of the machine decides how messages go, over one link always over
/// that link.
class StepWays {
 public:
  enum class Direction : std::uint8_t {
    forward,   ///< from a node to nodes that are to get something
    backward,  ///< from a node that is to get something to nodes that have it
  };
  StepWays(const Topology& topology, Direction direction);

  /// A way has been found: its other end, and the route of a message.
  struct Found {
    NodeId node = 0;
    Route route;
  };

  /// Of a new step: all links are free.
  void begin() { ++step_; }
  /// The nearest wanted node over the link at `port` of `node`, an output port if forward, an input port if
  /// backward. The links of the way are taken.
  [[nodiscard]] std::optional<Found> take(NodeId node, unsigned port,
                                          const std::function<bool(NodeId)>& wanted);
  /// A link at this node leads to, or from, a router without a node.
  [[nodiscard]] bool has_routers_beside(NodeId node) const;

 private:
  struct Visit {
    NodeId router = 0;
    std::uint32_t before = 0;  ///< place in visits_
    ChannelId channel = 0;
    std::uint32_t links = 0;
  };
  [[nodiscard]] std::optional<NodeId> beyond(NodeId router, unsigned port) const {
    return forward_ ? topology_.neighbour(router, port) : topology_.feeder(router, port);
  }
  [[nodiscard]] bool is_node(NodeId router) const { return router < topology_.nodes(); }
  void visit(NodeId router, unsigned port, std::uint32_t before, std::uint32_t links);
  [[nodiscard]] bool is_shortest(NodeId start, const Visit& end);
  void find_distances(NodeId start);

  Topology topology_;
  bool forward_;
  std::vector<bool> unusable_;       ///< by channel: beside another one that joins the same nodes
  std::vector<std::uint32_t> used_;  ///< by channel: the last step that took it
  std::vector<std::uint32_t> seen_;  ///< by router: the last search that came by
  std::uint32_t step_ = 0;
  std::uint32_t search_ = 0;
  std::vector<Visit> visits_;
  /// By start and node, kFar at most; of starts from which they were needed.
  std::vector<std::vector<std::uint16_t>> distances_;
};

}  // namespace flitscope::any_network
