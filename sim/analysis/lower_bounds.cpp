#include "sim/analysis/lower_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "model/types.h"
#include "sim/analysis/network_cost.h"

namespace flitscope {
namespace {

using SetId = std::uint32_t;

/// Sets of nodes, each kept once.
class NodeSets {
 public:
  SetId add(std::vector<NodeId> nodes) {
    const auto [place, fresh] = ids_.try_emplace(std::move(nodes), static_cast<SetId>(sets_.size()));
    if (fresh) sets_.push_back(&place->first);
    return place->second;
  }
  [[nodiscard]] std::span<const NodeId> operator[](SetId id) const { return *sets_[id]; }
  [[nodiscard]] std::size_t size() const { return sets_.size(); }

 private:
  std::map<std::vector<NodeId>, SetId> ids_;
  std::vector<const std::vector<NodeId>*> sets_;
};

/// Chunks that the same nodes have at the start, or have operands of, and the same nodes want.
struct Group {
  SetId from = 0;
  SetId to = 0;
  bool combined = false;
  ChunkId example = 0;
  std::uint64_t bytes = 0;
};

/// A collective operation as groups of chunks with their sources and destinations.
class Demand {
 public:
  Demand(const Collective& collective, const Topology& topology) {
    const std::size_t chunks = collective.chunk_bytes.size();
    std::vector<NodeId> all;
    for (NodeId node = 0; node < topology.nodes(); ++node) {
      if (!topology.is_missing(node)) all.push_back(node);
    }
    const SetId all_nodes = sets_.add(std::move(all));
    const SetId no_nodes = sets_.add({});
    const auto operands = collective.operands_everywhere ? std::vector<SetId>(chunks, all_nodes)
                                                         : sets_of(collective.operands, chunks, no_nodes);
    const auto initial = sets_of(collective.initial, chunks, no_nodes);
    const auto goal =
        collective.goal ? sets_of(*collective.goal, chunks, no_nodes) : std::vector<SetId>(chunks, all_nodes);
    std::map<std::tuple<SetId, SetId, bool>, std::size_t> known;
    for (ChunkId chunk = 0; chunk < chunks; ++chunk) {
      const bool combined = operands[chunk] != no_nodes;
      const SetId from = combined ? operands[chunk] : initial[chunk];
      if (from == no_nodes || goal[chunk] == no_nodes) continue;
      const auto [place, fresh] = known.try_emplace({from, goal[chunk], combined}, groups_.size());
      if (fresh) groups_.push_back({from, goal[chunk], combined, chunk, 0});
      groups_[place->second].bytes += collective.chunk_bytes[chunk];
    }
    std::ranges::stable_sort(groups_, {}, &Group::from);
  }

  [[nodiscard]] const NodeSets& sets() const { return sets_; }
  /// By Group::from.
  [[nodiscard]] std::span<const Group> groups() const { return groups_; }

 private:
  std::vector<SetId> sets_of(const std::vector<Holding>& holdings, std::size_t chunks, SetId no_nodes) {
    std::vector<std::vector<NodeId>> nodes(chunks);
    for (const Holding& holding : holdings) {
      for (const ChunkId chunk : holding.chunks) nodes[chunk].push_back(holding.node);
    }
    std::vector<SetId> sets(chunks, no_nodes);
    for (ChunkId chunk = 0; chunk < chunks; ++chunk) {
      if (nodes[chunk].empty()) continue;
      std::ranges::sort(nodes[chunk]);
      sets[chunk] = sets_.add(std::move(nodes[chunk]));
    }
    return sets;
  }

  NodeSets sets_;
  std::vector<Group> groups_;
};

/// Routers on one side of a cut, and the bytes that have to cross it.
struct Cut {
  std::string name;     ///< of the routers inside: "[0, 1]"
  bool inwards = true;  ///< direction of the bytes
  std::uint64_t bytes = 0;
  std::uint64_t links = 0;

