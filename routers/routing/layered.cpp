// Layered shortest routing on any network: every message stays in one layer of virtual channels, and in no
// layer can messages wait for one another in a dependency cycle.

#include <algorithm>
#include <limits>
#include <random>

#include "model/bit_rows.h"
#include "model/error.h"
#include "model/numbers.h"
#include "model/random.h"
#include "routers/routing/table_routing.h"

namespace flitscope {
namespace {

constexpr unsigned kMaxLayers = 63;

/// The dependencies between the links of one layer, which form no dependency cycle: an order of the links in
/// which each leads upwards is kept up to date. For a dependency that leads downwards, what is ahead of its
/// end and what is behind its beginning are searched in turns; what is complete first moves past the other
/// (after D. Pearce, P. Kelly: A dynamic topological sort algorithm for directed acyclic graphs, 2006). Ranks
/// have gaps, so that only what moves gets a new one.
class Layer {
 public:
  explicit Layer(const CoreLinks& links)
      : links_(links),
        next_(links.count(), links.most_leaving()),
        closed_(links.count(), links.most_leaving()),
        rank_(links.count() + 1),
        above_(links.count() + 1),
        below_(links.count() + 1),
        seen_(links.count()) {
    for (std::uint32_t link = 0; link <= links.count(); ++link) {
      above_[link] = link == links.count() ? 0 : link + 1;
      below_[link] = link == 0 ? links.count() : link - 1;
    }
    spread_ranks();
  }

  [[nodiscard]] bool has(std::uint32_t from, std::uint32_t to) const {
    return next_.has(from, links_[to].place);
  }
  /// The dependency is known to close a dependency cycle.
  [[nodiscard]] bool is_closed(std::uint32_t from, std::uint32_t to) const {
    return closed_.has(from, links_[to].place);
  }
  void close(std::uint32_t from, std::uint32_t to) { closed_.add(from, links_[to].place); }
  void remove(std::uint32_t from, std::uint32_t to) { next_.remove(from, links_[to].place); }

  /// Adds a dependency; false if it would close a dependency cycle.
  [[nodiscard]] bool add(std::uint32_t from, std::uint32_t to) {
    if (rank_[from] > rank_[to] && !reorder(from, to)) return false;
    next_.add(from, links_[to].place);
    return true;
  }

 private:
  /// Orders `from` before `to`; false if a path leads from `to` to `from`.
  bool reorder(std::uint32_t from, std::uint32_t to) {
    stamp_ += 2;
    ahead_.assign(1, to);
    behind_.assign(1, from);
    seen_[to] = stamp_;
    seen_[from] = stamp_ + 1;
    for (std::size_t i = 0;; ++i) {
      if (i == ahead_.size()) {
        move(ahead_, from);
        return true;
      }
      if (i == behind_.size()) {
        move(behind_, below_[to]);
        return true;
      }
      if (!look_ahead(ahead_[i], rank_[from]) || !look_behind(behind_[i], rank_[to])) return false;
    }
  }
  /// False if it meets what is behind.
  bool look_ahead(std::uint32_t at, std::uint64_t limit) {
    const std::uint32_t first = links_.first_leaving(links_[at].to);
    return next_.all_of(at, [&](std::size_t place) {
      const auto next = first + static_cast<std::uint32_t>(place);
      if (seen_[next] == stamp_ + 1) return false;
      if (seen_[next] == stamp_ || rank_[next] > limit) return true;
      seen_[next] = stamp_;
      ahead_.push_back(next);
      return true;
    });
  }
  /// False if it meets what is ahead.
  bool look_behind(std::uint32_t at, std::uint64_t limit) {
    for (const std::uint32_t before : links_.entering(links_[at].from)) {
      if (!has(before, at)) continue;
      if (seen_[before] == stamp_) return false;
      if (seen_[before] == stamp_ + 1 || rank_[before] < limit) continue;
      seen_[before] = stamp_ + 1;
      behind_.push_back(before);
    }
    return true;
  }

  /// Moves links, in their order, directly above `place`, which is not among them.
  void move(std::vector<std::uint32_t>& moved, std::uint32_t place) {
    std::ranges::sort(moved, {}, [this](std::uint32_t link) { return rank_[link]; });
    for (const std::uint32_t link : moved) {
      above_[below_[link]] = above_[link];
      below_[above_[link]] = below_[link];
    }
    const std::uint32_t end = above_[place];
    std::uint32_t at = place;
    for (const std::uint32_t link : moved) {
      above_[at] = link;
      below_[link] = at;
      at = link;
    }
    above_[at] = end;
    below_[end] = at;
    const std::uint64_t low = place == links_.count() ? 0 : rank_[place];
    const std::uint64_t gap = (rank_[end] - low) / (moved.size() + 1);
    if (gap == 0) return spread_ranks();
    std::uint64_t rank = low;
    for (const std::uint32_t link : moved) rank_[link] = rank += gap;
  }
  void spread_ranks() {
    const std::uint64_t gap = std::numeric_limits<std::uint64_t>::max() / (links_.count() + 1);
    std::uint64_t rank = 0;
    for (std::uint32_t link = above_[links_.count()]; link != links_.count(); link = above_[link]) {
      rank_[link] = rank += gap;
    }
    rank_[links_.count()] = std::numeric_limits<std::uint64_t>::max();
  }

