#include "algorithms/common/cycles.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <utility>

#include "algorithms/common/hamiltonian_decomposition.h"
#include "model/random.h"
#include "model/schedule.h"

namespace flitscope::common {

namespace {

/// The moves of a Hamiltonian cycle, dimension by dimension. With one more dimension those so far are the
/// columns of a grid: the walk winds row by row through all of them but column 0, and comes back there.
std::vector<unsigned> cycle_moves(const Topology& torus) {
  std::vector<unsigned> columns(torus.side(0), port_of(0, Sign::plus));
  for (unsigned k = 1; k < torus.dimensions(); ++k) {
    const std::size_t n = columns.size();
    const std::uint32_t rows = torus.side(k);
    std::vector<unsigned> moves{columns[0]};
    for (std::uint32_t row = 0; row < rows; ++row) {
      const bool outwards = row % 2 == 0;
      for (std::size_t i = 1; i + 1 < n; ++i) {
        moves.push_back(outwards ? columns[i] : torus.opposite_port(columns[n - 1 - i]));
      }
      if (row + 1 < rows) moves.push_back(port_of(k, Sign::plus));
    }
    // An odd last row ends in column 1, an even one in column n-1.
    moves.push_back(rows % 2 == 0 ? torus.opposite_port(columns[0]) : columns[n - 1]);
    moves.insert(moves.end(), rows - 1, port_of(k, Sign::minus));
    columns = std::move(moves);
  }
  return columns;
}

// The order of a ring on a network that has no formula for a Hamiltonian cycle.

constexpr unsigned kTries = 200;
constexpr NodeId kMaxSearched = 20'000;

using Neighbours = std::vector<std::vector<NodeId>>;  ///< by node, sorted

/// Calls visit(node) for the nodes to which a path leads from `start` through no other node.
template <typename Visit>
void for_each_beside(const Topology& topology, NodeId start, std::vector<NodeId>& seen, Visit visit) {
  std::vector<NodeId> open{start};
  seen[start] = start;
  while (!open.empty()) {
    const NodeId at = open.back();
    open.pop_back();
    topology.for_each_link_from(at, [&](unsigned, NodeId next) {
      if (seen[next] == start) return;
      seen[next] = start;
      if (next < topology.nodes()) {
        visit(next);
      } else {
        open.push_back(next);
      }
    });
  }
}

/// To which a node sends.
Neighbours neighbours_of(const Topology& topology) {
  Neighbours neighbours(topology.nodes());
  std::vector<NodeId> seen(topology.routers(), kNoNode);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for_each_beside(topology, node, seen, [&](NodeId other) { neighbours[node].push_back(other); });
    std::ranges::sort(neighbours[node]);
  }
  return neighbours;
}

/// Those that send to the node, too.
Neighbours both_ways(const Neighbours& all) {
  Neighbours both(all.size());
  for (NodeId node = 0; node < all.size(); ++node) {
    std::ranges::copy_if(all[node], std::back_inserter(both[node]),
                         [&](NodeId other) { return std::ranges::binary_search(all[other], node); });
  }
  return both;
}

/// Every node has one link, to a router without a node, so that no path leads through a node.
bool all_hang(const Topology& topology) {
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    unsigned links = 0;
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const auto next = topology.neighbour(node, port);
      if (!next) continue;
      if (*next < topology.nodes() || ++links > 1) return false;
    }
  }
  return true;
}

/// Nodes as a walk round a breadth-first tree meets them: on even levels before what is below them, on odd
/// levels after that (M. Sekanina, 1960).
std::vector<NodeId> walk_round_tree(const Topology& topology, NodeId root) {
  std::vector<std::vector<NodeId>> children(topology.routers());
  std::vector<bool> seen(topology.routers());
  std::vector<NodeId> open{root};
  seen[root] = true;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const NodeId at = open[i];
    topology.for_each_link_from(at, [&](unsigned, NodeId next) {
      if (seen[next]) return;
      seen[next] = true;
      children[at].push_back(next);
      open.push_back(next);
    });
    std::ranges::sort(children[at], std::ranges::greater());
  }
  struct Visit {
    NodeId router = 0;
    bool odd_level = false;
    bool is_below_done = false;
  };
  std::vector<NodeId> order;
  std::vector<Visit> walk{{root}};
  while (!walk.empty()) {
    const Visit at = walk.back();
    walk.pop_back();
    if (at.odd_level == at.is_below_done && at.router < topology.nodes()) order.push_back(at.router);
    if (at.is_below_done) continue;
    if (at.odd_level) walk.push_back({at.router, true, true});
    for (const NodeId child : children[at.router]) walk.push_back({child, !at.odd_level});
  }
  return order;
}

