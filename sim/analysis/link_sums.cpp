#include "sim/analysis/link_sums.h"

#include <algorithm>
#include <utility>

#include "model/route.h"
#include "model/route_table.h"
#include "routers/routing/routing.h"

namespace flitscope {

namespace {

constexpr int kFractionBits = 80;
/// What the first destinations take says what all take.
constexpr std::uint32_t kLooked = 4;

}  // namespace

FlitSum::FlitSum(double flits) : sum_(static_cast<Wide>(std::ldexp(flits, kFractionBits))) {}

double FlitSum::value() const {
  return std::ldexp(static_cast<double>(sum_), -kFractionBits);
}

LinkSums::LinkSums(const Paths& paths, bool splits_ties, std::uint32_t drawn_paths)
    : paths_(paths),
      topology_(paths.topology()),
      splits_ties_(splits_ties),
      drawn_paths_(paths.follow_routes() ? 1 : drawn_paths),
      sums_(topology_.channel_ids()) {
  if (!paths_.follow_routes()) return;
  changes_.resize(sums_.size());
  for (NodeId stride = 1; const std::uint32_t side : topology_.sides()) {
    strides_.push_back(stride);
    stride *= side;
  }
}

void LinkSums::add(NodeId source, NodeId destination, FlitSum flits) {
  if (source == destination) return;
  if (!paths_.follow_routes()) {
    const FlitSum part = flits.part(drawn_paths_);
    for (std::uint32_t draw = 0; draw < drawn_paths_; ++draw) {
      paths_.for_each_channel(source, destination, Route::drawn(draw),
                              [&](ChannelId channel) { sums_[channel] += part; });
    }
    return;
  }
  const std::uint32_t ties = splits_ties_ ? ties_between(topology_, source, destination) : 0;
  const Route route = shortest_route(topology_, source, destination);
  NodeId at = source;
  for_each_leg(topology_, source, destination, route, [&](unsigned dimension, Sign sign, std::uint32_t hops) {
    const bool tie = (ties >> dimension & 1) != 0;
    const FlitSum other = tie ? flits.part(2) : FlitSum();
    add_leg(changes_, at, dimension, sign, hops, flits - other);
    if (tie) add_leg(changes_, at, dimension, opposite(sign), hops, other);
    at = topology_.moved(at, dimension, sign, hops);
  });
}

void LinkSums::add_leg(std::vector<FlitSum>& changes, NodeId at, unsigned dimension, Sign sign,
                       std::uint32_t hops, FlitSum flits) const {
  const unsigned port = port_of(dimension, sign);
  const std::uint32_t side = topology_.side(dimension);
  const std::uint32_t coordinate = topology_.coordinate(at, dimension);
  const NodeId line = at - coordinate * strides_[dimension];
  // Places along the line in the direction of travel.
  const auto change_at = [&](std::uint32_t place) -> FlitSum& {
    const std::uint32_t x = sign == Sign::plus ? place : side - 1 - place;
    return changes[topology_.channel(line + x * strides_[dimension], port)];
  };
  const std::uint32_t first = sign == Sign::plus ? coordinate : side - 1 - coordinate;
  change_at(first) += flits;
  const std::uint32_t end = first + hops;
  if (end < side) change_at(end) -= flits;
  if (end <= side) return;
  change_at(0) += flits;
  change_at(end - side) -= flits;
}

void LinkSums::sum_up(std::vector<FlitSum>& changes, unsigned dimension) const {
  const std::uint32_t side = topology_.side(dimension);
  const NodeId stride = strides_[dimension];
  for (NodeId line = 0; line < topology_.nodes(); ++line) {
    if (topology_.coordinate(line, dimension) != 0) continue;
    for (const Sign sign : {Sign::plus, Sign::minus}) {
      FlitSum sum;
      for (std::uint32_t place = 0; place < side; ++place) {
        const std::uint32_t x = sign == Sign::plus ? place : side - 1 - place;
        FlitSum& change = changes[topology_.channel(line + x * stride, port_of(dimension, sign))];
        sum += change;
        change = sum;
      }
    }
  }
}

std::vector<FlitSum> LinkSums::take() {
  if (paths_.follow_routes()) {
    for (unsigned dimension = 0; dimension < topology_.dimensions(); ++dimension) sum_up(changes_, dimension);
    for (ChannelId channel = 0; channel < sums_.size(); ++channel) sums_[channel] += changes_[channel];
  }
  return std::move(sums_);
}

bool LinkSums::add_from_all(const std::vector<FlitSum>& by_destination, double limit) {
  return paths_.follow_routes() ? add_routes_from_all(by_destination, limit)
                                : add_trees_from_all(by_destination, limit);
}

/// When a message travels in a dimension, it has the coordinates of its destination in the dimensions before,
/// and of its source in those behind. So one link sums up all sources that differ in the former and all
/// destinations that differ in the latter, and lines that differ in the latter only are alike.
bool LinkSums::add_routes_from_all(const std::vector<FlitSum>& by_destination, double limit) {
  const NodeId nodes = topology_.nodes();
  const unsigned dimensions = topology_.dimensions();
  if (static_cast<double>(nodes) * std::ranges::max(topology_.sides()) > limit) return false;
  const auto in_order = [&](unsigned i) { return (topology_.first_dimension() + i) % dimensions; };
  // Destinations with the same coordinates in the dimensions up to the present one are one, that with 0 in
  // all others.
  std::vector<FlitSum> flits = by_destination;
  std::vector<NodeId> behind(nodes, 0);  // the part of a node's number that its coordinates behind are
  std::uint64_t sources = nodes;         // that differ in the dimensions before
  for (unsigned i = dimensions; i-- > 0;) {
    const unsigned dimension = in_order(i);
    const std::uint32_t side = topology_.side(dimension);
    const NodeId stride = strides_[dimension];
    sources /= side;
    std::vector<FlitSum> changes(sums_.size());
    for (NodeId line = 0; line < nodes; ++line) {
      if (behind[line] != 0 || topology_.coordinate(line, dimension) != 0) continue;
      for (std::uint32_t to = 0; to < side; ++to) {
        const FlitSum all = flits[line + to * stride] * sources;
        for (std::uint32_t from = 0; from < side && !all.is_zero(); ++from) {
          if (from == to) continue;
          const NodeId at = line + from * stride;
          const Sign sign = topology_.shorter_direction(dimension, from, to);
          const std::uint32_t hops = topology_.hops(dimension, from, to, sign).value();
          const bool tie = splits_ties_ && topology_.wraps() && !topology_.is_one_way() && 2 * hops == side;
          const FlitSum other = tie ? all.part(2) : FlitSum();
          add_leg(changes, at, dimension, sign, hops, all - other);
          if (tie) add_leg(changes, at, dimension, opposite(sign), hops, other);
        }
      }
    }
    sum_up(changes, dimension);
    for (NodeId node = 0; node < nodes; ++node) {
      for (const Sign sign : {Sign::plus, Sign::minus}) {
        const unsigned port = port_of(dimension, sign);
        sums_[topology_.channel(node, port)] += changes[topology_.channel(node - behind[node], port)];
      }
    }
    for (NodeId node = 0; node < nodes; ++node) {
      const NodeId part = topology_.coordinate(node, dimension) * stride;
      if (part != 0 && behind[node] == 0) flits[node - part] += flits[node];
      behind[node] += part;
    }
  }
  return true;
}

namespace {

/// Counts the paths of many sources to one destination on every link. Paths that meet in a state (router,
/// input port and class, of heads that are prepared alike) go on together, so each state is passed once.
class PathTree {
 public:
  explicit PathTree(const Paths& paths)
      : topology_(paths.topology()),
        function_(paths.function()),
        classes_(function_.classes()),
        places_(std::size_t{topology_.routers()} * topology_.link_ports() * classes_) {}

