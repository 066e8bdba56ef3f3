// The least cut between two halves of the nodes: in closed form, or the least of those that are tried.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "model/graph.h"
#include "networks/grid.h"
#include "networks/network_family.h"
#include "routers/routing/table_routing.h"
#include "sim/analysis/network_cost.h"

namespace flitscope {

namespace {

/// Nodes with one neighbour, which in a good cut are on its side; none on tori and meshes.
class Leaves {
 public:
  explicit Leaves(const Topology& topology) : nodes_(topology.routers()), is_leaf_(topology.routers()) {
    if (topology.is_grid()) return;
    const CoreRouters cores(topology);
    for (NodeId router = 0; router < topology.routers(); ++router) {
      if (!cores.is_leaf(router)) continue;
      is_leaf_[router] = true;
      nodes_[cores.router(cores.core_of(router))].push_back(router);
    }
  }

  [[nodiscard]] bool has(NodeId router) const { return is_leaf_[router]; }
  /// Leaves of a router.
  [[nodiscard]] const std::vector<NodeId>& at(NodeId router) const { return nodes_[router]; }

 private:
  std::vector<std::vector<NodeId>> nodes_;
  std::vector<bool> is_leaf_;
};

/// The cycles a flit of every link, if all are alike.
std::optional<Ratio> common_interval(const Topology& topology, const MachineConfig& machine) {
  std::optional<Ratio> interval;
  bool alike = true;
  topology.for_each_link([&](NodeId router, unsigned port, NodeId) {
    const Ratio own = machine.link(topology, topology.channel(router, port)).cycles_per_flit;
    alike = alike && interval.value_or(own) == own;
    interval = own;
  });
  return alike ? interval : std::nullopt;
}

/// In links each way, where there is a closed form for links that are alike.
std::optional<std::uint64_t> closed_form(const Topology& topology) {
  if (topology.is_fault_free_grid()) {
    // A cut meets a ring in two places; if its links lead one way, one has the link out, one the link back.
    return grid_bisection({topology.sides().begin(), topology.sides().end()},
                          topology.wraps() && !topology.is_one_way());
  }
  if (topology.has_faults()) return std::nullopt;
  const Graph& graph = *topology.graph();
  const NetworkFamily* const family = FamilyRegistry::find(graph.family());
  return family == nullptr || !family->bisection ? std::nullopt : family->bisection(graph.parameters());
}

/// The flits a cycle of links that take one in `interval` cycles.
double flits_per_cycle(std::uint64_t links, const Ratio& interval) {
  return static_cast<double>(links) * interval.denominator() / interval.numerator();
}

/// A link of a router.
struct CutLink {
  NodeId other = 0;            ///< the router at its other end
  std::uint32_t interval = 0;  ///< its number
  bool leaves = false;
};

/// The links that leave and enter each router, for cuts.
class CutLinks {
 public:
  CutLinks(const Topology& topology, const MachineConfig& machine) : first_(topology.routers() + 1) {
    std::map<Ratio, std::uint32_t> numbers;
    const auto interval_of = [&](NodeId from, unsigned port) {
      return machine.link(topology, topology.channel(from, port)).cycles_per_flit;
    };
    topology.for_each_link(
        [&](NodeId router, unsigned port, NodeId) { numbers.try_emplace(interval_of(router, port)); });
    for (auto& [interval, number] : numbers) {
      number = static_cast<std::uint32_t>(intervals_.size());
      intervals_.push_back(interval);
    }
    for (NodeId router = 0; router < topology.routers(); ++router) {
      for (unsigned port = 0; port < topology.link_ports(); ++port) {
        if (const auto to = topology.neighbour(router, port))
          links_.push_back({*to, numbers.at(interval_of(router, port)), true});
        if (const auto from = topology.upstream(router, port))
          links_.push_back({*from, numbers.at(interval_of(*from, port)), false});
      }
      first_[router + 1] = links_.size();
    }
  }

  /// By rising ports.
  [[nodiscard]] std::span<const CutLink> at(NodeId router) const {
    return std::span(links_).subspan(first_[router], first_[router + 1] - first_[router]);
  }
  /// Of all links, each once, rising.
  [[nodiscard]] const std::vector<Ratio>& intervals() const { return intervals_; }

