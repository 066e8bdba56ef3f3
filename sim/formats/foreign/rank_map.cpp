#include <algorithm>
#include <boost/algorithm/string.hpp>
#include <map>
#include <utility>

#include "model/error.h"
#include "model/numbers.h"
#include "model/route.h"
#include "model/text.h"
#include "sim/formats/foreign/format.h"

namespace flitscope {

namespace {

/// Nodes in an order in which each is a neighbour of the one before: dimension 0 forwards and backwards, then
/// one further in dimension 1, and so on.
std::vector<NodeId> snake_of(const Topology& topology, std::uint32_t ranks) {
  std::vector<NodeId> nodes(ranks);
  std::vector<std::uint32_t> at(topology.dimensions());
  for (NodeId rank = 0; rank < nodes.size(); ++rank) {
    std::uint64_t rest = rank;
    for (unsigned k = 0; k < at.size(); ++k) {
      at[k] = static_cast<std::uint32_t>(rest % topology.side(k));
      rest /= topology.side(k);
      if (rest % 2 == 1) at[k] = topology.side(k) - 1 - at[k];  // backwards
    }
    nodes[rank] = topology.node(at);
  }
  return nodes;
}

class MapSearch {
 public:
  MapSearch(const Topology& topology, std::uint32_t ranks, std::span<const RankTraffic> traffic)
      : topology_(topology), partners_(ranks) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> bytes;
    for (const RankTraffic& one : traffic) bytes[std::minmax({one.source, one.destination})] += one.bytes;
    for (const auto& [pair, sum] : bytes) {
      partners_[pair.first].push_back({pair.second, sum});
      partners_[pair.second].push_back({pair.first, sum});
    }
    if (topology.nodes() > kMaxTabled) return;
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      for (NodeId to = 0; to < topology.nodes(); ++to)
        table_.push_back(static_cast<std::uint16_t>(links(from, to)));
    }
  }

  [[nodiscard]] double cost(std::span<const NodeId> nodes) const {
    double sum = 0;
    for (std::uint32_t rank = 0; rank < partners_.size(); ++rank) sum += cost_of(rank, nodes, nodes[rank]);
    return sum;
  }

  void improve(std::vector<NodeId>& nodes) {
    std::vector<std::uint32_t> rank_at(topology_.nodes(), kNoOwner);
    for (std::uint32_t rank = 0; rank < nodes.size(); ++rank) rank_at[nodes[rank]] = rank;
    for (bool better = true; better;) {
      better = false;
      for (std::uint32_t rank = 0; rank < nodes.size(); ++rank) {
        for (NodeId to = 0; to < topology_.nodes(); ++to) {
          if (to == nodes[rank] || rank_at[to] < rank) continue;
          if (work_ > kMaxWork) return;
          better = change_places(rank, to, nodes, rank_at) || better;
        }
      }
    }
  }

 private:
  static constexpr std::uint32_t kNoOwner = 0xFFFFFFFF;
  static constexpr std::uint64_t kMaxWork = 100'000'000;
  static constexpr NodeId kMaxTabled = 4096;
  struct Partner {
    std::uint32_t rank = 0;
    std::uint64_t bytes = 0;
  };

  [[nodiscard]] std::uint32_t links(NodeId from, NodeId to) const {
    return route_length(topology_, from, to, shortest_route(topology_, from, to));
  }
  [[nodiscard]] double distance(NodeId from, NodeId to) const {
    return table_.empty() ? links(from, to) : table_[std::size_t{from} * topology_.nodes() + to];
  }
  [[nodiscard]] double cost_of(std::uint32_t rank, std::span<const NodeId> nodes, NodeId at) const {
    double sum = 0;
    for (const Partner& partner : partners_[rank]) {
      sum += static_cast<double>(partner.bytes) * distance(at, nodes[partner.rank]);
    }
    return sum;
  }
  /// Exchanges the rank with the rank at `to`, if that lowers the cost.
  bool change_places(std::uint32_t rank, NodeId to, std::vector<NodeId>& nodes,
                     std::vector<std::uint32_t>& rank_at) {
    const NodeId from = nodes[rank];
    const std::uint32_t other = rank_at[to];
    work_ += 1 + partners_[rank].size() + (other == kNoOwner ? 0 : partners_[other].size());
    const auto present = [&] {
      return cost_of(rank, nodes, nodes[rank]) +
             (other == kNoOwner ? 0 : cost_of(other, nodes, nodes[other]));
    };
    const double before = present();
    nodes[rank] = to;
    if (other != kNoOwner) nodes[other] = from;
    if (present() < before) {
      rank_at[to] = rank;
      rank_at[from] = other;
      return true;
    }
    nodes[rank] = from;
    if (other != kNoOwner) nodes[other] = to;
    return false;
  }