  const CoreLinks& links_;
  BitRows next_;    ///< by link: places of links that leave where it leads
  BitRows closed_;  ///< likewise
  // By link, and for the end of the order, which is above and below all links.
  std::vector<std::uint64_t> rank_;
  std::vector<std::uint32_t> above_;
  std::vector<std::uint32_t> below_;
  std::vector<std::uint32_t> seen_;  ///< by link: stamp_ if it is ahead, that + 1 if behind
  std::uint32_t stamp_ = 0;
  std::vector<std::uint32_t> ahead_;
  std::vector<std::uint32_t> behind_;
};

/// Assigns the routes of all pairs of nodes to layers, each to the first without a dependency cycle.
class Layering {
 public:
  Layering(const Topology& topology, RouteTable table) : table_(std::move(table)), links_(topology, table_) {}

  /// Takes destinations in this order; nothing if more than `limit` layers are needed.
  std::optional<RouteTable> run(const std::vector<std::uint32_t>& order, unsigned limit) {
    RouteTable result = table_;
    layers_.clear();
    Distances distance(links_, table_.cores());
    std::vector<std::uint8_t> layer_of(table_.cores());
    for (const std::uint32_t to : order) {
      if (table_.nodes_at(to) == 0) continue;
      distance.find(to);
      for (const std::uint32_t from : distance.order().subspan(1)) {
        if (table_.nodes_at(from) == 0) continue;
        const auto layer = place(from, to, layer_of, limit);
        if (!layer) return std::nullopt;
        layer_of[from] = static_cast<std::uint8_t>(*layer);
        if (*layer > 0) result.set_layer(from, to, *layer);
      }
    }
    return result;
  }

 private:
  [[nodiscard]] std::uint32_t link_on(std::uint32_t at, std::uint32_t to) const {
    const std::uint8_t port = table_.port(at, to);
    for (std::uint32_t link = links_.first_leaving(at);; ++link) {
      if (links_[link].port == port) return link;
    }
  }

  /// The layer of the route from one router to another. If the next router has nodes, the rest of the route
  /// has a layer already: no lower one fits, and in that layer only the first dependency can be new.
  std::optional<unsigned> place(std::uint32_t from, std::uint32_t to,
                                const std::vector<std::uint8_t>& layer_of, unsigned limit) {
    route_.assign(1, link_on(from, to));
    std::uint32_t at = links_[route_.front()].to;
    const bool sends = at != to && table_.nodes_at(at) > 0;
    unsigned layer = sends ? layer_of[at] : 0;
    if (sends) {
      route_.push_back(link_on(at, to));
      if (fits(layer)) return layer;
      ++layer;
      at = links_[route_.back()].to;
    }
    while (at != to) {
      route_.push_back(link_on(at, to));
      at = links_[route_.back()].to;
    }
    for (; layer < limit; ++layer) {
      if (fits(layer)) return layer;
    }
    return std::nullopt;
  }

  /// Adds the dependencies of the route to a layer if they close no dependency cycle there.
  bool fits(unsigned layer) {
    while (layers_.size() <= layer) layers_.emplace_back(links_);
    Layer& dependencies = layers_[layer];
    for (std::size_t i = 1; i < route_.size(); ++i) {
      if (dependencies.is_closed(route_[i - 1], route_[i])) return false;
    }
    added_.clear();
    for (std::size_t i = 1; i < route_.size(); ++i) {
      if (dependencies.has(route_[i - 1], route_[i])) continue;
      if (dependencies.add(route_[i - 1], route_[i])) {
        added_.emplace_back(route_[i - 1], route_[i]);
        continue;
      }
      if (added_.empty()) dependencies.close(route_[i - 1], route_[i]);
      for (const auto& [before, next] : added_) dependencies.remove(before, next);
      return false;
    }
    return true;
  }

  RouteTable table_;
  CoreLinks links_;
  std::vector<Layer> layers_;
  std::vector<std::uint32_t> route_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_;
};

/// The fewest layers found: small networks try some orders of their destinations.
RouteTable layered_routes(const Topology& topology) {
  constexpr std::uint32_t kMaxForOrders = 256;
  constexpr unsigned kOrders = 8;
  RouteTable table = shortest_routes(topology);
  const std::uint32_t cores = table.cores();
  Layering layering(topology, std::move(table));
  auto order = numbers_below<std::uint32_t>(cores);
  auto best = layering.run(order, kMaxLayers);
  refuse_if(!best, "router.routing",
            "layered needs more than {} layers of virtual channels for a {}; up-down needs one", kMaxLayers,
            topology.name());
  std::mt19937_64 random(1);
  for (unsigned i = 0; cores <= kMaxForOrders && i < kOrders && best->layers() > 1; ++i) {
    shuffle(order, random);
    if (auto other = layering.run(order, best->layers() - 1)) best = std::move(other);
  }
  return std::move(*best);
}

const RoutingRegistry::Entry layered_entry{{
    .name = "layered",
    .summary = "a shortest route on any network, every message in a layer of virtual channels in which no "
               "dependency cycle closes; as many classes as layers are found to be needed",
    .source = "T. Skeie, O. Lysne, I. Theiss: Layered shortest path (LASH) routing in irregular system area "
              "networks, 2002; J. Domke, T. Hoefler, W. Nagel: Deadlock-free oblivious routing for arbitrary "
              "topologies, 2011",
    .any_network = true,
    .minimal = false,
    .make =
        [](const Topology& topology) {
          auto function = std::make_unique<TableRouting>(topology, "layered", layered_routes);
          function->build_tables();
          return function;
        },
}};

}  // namespace
}  // namespace flitscope