  /// Begins with heads that are prepared alike, and paths that end at a router.
  void start(const Head& head, NodeId end) {
    head_ = head;
    end_ = end;
    links_.clear();
    paths_.clear();
    if (++now_ != 0) return;
    std::ranges::fill(places_, Place{});
    now_ = 1;
  }

  /// Adds so many paths from a router.
  void add(NodeId source, std::uint32_t paths) {
    paths_.push_back(links_.size());
    Arrival arrival{static_cast<std::uint8_t>(topology_.link_ports()), 0};
    for (NodeId at = source;;) {
      const Candidate candidate = function_.first_candidate(at, arrival, head_);
      links_.push_back({topology_.channel(at, candidate.port), kNone, 0});
      arrival = {static_cast<std::uint8_t>(candidate.port),
                 static_cast<std::uint8_t>(candidate.channel_class)};
      at = *topology_.neighbour(at, candidate.port);
      if (at == end_) break;
      Place& place = places_[(std::size_t{at} * topology_.link_ports() + arrival.port) * classes_ +
                             arrival.channel_class];
      if (place.stamp == now_) {
        links_.back().next = place.link;
        break;
      }
      links_.back().next = static_cast<std::uint32_t>(links_.size());
      place = {now_, links_.back().next};
    }
    links_[paths_.back()].count = paths;
  }