  const Topology& topology_;
  std::vector<std::vector<Partner>> partners_;
  std::vector<std::uint16_t> table_;  ///< links from node to node, of a small network
  std::uint64_t work_ = 0;            ///< partners that were looked at
};

std::vector<NodeId> searched(const Topology& topology, std::uint32_t ranks,
                             std::span<const RankTraffic> traffic) {
  MapSearch search(topology, ranks, traffic);
  const auto identity = numbers_below<NodeId>(ranks);
  const std::vector<NodeId> snake = snake_of(topology, ranks);
  std::vector<NodeId> best = search.cost(snake) < search.cost(identity) ? snake : identity;
  search.improve(best);
  return best;
}

void require_list(const RankMap& map, const std::string& file, std::uint32_t ranks, NodeId nodes) {
  if (map.nodes.size() != ranks) {
    throw InputError("--map names {}, but {} has {}", counted(map.nodes.size(), "node"), printable(file),
                     counted(ranks, "rank"));
  }
  std::vector<bool> taken(nodes);
  for (const NodeId node : map.nodes) {
    if (node >= nodes) throw InputError("--map: there is no node {}; there are {}, from 0", node, nodes);
    if (taken[node]) throw InputError("--map names node {} twice", node);
    taken[node] = true;
  }
}

}  // namespace

RankMap read_rank_map(const std::string& text) {
  constexpr NodeId kMaxRange = 1U << 24;
  if (text == "identity") return {RankMapKind::identity};
  if (text == "snake") return {RankMapKind::snake};
  if (text == "search") return {RankMapKind::search};
  RankMap map{RankMapKind::list};
  std::vector<std::string> numbers;
  boost::split(numbers, text, boost::is_any_of(","));
  for (const std::string& word : numbers) {
    const std::size_t dash = std::min(word.find('-'), word.size());
    const auto first = number_in<NodeId>(word.substr(0, dash));
    const auto last = dash == word.size() ? first : number_in<NodeId>(word.substr(dash + 1));
    if (first && last && *last < *first) {
      throw InputError("--map: range {} falls; ranges rise, such as {}-{}, and nodes alone have any order",
                       word, *last, *first);
    }
    if (!first || !last || *last - *first > kMaxRange) {
      throw InputError(
          "--map must be 'identity', 'snake', 'search' or the nodes of rank 0, 1, .. by number, such as "
          "'3,1,0,2' or '8-15,0-7', not {}",
          in_quotes(text));
    }
    for (NodeId k = 0; k <= *last - *first; ++k) map.nodes.push_back(*first + k);
  }
  return map;
}

std::vector<NodeId> map_ranks(const ImportOptions& options, const std::string& file, std::uint32_t ranks,
                              std::span<const RankTraffic> traffic) {
  const Topology& topology = options.topology;
  if (ranks > topology.nodes()) {
    throw InputError("{}: has {}, but the {} has {} nodes", printable(file), counted(ranks, "rank"),
                     topology.name(), topology.nodes());
  }
  const bool measures = options.map.kind == RankMapKind::snake || options.map.kind == RankMapKind::search;
  if (measures && !topology.is_grid()) {
    throw InputError("--map snake and search need a torus or mesh, not a {}", topology.name());
  }
  if (options.map.kind == RankMapKind::identity) return numbers_below<NodeId>(ranks);
  if (options.map.kind == RankMapKind::snake) return snake_of(topology, ranks);
  if (options.map.kind == RankMapKind::search) return searched(topology, ranks, traffic);
  require_list(options.map, file, ranks, topology.nodes());
  return options.map.nodes;
}

std::vector<NodeId> map_ranks(const ImportOptions& options, const std::string& file,
                              const RankProgram& program) {
  std::vector<RankTraffic> traffic;
  for (const Operation& one : program.operations()) {
    if (options.map.kind == RankMapKind::search && one.kind == Operation::Kind::send)
      traffic.push_back({one.rank, one.peer, one.bytes});
  }
  return map_ranks(options, file, program.ranks(), traffic);
}

ImportFile& only_file(std::vector<ImportFile>& files, std::string_view why) {
  if (files.size() != 1) throw InputError(std::string(why));
  return files.front();
}

ScheduleFacts import_facts(const ImportOptions& options, std::string algorithm) {
  ScheduleFacts facts(options.topology);
  facts.algorithm = std::move(algorithm);
  facts.routing = options.routing;
  return facts;
}

}  // namespace flitscope