  [[nodiscard]] std::uint64_t least() const { return (bytes + links - 1) / links; }
};

class Bounds {
 public:
  Bounds(const ScheduleFacts& facts, const CheckReport& report, std::uint64_t max_work)
      : facts_(facts),
        report_(report),
        topology_(facts.topology),
        demand_(facts.collective, topology_),
        work_left_(max_work),
        inside_(topology_.routers()),
        links_from_(topology_.routers()) {}

  std::vector<LowerBound> find() {
    find_distance();
    find_growth();
    find_cut();
    return std::move(bounds_);
  }

 private:
  [[nodiscard]] bool spend(std::uint64_t work) {
    if (work > work_left_) return false;
    work_left_ -= work;
    return true;
  }

  // --- Distance --------------------------------------------------------------------------------------------

  /// Links from the nearest of some nodes to every router.
  [[nodiscard]] bool search_from(std::span<const NodeId> nodes) {
    if (!spend(topology_.channel_ids())) return false;
    links_from_ = links_from(topology_, nodes);
    return true;
  }

  void find_distance() {
    if (report_.longest_message_links == 0) return;
    std::uint32_t farthest = 0;
    const Group* which = nullptr;
    NodeId where = 0;
    const auto look = [&](const Group& group) {
      for (const NodeId node : demand_.sets()[group.to]) {
        if (links_from_[node] == kUnreachable || links_from_[node] <= farthest) continue;
        farthest = links_from_[node];
        which = &group;
        where = node;
      }
      return spend(demand_.sets()[group.to].size());
    };
    const auto groups = demand_.groups();
    for (std::size_t begin = 0, end = 0; begin < groups.size(); begin = end) {
      const auto nodes = demand_.sets()[groups[begin].from];
      for (end = begin; end < groups.size() && groups[end].from == groups[begin].from; ++end) continue;
      // Every operand has to travel; of other chunks the copy of the nearest node.
      for (const bool combined : {false, true}) {
        const auto of_that = [&](const Group& group) { return group.combined == combined; };
        const auto same = groups.subspan(begin, end - begin);
        if (std::ranges::none_of(same, of_that)) continue;
        for (std::size_t i = 0; i < (combined ? nodes.size() : 1); ++i) {
          if (!search_from(combined ? nodes.subspan(i, 1) : nodes)) return;
          for (const Group& group : same) {
            if (of_that(group) && !look(group)) return;
          }
        }
      }
    }
    if (which == nullptr) return;
    const std::uint32_t longest = report_.longest_message_links;
    add(LowerBound::Kind::distance, (farthest + longest - 1) / longest,
        fmt::format("{}chunk {} has to travel {} to {}, and no message travels more than {}",
                    which->combined ? "an operand of " : "", which->example, counted(farthest, "link"),
                    topology_.node_name(where), longest));
  }

  // --- Growth ----------------------------------------------------------------------------------------------

  /// Steps in which `from` become `to`, if every one makes `ports` more in a step.
  static std::uint64_t steps_of(std::uint64_t from, std::uint64_t to, std::uint64_t ports) {
    std::uint64_t steps = 0;
    for (; from < to; ++steps) from *= 1 + ports;
    return steps;
  }

  void find_growth() {
    std::uint64_t most = 0;
    std::string reason;
    for (const Group& group : demand_.groups()) {
      const auto from = demand_.sets()[group.from];
      const auto to = demand_.sets()[group.to];
      if (!spend(from.size() + to.size())) return;
      if (group.combined) {
        const std::uint64_t steps = steps_of(1, from.size(), facts_.receive_ports);
        if (steps > most) {
          most = steps;
          reason = fmt::format("{} operands of chunk {} have to meet, and a node receives at most {}",
                               from.size(), group.example, messages(facts_.receive_ports));
        }
      }
      std::vector<NodeId> both;
      std::ranges::set_union(from, to, std::back_inserter(both));
      const std::uint64_t start = group.combined ? 1 : from.size();
      const std::uint64_t end = group.combined ? to.size() : both.size();
      const std::uint64_t steps = steps_of(start, end, facts_.send_ports);
      if (steps > most) {
        most = steps;
        reason =
            fmt::format("chunk {} has to travel from {} to {}, and a node sends at most {}", group.example,
                        counted(start, "node"), counted(end, "node"), messages(facts_.send_ports));
      }
    }
    if (most > 0) add(LowerBound::Kind::growth, most, std::move(reason));
  }