  /// Calls visit(channel, paths) for every link; a link can occur several times.
  template <typename Visit>
  void for_each_link(Visit visit) {
    // A path ends at the destination or in a path that began before it.
    for (std::size_t end = links_.size(); !paths_.empty(); paths_.pop_back()) {
      for (std::size_t i = paths_.back(); i < end; ++i) {
        visit(links_[i].channel, links_[i].count);
        if (links_[i].next != kNone) links_[links_[i].next].count += links_[i].count;
      }
      end = paths_.back();
    }
  }
  [[nodiscard]] std::size_t links() const { return links_.size(); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Place {
    std::uint32_t stamp = 0;
    std::uint32_t link = 0;  ///< in links_, by which the path goes on
  };
  struct Link {
    ChannelId channel = 0;
    std::uint32_t next = kNone;  ///< in links_; kNone before the destination
    std::uint32_t count = 0;     ///< paths
  };

  const Topology& topology_;
  const RoutingFunction& function_;
  std::size_t classes_;
  std::vector<Place> places_;
  std::uint32_t now_ = 0;
  Head head_;
  NodeId end_ = 0;
  std::vector<Link> links_;
  std::vector<std::size_t> paths_;  ///< where in links_ the links of each begin
};

}  // namespace

/// A tree for each destination, or for each core router with nodes if they are alike, from all other core
/// routers; the links of leaves by themselves.
bool LinkSums::add_trees_of_routers(const std::vector<FlitSum>& by_destination, double limit) {
  const CoreRouters routers(topology_);
  const bool alike = paths_.function().nodes_of_router() == NodesOfRouter::alike;
  struct Target {
    NodeId node = 0;
    FlitSum flits;
  };
  std::vector<Target> targets(alike ? routers.cores() : topology_.nodes());
  FlitSum all;
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    Target& target = targets[alike ? routers.core_of(node) : node];
    target.node = node;
    target.flits += by_destination[node];
    all += by_destination[node];
  }
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    if (!routers.is_leaf(node)) continue;
    const NodeId router = routers.router(routers.core_of(node));
    sums_[topology_.channel(node, routers.port_out(node))] += all - by_destination[node];
    sums_[topology_.channel(router, routers.port_in(node))] += by_destination[node] * (topology_.nodes() - 1);
  }
  PathTree tree(paths_);
  std::uint32_t looked = 0;
  double steps = 0;
  for (const auto& [node, flits] : targets) {
    if (flits.is_zero()) continue;
    const std::uint32_t to = routers.core_of(node);
    tree.start(paths_.head(node == 0 ? 1 : 0, node, Route{}), routers.router(to));
    for (std::uint32_t from = 0; from < routers.cores(); ++from) {
      if (from != to && routers.nodes_at(from) != 0) tree.add(routers.router(from), routers.nodes_at(from));
    }
    steps += static_cast<double>(tree.links());
    tree.for_each_link([&](ChannelId channel, std::uint32_t paths) { sums_[channel] += flits * paths; });
    if (++looked == kLooked && steps / kLooked * static_cast<double>(targets.size()) > limit) return false;
  }
  return true;
}

bool LinkSums::add_trees_from_all(const std::vector<FlitSum>& by_destination, double limit) {
  if (paths_.function().nodes_of_router() != NodesOfRouter::differ)
    return add_trees_of_routers(by_destination, limit);
  const double nodes = topology_.nodes();
  if (nodes * nodes * drawn_paths_ > limit) return false;
  PathTree tree(paths_);
  struct Sender {
    Head head;
    NodeId source = 0;
  };
  std::vector<Sender> senders;
  NodeId looked = 0;
  double steps = 0;
  for (NodeId destination = 0; destination < topology_.nodes(); ++destination) {
    const FlitSum flits = by_destination[destination].part(drawn_paths_);
    if (flits.is_zero()) continue;
    senders.clear();
    bool alike = true;
    for (NodeId source = 0; source < topology_.nodes(); ++source) {
      if (source == destination) continue;
      for (std::uint32_t draw = 0; draw < drawn_paths_; ++draw) {
        senders.push_back({paths_.head(source, destination, Route::drawn(draw)), source});
        alike = alike && senders.back().head.prepared == senders.front().head.prepared;
      }
    }
    if (!alike) std::ranges::stable_sort(senders, {}, [](const Sender& each) { return each.head.prepared; });
    for (std::size_t i = 0; i < senders.size();) {
      const std::size_t begin = i;
      const Head& head = senders[begin].head;
      while (i < senders.size() && senders[i].head.prepared == head.prepared) ++i;
      if (i - begin == 1) {  // shares its path with no other
        paths_.for_each_channel(senders[begin].source, destination, head.route, [&](ChannelId channel) {
          sums_[channel] += flits;
          ++steps;
        });
        continue;
      }
      tree.start(head, destination);
      for (std::size_t sender = begin; sender < i; ++sender) tree.add(senders[sender].source, 1);
      steps += static_cast<double>(tree.links());
      tree.for_each_link([&](ChannelId channel, std::uint32_t paths) { sums_[channel] += flits * paths; });
    }
    if (++looked == kLooked && steps / kLooked * nodes > limit) return false;
  }
  return true;
}

}  // namespace flitscope