 private:
  std::vector<CutLink> links_;
  std::vector<std::size_t> first_;
  std::vector<Ratio> intervals_;
};

/// Cuts between the first routers of an order and the others, and what moves make of the least of each order.
class Cuts {
 public:
  /// Moves take `max_work` steps along links at most.
  Cuts(const Topology& topology, const CutLinks& links, const Leaves& leaves, std::uint64_t nodes,
       double max_work)
      : topology_(topology),
        links_(links),
        leaves_(leaves),
        half_(nodes / 2),
        most_(nodes - nodes / 2),
        work_left_(max_work) {}

  /// Of all beginnings of the order with half of the nodes, and moves from the least. Leaves follow their
  /// routers.
  void look(std::span<const NodeId> order, const std::string& name) {
    begin(std::vector<bool>(topology_.routers()));
    least_ = kNone;
    take_in_turn(order);
    const double of_order = least_;
    // Of equal cuts the one that is easier to say.
    if (of_order < best_.flits_per_cycle || (of_order == best_.flits_per_cycle && is_improved_)) {
      best_ = {of_order, false, name};
      is_improved_ = false;
    }
    improve();
    if (least_ >= best_.flits_per_cycle) return;
    best_ = {least_, false, name + ", improved"};
    is_improved_ = true;
  }

  [[nodiscard]] const Bisection& best() const { return best_; }

 private:
  /// Links that cross the cut one way, by their intervals: a sum of their rates step by step would be
  /// rounded.
  using Crossing = std::vector<std::uint64_t>;
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  [[nodiscard]] double rate_of(const Crossing& crossing) const {
    double sum = 0;
    for (std::size_t i = 0; i < crossing.size(); ++i)
      sum += flits_per_cycle(crossing[i], links_.intervals()[i]);
    return sum;
  }
  [[nodiscard]] double rate() const { return std::min(rate_of(out_), rate_of(in_)); }
  [[nodiscard]] unsigned nodes_of(NodeId router) const {
    return router < topology_.nodes() && !topology_.is_missing(router) ? 1 : 0;
  }
  void take_in_turn(std::span<const NodeId> order) {
    for (const NodeId router : order) {
      const auto& leaves = leaves_.at(router);
      for (std::size_t i = 0; i <= leaves.size(); ++i) {
        const NodeId next = i == 0 ? router : leaves[i - 1];
        if (nodes_ + nodes_of(next) > most_) return;
        move(next);
        keep_least();
      }
    }
  }
  /// Moves routers of the least cut to the other side, each once and the best one first, and keeps the least
  /// cut on the way; again as long as that is less (Fiduccia and Mattheyses, 1982).
  void improve() {
    // Each router is tried in each step, there and back: links that leave and enter it, sums by intervals.
    const double routers = topology_.routers();
    const double work = 2 * routers *
                        (2 * static_cast<double>(topology_.channel_ids()) +
                         routers * static_cast<double>(links_.intervals().size()));
    for (double before = kNone; least_ < before && work <= work_left_; work_left_ -= work) {
      before = least_;
      begin(least_side_);
      std::vector<bool> moved(topology_.routers());
      while (const auto router = best_move(moved)) {
        move(*router);
        moved[*router] = true;
        keep_least();
      }
    }
  }
  void begin(const std::vector<bool>& side) {
    inside_.assign(topology_.routers(), false);
    out_.assign(links_.intervals().size(), 0);
    in_ = out_;
    nodes_ = 0;
    for (NodeId router = 0; router < topology_.routers(); ++router) {
      if (side[router]) move(router);
    }
  }
  /// Moves a router to the other side.
  void move(NodeId router) {
    const bool enters = !inside_[router];
    inside_[router] = enters;
    nodes_ = enters ? nodes_ + nodes_of(router) : nodes_ - nodes_of(router);
    for (const auto& [other, interval, leaves] : links_.at(router)) {
      const bool crosses = inside_[other] != enters;
      // Seen from the first side.
      Crossing& direction = leaves == (crosses == enters) ? out_ : in_;
      direction[interval] += crosses ? 1 : -1;
    }
  }
  void keep_least() {
    if (nodes_ < half_ || nodes_ > most_ || rate() >= least_) return;
    least_ = rate();
    least_side_ = inside_;
  }
  /// The router whose move leaves the least cut, with at most one node more or less than half; nothing if
  /// all have moved.
  [[nodiscard]] std::optional<NodeId> best_move(const std::vector<bool>& moved) {
    std::optional<NodeId> best;
    double least = kNone;
    for (NodeId router = 0; router < topology_.routers(); ++router) {
      const unsigned nodes = nodes_of(router);
      if (moved[router] || (inside_[router] ? nodes_ - nodes + 1 < half_ : nodes_ + nodes > most_ + 1))
        continue;
      move(router);
      if (const double own = rate(); own < least) {
        least = own;
        best = router;
      }
      move(router);
    }
    return best;
  }

