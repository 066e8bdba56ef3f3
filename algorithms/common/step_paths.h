// Paths between neighbours on any network, of which no two in a step share a link.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/route.h"
#include "model/route_table.h"
#include "model/topology.h"

namespace flitscope::common {

/// Every router is a node: neighbours are nodes that a link joins.
[[nodiscard]] bool all_are_nodes(const Topology& topology);

/// The number of links that leave a node, of the node that has most.
[[nodiscard]] unsigned max_links_out(const Topology& topology);

/// Nodes that a message comes to on its path from `source` to the node that is farthest by this count, that
/// node included. Routers without a node do not count.
[[nodiscard]] std::uint32_t eccentricity(const Topology& topology, NodeId source);

/// Throws Inadmissible("topology.kind") if StepPaths would take too much memory: where routers have no node,
/// two bytes for each pair of core routers with nodes.
void require_memory_for_paths(const Topology& topology, const std::string& algorithm);

/// Finds paths for the messages of a step one by one. A path leads through no other node, is as short as any
/// between its ends, and shares no link with another path of the step. What ends are wanted is up to the
/// caller. On a graph the routing function of the machine decides how messages go, over one link always over
/// that link.
class StepPaths {
 public:
  enum class Direction : std::uint8_t {
    /// From a node to nodes that are to get something: the same from every start, and during a step they only
    /// become fewer.
    forward,
    /// From a node that is to get something to nodes that have it.
    backward,
  };
  StepPaths(const Topology& topology, Direction direction);

  /// A path has been found: its other end, and the route of a message.
  struct Found {
    NodeId node = 0;
    Route route;
  };

  /// Of a new step: all links are free.
  void begin() { ++step_; }
  /// The nearest wanted node over the link at `port` of `node`, an output port if forward, an input port if
  /// backward. The links of the path are taken.
  [[nodiscard]] std::optional<Found> take(NodeId node, unsigned port,
                                          const std::function<bool(NodeId)>& wanted);
  /// A link at this node leads to, or from, a router without a node.
  [[nodiscard]] bool has_routers_beside(NodeId node) const {
    return std::ranges::any_of(links(node), [&](const Link& link) { return !is_node(link.to); });
  }

 private:
  /// From a router on.
  struct Link {
    ChannelId channel = 0;
    NodeId to = 0;
    unsigned port = 0;
  };
  struct Visit {
    NodeId router = 0;
    std::uint32_t before = 0;  ///< place in visits_
    ChannelId channel = 0;
    std::uint32_t links = 0;
  };
  [[nodiscard]] std::span<const Link> links(NodeId router) const {
    return std::span(links_).subspan(first_[router], first_[router + 1] - first_[router]);
  }
  [[nodiscard]] bool is_node(NodeId router) const { return router < topology_.nodes(); }
  void find_links();
  /// `wanted` of a node: it may be where the path ends.
  void visit(const Link& link, std::uint32_t before, std::uint32_t count,
             const std::function<bool(NodeId)>& wanted);
  /// All routers on from the last one visited.
  void visit_beyond(std::uint32_t place, const std::function<bool(NodeId)>& wanted);
  [[nodiscard]] bool is_shortest(NodeId start, const Visit& end);
  void find_distances(std::uint32_t core);

  Topology topology_;
  bool forward_;
  CoreRouters routers_;
  std::vector<Link> links_;            ///< of a router side by side, by rising ports
  std::vector<std::uint32_t> first_;   ///< by router
  std::vector<std::uint32_t> used_;    ///< by channel: the last step that took it
  std::vector<std::uint32_t> seen_;    ///< by router: the last search that came by
  std::vector<std::uint32_t> closed_;  ///< by router: the last step in which no path from it ends anywhere
  std::uint32_t step_ = 0;
  std::uint32_t search_ = 0;
  std::vector<Visit> visits_;
  std::vector<std::uint32_t> host_;  ///< by core router: its number among those with nodes
  std::uint32_t hosts_ = 0;
  /// Links between core routers with nodes, by their numbers, kFar at most; of those that were needed.
  std::vector<std::vector<std::uint16_t>> distances_;
};

}  // namespace flitscope::common