/// Cycles that cover all nodes, and become fewer.
class Cycles {
 public:
  /// `are_mutual`: every neighbour of a node has it as a neighbour.
  Cycles(const Neighbours& neighbours, bool are_mutual, const Participants& participants)
      : neighbours_(neighbours),
        are_mutual_(are_mutual),
        next_(neighbours.size()),
        before_(neighbours.size()),
        order_(participants.count()) {
    for (NodeId place = 0; place < participants.count(); ++place) order_[place] = participants[place];
  }

  /// Gives every node a successor; false if that cannot be.
  bool cover(std::mt19937_64& random) {
    shuffle(order_, random);
    std::ranges::fill(next_, kNoNode);
    std::ranges::fill(before_, kNoNode);
    return std::ranges::all_of(order_, [this](NodeId node) { return next_[node] != kNoNode || match(node); });
  }

  /// Joins cycles as long as two can be joined; true if one is left.
  bool join() {
    cycle_.assign(next_.size(), kNoNode);
    std::size_t cycles = 0;
    for (const NodeId node : order_) {
      if (cycle_[node] != kNoNode) continue;
      ++cycles;
      for (NodeId at = node; cycle_[at] == kNoNode; at = next_[at]) cycle_[at] = node;
    }
    for (bool joined = true; joined && cycles > 1;) {
      joined = false;
      for (const NodeId node : order_) {
        if (!join_at(node)) continue;
        joined = true;
        --cycles;
      }
    }
    return cycles == 1;
  }

  [[nodiscard]] std::vector<NodeId> from(NodeId start) const {
    std::vector<NodeId> cycle{start};
    for (NodeId at = next_[start]; at != start; at = next_[at]) cycle.push_back(at);
    return cycle;
  }

 private:
  [[nodiscard]] bool are_neighbours(NodeId one, NodeId other) const {
    return std::ranges::binary_search(neighbours_[one], other);
  }

  /// Finds a successor for a node, others changing theirs where they must: an augmenting path.
  bool match(NodeId start) {
    std::vector<NodeId> asked_by(next_.size(), kNoNode);  // the node that wants this successor
    std::vector<NodeId> open{start};
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (NodeId to : neighbours_[open[i]]) {
        if (asked_by[to] != kNoNode) continue;
        asked_by[to] = open[i];
        if (before_[to] != kNoNode) {
          open.push_back(before_[to]);
          continue;
        }
        while (true) {
          const NodeId node = asked_by[to];
          const NodeId given_up = next_[node];
          next_[node] = to;
          before_[to] = node;
          if (node == start) return true;
          to = given_up;
        }
      }
    }
    return false;
  }

  /// Joins the cycle of `a`, which goes on to b, with one that has c and d one behind the other, if c is a
  /// neighbour of a, and b one of d.
  bool join_at(NodeId a) {
    const NodeId b = next_[a];
    for (const NodeId c : neighbours_[a]) {
      if (cycle_[c] == cycle_[a]) continue;
      if (are_neighbours(before_[c], b)) {
        link(before_[c], b);
      } else if (are_mutual_ && are_neighbours(next_[c], b)) {
        const NodeId d = next_[c];
        reverse(c);
        link(d, b);
      } else {
        continue;
      }
      link(a, c);
      rename(a);
      return true;
    }
    return false;
  }
  void link(NodeId from, NodeId to) {
    next_[from] = to;
    before_[to] = from;
  }
  void reverse(NodeId start) {
    NodeId at = start;
    do {
      std::swap(next_[at], before_[at]);
      at = before_[at];
    } while (at != start);
  }
  void rename(NodeId start) {
    for (NodeId at = next_[start]; at != start; at = next_[at]) cycle_[at] = cycle_[start];
  }

  const Neighbours& neighbours_;
  bool are_mutual_;
  std::vector<NodeId> next_;
  std::vector<NodeId> before_;
  std::vector<NodeId> order_;
  std::vector<NodeId> cycle_;  ///< by node: one of its cycle
};

/// The search, in a bounded number of tries; nothing if no cycle is found.
std::optional<std::vector<NodeId>> searched_order(const Neighbours& neighbours, bool are_mutual,
                                                  const Participants& participants) {
  const std::size_t fewest = are_mutual ? 2 : 1;
  for (NodeId place = 0; place < participants.count(); ++place) {
    if (neighbours[participants[place]].size() < fewest) return std::nullopt;
  }
  Cycles cycles(neighbours, are_mutual, participants);
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < kTries; ++i) {
    if (!cycles.cover(random)) return std::nullopt;
    if (cycles.join()) return cycles.from(participants[0]);
  }
  return std::nullopt;
}

}  // namespace