  const Topology& topology_;
  const CutLinks& links_;
  const Leaves& leaves_;
  std::uint64_t half_;
  std::uint64_t most_;
  std::vector<bool> inside_;  ///< the first side, by router
  std::uint64_t nodes_ = 0;   ///< there
  Crossing out_;              ///< what leaves it
  Crossing in_;
  double least_ = kNone;  ///< of this order
  std::vector<bool> least_side_;
  Bisection best_{kNone, false, {}};
  bool is_improved_ = false;
  double work_left_;
};

/// Without leaves.
std::vector<NodeId> breadth_first(const Topology& topology, const CutLinks& links, const Leaves& leaves,
                                  NodeId start) {
  std::vector<bool> seen(topology.routers());
  std::vector<NodeId> order{start};
  seen[start] = true;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const CutLink& link : links.at(order[i])) {
      if (!link.leaves || seen[link.other] || leaves.has(link.other)) continue;
      seen[link.other] = true;
      order.push_back(link.other);
    }
  }
  return order;
}

std::vector<std::uint32_t> coordinates_of(const Topology& topology, NodeId router) {
  if (topology.is_grid()) return topology.coordinates(router);
  const auto own = topology.graph()->coordinates(router);
  return {own.begin(), own.end()};
}

/// Attached nodes, those with the slowest links to their routers first: half of all can be cut off there.
std::vector<NodeId> by_own_links(const Topology& topology, const MachineConfig& machine) {
  const std::vector<bool> is_attached = attached_nodes(topology);
  std::vector<NodeId> order;
  std::vector<Ratio> slowest(topology.nodes());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    if (!is_attached[node]) continue;
    order.push_back(node);
    topology.for_each_link_from(node, [&](unsigned port, NodeId) {
      const Ratio own = machine.link(topology, topology.channel(node, port)).cycles_per_flit;
      slowest[node] = std::max(slowest[node], own);
    });
  }
  std::ranges::stable_sort(order, std::ranges::greater(), [&](NodeId node) { return slowest[node]; });
  return order;
}

/// Cuts by coordinates, each in turn the first, and around routers, as many as `max_work` allows, and at the
/// links of half of the nodes.
Bisection tried_cuts(const Topology& topology, const MachineConfig& machine, std::uint64_t nodes,
                     double max_work) {
  const Leaves leaves(topology);
  const CutLinks links(topology, machine);
  Cuts cuts(topology, links, leaves, nodes, max_work / 10);
  cuts.look(by_own_links(topology, machine), "links of nodes");
  std::vector<NodeId> order;
  std::vector<std::vector<std::uint32_t>> coordinates(topology.routers());
  std::size_t dimensions = 0;
  for (NodeId router = 0; router < topology.routers(); ++router) {
    if (leaves.has(router)) continue;
    order.push_back(router);
    coordinates[router] = coordinates_of(topology, router);
    dimensions = std::max(dimensions, coordinates[router].size());
  }
  for (std::size_t first = 0; first < dimensions; ++first) {
    std::ranges::sort(order, {}, [&](NodeId router) {
      std::vector<std::uint32_t> key = coordinates[router];
      const auto at = key.begin() + static_cast<std::ptrdiff_t>(std::min(first, key.size()));
      if (at != key.end()) std::rotate(key.begin(), at, at + 1);
      key.push_back(router);
      return key;
    });
    cuts.look(order, fmt::format("coordinate {}", first));
  }
  const std::size_t most = order.size();
  const double each = 2.0 * static_cast<double>(topology.channel_ids());
  const auto starts = static_cast<std::size_t>(std::clamp(max_work / each, 1.0, static_cast<double>(most)));
  for (std::size_t i = 0; i < starts; ++i) {
    const NodeId start = order[i * most / starts];
    if (start < topology.nodes() && topology.is_missing(start)) continue;
    cuts.look(breadth_first(topology, links, leaves, start),
              "breadth-first from " + topology.node_name(start));
  }
  return cuts.best();
}

}  // namespace

Bisection bisection_of(const Topology& topology, const MachineConfig& machine, std::uint64_t nodes,
                       double max_work) {
  const auto interval = common_interval(topology, machine);
  const auto links = interval ? closed_form(topology.network(0)) : std::nullopt;
  if (links) {
    return {flits_per_cycle(*links * topology.networks(), *interval), true, "closed form"};
  }
  return tried_cuts(topology, machine, nodes, max_work);
}

}  // namespace flitscope