  [[nodiscard]] static std::string messages(unsigned ports) { return counted(ports, "message") + " a step"; }

  // --- Cuts ------------------------------------------------------------------------------------------------

  void find_cut() {
    for (const NodeId node : demand_.sets()[0]) {
      if (!try_ball(node, 0)) break;
    }
    if (topology_.is_grid()) try_slabs();
    for (const NodeId node : demand_.sets()[0]) {
      if (!try_balls(node)) break;
    }
    if (!worst_) return;
    add(LowerBound::Kind::cut, worst_->least(),
        fmt::format("{} bytes have to {} {} over {}", worst_->bytes, worst_->inwards ? "enter" : "leave",
                    worst_->name, counted(worst_->links, "link")));
    if (report_.largest_message_bytes == 0) return;
    const std::uint64_t largest = report_.largest_message_bytes;
    add(LowerBound::Kind::pace, (worst_->least() + largest - 1) / largest,
        fmt::format("{} bytes on a link, in messages of at most {}", worst_->least(), largest));
  }

  /// All within so many links from a router.
  bool try_ball(NodeId centre, std::uint32_t radius) {
    for (NodeId router = 0; router < topology_.routers(); ++router) {
      const bool is_inside = radius == 0 ? router == centre : links_from_[router] <= radius;
      inside_[router] = is_inside ? 1 : 0;
    }
    return try_cut([&] {
      std::string name = topology_.node_name(centre);
      if (radius == 0) return name;
      return fmt::format("all within {} of {}", counted(radius, "link"), name);
    });
  }

  bool try_balls(NodeId centre) {
    if (!search_from(std::span(&centre, 1))) return false;
    std::vector<std::uint32_t> sizes;
    for (const std::uint32_t links : links_from_) {
      if (links == kUnreachable) continue;
      if (links >= sizes.size()) sizes.resize(links + 1);
      ++sizes[links];
    }
    std::uint32_t size = sizes[0];
    for (std::uint32_t radius = 1; radius < sizes.size(); ++radius) {
      size += sizes[radius];
      if (size > topology_.routers() / 2 && radius > 1) return true;
      if (!try_ball(centre, radius)) return false;
    }
    return true;
  }

  void try_slabs() {
    for (unsigned dimension = 0; dimension < topology_.dimensions(); ++dimension) {
      const std::uint32_t side = topology_.side(dimension);
      // On a torus a slab and the rest of it are one cut.
      const std::uint32_t starts = topology_.wraps() ? side : 1;
      const std::uint32_t widest = topology_.wraps() ? side / 2 : side - 1;
      for (std::uint32_t width = widest; width > 0; --width) {
        for (std::uint32_t start = 0; start < starts; ++start) {
          for (NodeId node = 0; node < topology_.nodes(); ++node) {
            const std::uint32_t at = topology_.coordinate(node, dimension);
            inside_[node] = (at + side - start) % side < width ? 1 : 0;
          }
          const bool tried = try_cut([&] {
            const std::uint32_t last = (start + width - 1) % side;
            if (width == 1) return fmt::format("coordinate {} of dimension {}", start, dimension);
            return fmt::format("coordinates {} to {} of dimension {}", start, last, dimension);
          });
          if (!tried) return;
        }
      }
    }
  }

