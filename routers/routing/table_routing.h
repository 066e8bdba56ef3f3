// Routing functions that follow a table, and the computation of such tables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/graph.h"
#include "model/route_table.h"
#include "model/topology.h"
#include "routers/routing/routing.h"

namespace flitscope {

/// A directed link between two core routers.
struct CoreLink {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint8_t port = 0;
  /// Position among the links that leave `from`.
  std::uint8_t place = 0;
};

/// The links between the core routers of a network.
class CoreLinks {
 public:
  CoreLinks(const Topology& topology, const CoreRouters& routers);

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(links_.size()); }
  [[nodiscard]] const CoreLink& operator[](std::uint32_t link) const { return links_[link]; }
  /// Links that leave a router are adjacent, by rising ports.
  [[nodiscard]] std::uint32_t first_leaving(std::uint32_t core) const { return first_[core]; }
  [[nodiscard]] std::uint32_t end_leaving(std::uint32_t core) const { return first_[core + 1]; }
  [[nodiscard]] std::span<const CoreLink> leaving(std::uint32_t core) const {
    return std::span(links_).subspan(first_[core], first_[core + 1] - first_[core]);
  }
  [[nodiscard]] std::uint32_t most_leaving() const {
    std::uint32_t most = 0;
    for (std::size_t i = 1; i < first_.size(); ++i) most = std::max(most, first_[i] - first_[i - 1]);
    return most;
  }
  /// Numbers of the links that enter it.
  [[nodiscard]] std::span<const std::uint32_t> entering(std::uint32_t core) const {
    return std::span(entering_).subspan(first_entering_[core],
                                        first_entering_[core + 1] - first_entering_[core]);
  }

 private:
  std::vector<CoreLink> links_;
  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> entering_;
  std::vector<std::uint32_t> first_entering_;
};

/// Routers by rising distance to one of them, against the links.
class Distances {
 public:
  static constexpr std::uint32_t kFar = 0xFFFFFFFF;

  explicit Distances(const CoreLinks& links, std::uint32_t cores) : links_(links), distance_(cores, kFar) {}

  /// Follows the links for which `takes(link)` is true, until all routers are found.
  template <typename Takes>
  void find(std::uint32_t to, Takes takes) {
    for (const std::uint32_t core : order_) distance_[core] = kFar;
    order_.assign(1, to);
    distance_[to] = 0;
    for (std::size_t i = 0; i < order_.size() && order_.size() < distance_.size(); ++i) {
      const std::uint32_t at = order_[i];
      for (const std::uint32_t link : links_.entering(at)) {
        const std::uint32_t from = links_[link].from;
        if (distance_[from] != kFar || !takes(links_[link])) continue;
        distance_[from] = distance_[at] + 1;
        order_.push_back(from);
      }
    }
  }
  void find(std::uint32_t to) {
    find(to, [](const CoreLink&) { return true; });
  }

  [[nodiscard]] std::uint32_t operator[](std::uint32_t core) const { return distance_[core]; }
  /// Routers with a path, the destination first.
  [[nodiscard]] std::span<const std::uint32_t> order() const { return order_; }

 private:
  const CoreLinks& links_;
  std::vector<std::uint32_t> distance_;
  std::vector<std::uint32_t> order_;
};

/// Balances routes over links, one destination after the other: of several admissible links it takes the one
/// with the fewest pairs of nodes, and of equals the one to the router with the fewest pairs to this
/// destination.
class BalancedLinks {
 public:
  BalancedLinks(const CoreLinks& links, RouteTable& table)
      : links_(links), table_(table), pairs_(links.count()), coming_(table.cores()) {}

  void begin(std::uint32_t to) {
    to_ = to;
    for (std::uint32_t core = 0; core < table_.cores(); ++core) {
      coming_[core] = std::uint64_t{table_.nodes_at(core)} * table_.nodes_at(to);
    }
  }
  /// Sets the next link at `at`, after all routers that are routed through `at`. `will_do(link)` holds for at
  /// least one link that leaves it.
  template <typename WillDo>
  void settle(std::uint32_t at, WillDo will_do) {
    std::uint32_t best = links_.count();
    for (std::uint32_t link = links_.first_leaving(at); link < links_.end_leaving(at); ++link) {
      if (will_do(links_[link]) && (best == links_.count() || is_better(link, best))) best = link;
    }
    pairs_[best] += coming_[at];
    coming_[links_[best].to] += coming_[at];
    table_.set_port(at, to_, links_[best].port);
  }

 private:
  [[nodiscard]] bool is_better(std::uint32_t link, std::uint32_t best) const {
    if (pairs_[link] != pairs_[best]) return pairs_[link] < pairs_[best];
    return coming_[links_[link].to] < coming_[links_[best].to];
  }

  const CoreLinks& links_;
  RouteTable& table_;
  std::uint32_t to_ = 0;
  std::vector<std::uint64_t> pairs_;   ///< by link: pairs of nodes that use it
  std::vector<std::uint64_t> coming_;  ///< by router: pairs that are routed through it
};

/// Shortest routes from every router to every node. Of several, the one whose first link has the fewest pairs
/// of nodes so far: destinations in the order of their numbers, routers from the farthest to the nearest,
/// ports in their order.
[[nodiscard]] RouteTable shortest_routes(const Topology& topology);

/// Follows a table, which is computed once for a graph. Every layer of the table is a class.
class TableRouting final : public WithoutRoutes<DeterministicRouting> {
 public:
  /// The table, for all destinations that are nodes. Throws Inadmissible("router.routing") if there is none.
  using Compute = RouteTable (*)(const Topology&);

  /// Of a table that can have several layers, classes() requires build_tables().
  TableRouting(const Topology& topology, std::string name, Compute compute, bool can_deadlock = false)
      : WithoutRoutes(topology), name_(std::move(name)), compute_(compute), can_deadlock_(can_deadlock) {}

  unsigned classes() const override { return table_ == nullptr ? 1 : table_->layers(); }
  ClassMask escape_classes() const override { return can_deadlock_ ? 0 : WithoutRoutes::escape_classes(); }
  NodesOfRouter nodes_of_router() const override { return NodesOfRouter::alike; }

  void build_tables() override {
    if (table_ != nullptr) return;
    const auto make = [this] { return std::make_shared<const RouteTable>(compute_(topology())); };
    const Graph* const graph = topology().graph();
    table_ = graph == nullptr ? make() : graph->computed(name_, make);
  }
  void prepare(Head& head, NodeId source) const override {
    head.prepared = table_->layer(source, head.destination);
  }
  Candidate first_candidate(NodeId node, Arrival /*arrival*/, const Head& head) const override {
    return {table_->next(node, head.destination), static_cast<unsigned>(head.prepared)};
  }

 private:
  std::string name_;
  Compute compute_;
  bool can_deadlock_;
  std::shared_ptr<const RouteTable> table_;
};

/// Minimal routes of a dragonfly: in the group to a router with a link to the other group, over that link,
/// and in that group to the destination. Links to a group are balanced over the pairs of nodes that can
/// choose.
class DragonflyRoutes : public RouteTable {
 public:
  explicit DragonflyRoutes(const Topology& topology);

  /// The group of a router, or of a node at one.
  [[nodiscard]] std::uint32_t group(NodeId router) const { return groups_[router]; }

 private:
  std::vector<std::uint32_t> groups_;  ///< by router
};

/// Computed once for a graph.
[[nodiscard]] std::shared_ptr<const DragonflyRoutes> dragonfly_routes(const Topology& topology);

}  // namespace flitscope