bool has_links(const Topology& topology, const HamiltonianCycle& cycle, bool back) {
  for (std::size_t at = 0; at < cycle.nodes.size(); ++at) {
    const NodeId from = cycle.nodes[at];
    const NodeId to = cycle.nodes[(at + 1) % cycle.nodes.size()];
    if (!(back ? topology.port_to(to, from) : topology.port_to(from, to))) return false;
  }
  return true;
}

bool leads_one_way(const Topology& topology, const HamiltonianCycle& cycle) {
  return topology.is_one_way() || (has_links(topology, cycle) && !has_links(topology, cycle, true));
}

HamiltonianCycle hamiltonian_cycle(const Topology& torus) {
  HamiltonianCycle cycle{{0}, cycle_moves(torus)};
  for (const unsigned port : cycle.moves) cycle.nodes.push_back(*torus.neighbour(cycle.nodes.back(), port));
  cycle.nodes.pop_back();
  return cycle;
}

HamiltonianCycle searched_cycle(const Topology& topology) {
  HamiltonianCycle cycle{ring_order(topology), {}};
  for (std::size_t at = 0; at < cycle.nodes.size(); ++at) {
    const NodeId next = cycle.nodes[(at + 1) % cycle.nodes.size()];
    cycle.moves.push_back(topology.port_to(cycle.nodes[at], next).value_or(topology.link_ports() - 1));
  }
  return cycle;
}

std::vector<HamiltonianCycle> disjoint_cycles(const Topology& topology) {
  if (topology.dimensions() == 1) return {hamiltonian_cycle(topology)};
  const PaperTorus torus(topology);
  std::vector<HamiltonianCycle> cycles;
  for (const Ring& ring : hamiltonian_decomposition(torus)) {
    HamiltonianCycle& cycle = cycles.emplace_back();
    for (const Pu pu : ring.pus()) {
      cycle.nodes.push_back(torus.node(pu));
      cycle.moves.push_back(torus.port(ring.exit(pu)));
    }
  }
  return cycles;
}

Spread cycle_spread(const Topology& topology, std::vector<HamiltonianCycle> cycles, bool both_directions,
                    std::uint32_t channel_load) {
  const Participants participants(topology);
  const std::size_t p = participants.count();
  const unsigned directions = both_directions ? 2 : 1;
  const unsigned colours = static_cast<unsigned>(cycles.size()) * directions;
  const bool one_way = leads_one_way(topology, cycles.front());
  const auto produce = [=, cycles = std::move(cycles)](unsigned first_direction, std::uint64_t number,
                                                       const Spread::Send& send) {
    for (unsigned colour = 0; colour < colours; ++colour) {
      const HamiltonianCycle& cycle = cycles[colour / directions];
      const bool forward = (first_direction + colour % directions) % 2 == 0;
      for (std::size_t at = 0; at < p; ++at) {
        // Backward, a link leads from position at + 1 to at.
        const std::size_t next = (at + 1) % p;
        const std::size_t owner = forward ? (at + p - (number - 1)) % p : (next + number - 1) % p;
        const Route route = topology.neighbour(cycle.nodes[at], cycle.moves[at]) == cycle.nodes[next]
                                ? one_hop(cycle.moves[at])
                                : shortest_route(topology, cycle.nodes[at], cycle.nodes[next]);
        const ChunkId chunk = participants.place(cycle.nodes[owner]) * colours + colour;
        send(cycle.nodes[forward ? at : next], cycle.nodes[forward ? next : at],
             forward ? route : reversed(route), std::span(&chunk, 1));
      }
    }
  };
  Spread spread{.colours = colours,
                .steps = p - 1,
                .messages = (p - 1) * p * colours,
                .ports = colours,
                .produce = std::bind_front(produce, 0U),
                .channel_load = channel_load};
  // Mirrors of what goes backward go forward, as the links do.
  if (one_way) spread.produce_mirrored = std::bind_front(produce, 1U);
  return spread;
}

std::vector<NodeId> ring_order(const Topology& topology) {
  const Participants participants(topology);
  if (participants.count() == 2) return {participants[0], participants[1]};
  if (!all_hang(topology) && topology.nodes() <= kMaxSearched) {
    const Neighbours all = neighbours_of(topology);
    const Neighbours both = both_ways(all);
    if (auto order = searched_order(both, true, participants)) return *order;
    if (both != all) {
      if (auto order = searched_order(all, false, participants)) return *order;
    }
  }
  return walk_round_tree(topology, participants[0]);
}

}  // namespace flitscope::common
