#include "sim/analysis/cuts.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "sim/analysis/dependency_cycles.h"

namespace flitscope {

namespace {

/// A graph without dependency cycles that grows.
class Layer {
 public:
  /// Adds the arcs of a way, or none of them if one would close a dependency cycle. Returns whether they are
  /// added.
  bool take(const std::vector<ChannelId>& way) {
    std::vector<Arc> added;
    for (std::size_t hop = 1; hop < way.size(); ++hop) {
      if (!next_[way[hop - 1]].insert(way[hop]).second) continue;
      added.emplace_back(way[hop - 1], way[hop]);
      if (!leads_to(way[hop], way[hop - 1])) continue;
      for (const auto& [from, to] : added) next_[from].erase(to);
      return false;
    }
    return true;
  }

  [[nodiscard]] std::vector<Arc> arcs() const {
    std::vector<Arc> result;
    for (const auto& [from, targets] : next_) {
      for (const ChannelId to : targets) result.emplace_back(from, to);
    }
    return result;
  }

 private:
  [[nodiscard]] bool leads_to(ChannelId from, ChannelId to) const {
    std::vector<ChannelId> open{from};
    std::set<ChannelId> seen{from};
    while (!open.empty()) {
      const ChannelId at = open.back();
      open.pop_back();
      if (at == to) return true;
      const auto targets = next_.find(at);
      if (targets == next_.end()) continue;
      for (const ChannelId next : targets->second) {
        if (seen.insert(next).second) open.push_back(next);
      }
    }
    return false;
  }

  std::unordered_map<ChannelId, std::set<ChannelId>> next_;
};

/// The turns a function makes, and what remains without some of them.
class TurnCut {
 public:
  TurnCut(PathEnumerator& ways, const Flows& flows) : ways_(ways), journeys_(flows) {
    std::set<Arc> arcs;
    ways.start_again();
    flows([&](const Flow& flow) {
      ways_.follow(flow.source, ways_.head(flow.source, flow.destination, flow.route),
                   [&](std::optional<std::uint64_t> before, std::span<const std::uint64_t> next) {
                     if (!before) return;
                     for (const std::uint64_t lane : next) arcs.emplace(*before, lane);
                   });
      return true;
    });
    arcs_.assign(arcs.begin(), arcs.end());
    for (const auto& [from, to] : arcs_) {
      const Turn turn{ways_.lanes().port(from), ways_.lanes().port(to)};
      if (turn.from != turn.into && std::ranges::find(turns_, turn) == turns_.end()) turns_.push_back(turn);
    }
    std::ranges::sort(turns_, {}, [](const Turn& turn) { return std::pair(turn.from, turn.into); });
  }

  [[nodiscard]] std::size_t arcs() const { return arcs_.size(); }

  /// The first set of `count` turns, in order, that is one.
  std::optional<std::vector<Turn>> of_size(std::size_t count, unsigned& trials) {
    std::vector<std::size_t> places(count);
    for (std::size_t i = 0; i < count; ++i) places[i] = i;
    while (count <= turns_.size() && trials > 0) {
      --trials;
      std::vector<Turn> forbidden;
      for (const std::size_t place : places) forbidden.push_back(turns_[place]);
      if (without_cycles(forbidden) && all_arrive(forbidden)) return forbidden;
      // The next set in lexicographic order.
      std::size_t i = count;
      while (i > 0 && places[i - 1] == turns_.size() - count + i - 1) --i;
      if (i == 0) break;
      ++places[i - 1];
      for (; i < count; ++i) places[i] = places[i - 1] + 1;
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool is_forbidden(const std::vector<Turn>& forbidden, std::uint64_t from,
                                  std::uint64_t to) const {
    const Turn turn{ways_.lanes().port(from), ways_.lanes().port(to)};
    return std::ranges::find(forbidden, turn) != forbidden.end();
  }

  [[nodiscard]] bool without_cycles(const std::vector<Turn>& forbidden) const {
    std::vector<Arc> left;
    for (const auto& [from, to] : arcs_) {
      if (!is_forbidden(forbidden, from, to)) left.emplace_back(from, to);
    }
    return !DependencyCycles(std::move(left)).any();
  }

  [[nodiscard]] bool all_arrive(const std::vector<Turn>& forbidden) {
    bool all = true;
    journeys_([&](const Flow& flow) {
      all = arrives(flow, forbidden);
      return all;
    });
    return all;
  }

  [[nodiscard]] bool arrives(const Flow& flow, const std::vector<Turn>& forbidden) const {
    const RoutingFunction& routing = ways_.routing();
    const VcGroups& lanes = ways_.lanes();
    const Head head = ways_.head(flow.source, flow.destination, flow.route);
    std::set<std::uint64_t> seen;
    std::vector<std::uint64_t> open;
    const auto go_on = [&](std::optional<std::uint64_t> before, NodeId node, Arrival arrival) {
      std::vector<Candidate> candidates;
      routing.add_candidates(node, arrival, head, candidates);
      for (const Candidate& candidate : candidates) {
        const std::uint64_t lane = lanes.number(ways_.topology().channel(node, candidate.port),
                                                lanes.of_class(candidate.channel_class));
        if (before && is_forbidden(forbidden, *before, lane)) continue;
        if (seen.insert(lane).second) open.push_back(lane);
      }
    };
    go_on(std::nullopt, flow.source, {static_cast<std::uint8_t>(ways_.topology().link_ports()), 0});
    while (!open.empty()) {
      const std::uint64_t lane = open.back();
      open.pop_back();
      if (ways_.end(lane) == flow.destination) return true;
      go_on(lane, ways_.end(lane), arrival_by(lanes, lane));
    }
    return false;
  }

  PathEnumerator& ways_;
  const Flows& journeys_;
  std::vector<Arc> arcs_;
  std::vector<Turn> turns_;
};

}  // namespace

std::optional<unsigned> layers_of(PathEnumerator& ways, const Flows& flows, std::uint64_t max_ways) {
  constexpr std::size_t kMaxLayers = 16;
  std::vector<Layer> layers;
  std::uint64_t count = 0;
  bool too_many = false;
  flows([&](const Flow& flow) {
    std::vector<ChannelId> way;
    const Head head = ways.head(flow.source, flow.destination, flow.route);
    for (const std::uint64_t lane : ways.way(flow.source, head)) way.push_back(ways.lanes().channel(lane));
    const bool taken = std::ranges::any_of(layers, [&](Layer& layer) { return layer.take(way); }) ||
                       layers.emplace_back().take(way);  // a way that crosses itself fits into no layer
    too_many = !taken || layers.size() > kMaxLayers || ++count > max_ways;
    return !too_many;
  });
  if (too_many) return std::nullopt;
  for (const Layer& layer : layers) {
    if (DependencyCycles(layer.arcs()).any()) throw std::logic_error("a layer has a dependency cycle");
  }
  return static_cast<unsigned>(layers.size());
}

std::optional<std::vector<Turn>> turns_to_forbid(PathEnumerator& ways, const Flows& flows) {
  constexpr std::size_t kMaxTurns = 4;
  constexpr std::size_t kMaxArcs = 20'000;
  unsigned trials = 3000;
  TurnCut cut(ways, flows);
  if (cut.arcs() > kMaxArcs) return std::nullopt;
  for (std::size_t count = 1; count <= kMaxTurns; ++count) {
    if (auto turns = cut.of_size(count, trials)) return turns;
  }
  return std::nullopt;
}

}  // namespace flitscope