  /// Looks at the cut around the routers that are inside.
  template <typename Name>
  bool try_cut(Name name) {
    if (!spend(topology_.channel_ids() + demand_.groups().size())) return false;
    std::uint64_t links_in = 0;
    std::uint64_t links_out = 0;
    topology_.for_each_link([&](NodeId router, unsigned, NodeId next) {
      if (inside_[router] != inside_[next]) ++(inside_[router] != 0 ? links_out : links_in);
    });
    sides_.assign(demand_.sets().size(), 0);
    for (SetId id = 0; id < sides_.size(); ++id) {
      const auto nodes = demand_.sets()[id];
      std::size_t i = 0;
      for (; i < nodes.size() && sides_[id] != (kInside | kOutside); ++i) {
        sides_[id] |= inside_[nodes[i]] != 0 ? kInside : kOutside;
      }
      if (!spend(i)) return false;
    }
    std::uint64_t in = 0;
    std::uint64_t out = 0;
    for (const Group& group : demand_.groups()) {
      const unsigned from = sides_[group.from];
      const unsigned to = sides_[group.to];
      // Every operand has to travel; of other chunks the nearest copy.
      const bool enters = group.combined ? (from & kOutside) != 0 : from == kOutside;
      const bool leaves = group.combined ? (from & kInside) != 0 : from == kInside;
      if (enters && (to & kInside) != 0) in += group.bytes;
      if (leaves && (to & kOutside) != 0) out += group.bytes;
    }
    consider(in, links_in, true, name);
    consider(out, links_out, false, name);
    return true;
  }

  template <typename Name>
  void consider(std::uint64_t bytes, std::uint64_t links, bool inwards, Name name) {
    if (bytes == 0 || links == 0) return;
    const Cut cut{{}, inwards, bytes, links};
    if (worst_ && cut.least() <= worst_->least()) return;
    worst_ = cut;
    worst_->name = name();
  }

  void add(LowerBound::Kind kind, std::uint64_t least, std::string reason) {
    const std::uint64_t found = kind == LowerBound::Kind::cut ? report_.busiest_link_bytes : report_.steps;
    bounds_.push_back({kind, least, found, std::move(reason)});
  }

  static constexpr std::uint8_t kInside = 1;
  static constexpr std::uint8_t kOutside = 2;

  const ScheduleFacts& facts_;
  const CheckReport& report_;
  const Topology& topology_;
  Demand demand_;
  std::uint64_t work_left_;
  std::vector<LowerBound> bounds_;
  std::vector<std::uint8_t> inside_;       ///< by router
  std::vector<std::uint32_t> links_from_;  ///< by router
  std::vector<std::uint8_t> sides_;        ///< by set
  std::optional<Cut> worst_;
};

/// Entries of all lists of a collective.
std::uint64_t size_of(const Collective& collective) {
  std::uint64_t size = collective.chunk_bytes.size();
  const auto add = [&](const std::vector<Holding>& holdings) {
    for (const Holding& holding : holdings) size += holding.chunks.size();
  };
  add(collective.initial);
  add(collective.operands);
  if (collective.goal) add(*collective.goal);
  return size;
}

}  // namespace

std::vector<LowerBound> lower_bounds(const ScheduleFacts& facts, const CheckReport& report,
                                     std::uint64_t max_work) {
  if (!report.without({ViolationKind::collective})) return {};
  // Lists of nodes are made of lists of chunks: that takes more than looking at each of them.
  constexpr std::uint64_t kListing = 20;
  if (size_of(facts.collective) * kListing > max_work) return {};
  return Bounds(facts, report, max_work).find();
}

void check_claims(std::span<const LowerBound> bounds, const ScheduleFacts& facts, const CheckReport& report,
                  ViolationLog& log) {
  for (const LowerBound& bound : bounds) {
    // Other schedules of the same algorithm may have longer messages, and share links.
    const bool holds = bound.kind == LowerBound::Kind::growth ||
                       (bound.kind == LowerBound::Kind::distance && report.longest_message_links == 1);
    if (!holds || !facts.claimed_steps || *facts.claimed_steps >= bound.least) continue;
    log.violate(ViolationKind::bounds, "the schedule claims {}, but none can take fewer than {}: {}",
                counted(*facts.claimed_steps, "step"), bound.least, bound.reason);
  }
}

}  // namespace flitscope
