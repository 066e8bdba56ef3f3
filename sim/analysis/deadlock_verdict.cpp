#include "sim/analysis/deadlock_verdict.h"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <unordered_map>
#include <unordered_set>

#include "model/error.h"

namespace flitscope {

std::vector<Arc> DependencyGraph::arcs() const {
  std::vector<Arc> result;
  for (const std::uint64_t from : sources_) {
    next_.for_each(from, [&](std::size_t place) { result.emplace_back(from, first_next(from) + place); });
  }
  return result;
}

DeadlockAnalyzer::DeadlockAnalyzer(const Topology& topology, const MachineConfig& machine)
    : machine_(machine),
      paths_(topology, *RoutingRegistry::find(machine.routing), machine.virtual_channels),
      graph_(paths_) {
  if (topology.kind() != TopologyKind::graph) return;
  leaves_.resize(topology.routers());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    std::vector<NodeId> neighbours;
    topology.for_each_link_from(node, [&](unsigned, NodeId to) { neighbours.push_back(to); });
    if (neighbours.size() == 1 && leaves_[neighbours[0]].size() < 2) leaves_[neighbours[0]].push_back(node);
  }
}

/// The ring of a group: the first group of its first channel.
std::uint64_t DeadlockAnalyzer::ring_of(std::uint64_t group) const {
  const VcGroups& groups = paths_.groups();
  const Topology& topology = paths_.topology();
  const unsigned dimension = topology.dimension(groups.port(group));
  const NodeId node = groups.node(group);
  const NodeId first = topology.moved(node, dimension, Sign::minus, topology.coordinate(node, dimension));
  return topology.channel(first, groups.port(group)) * groups.of_channel();
}

/// All groups of a ring are one vertex.
std::vector<Arc> DeadlockAnalyzer::arcs_between_rings() const {
  std::vector<Arc> result;
  for (const auto& [from, to] : graph_.arcs()) {
    if (ring_of(from) != ring_of(to)) result.emplace_back(ring_of(from), ring_of(to));
  }
  return result;
}

/// Every group has the rank of its ring.
Ranks DeadlockAnalyzer::ranks_of_rings(const DependencyCycles& rings) const {
  std::unordered_map<std::uint64_t, std::uint64_t> rank_of;
  for (const std::uint64_t ring : rings.order()) rank_of.emplace(ring, rank_of.size());
  Ranks ranks;
  for (const auto& [from, to] : graph_.arcs()) {
    ranks.emplace_back(from, rank_of[ring_of(from)]);
    ranks.emplace_back(to, rank_of[ring_of(to)]);
  }
  std::ranges::sort(ranks);
  ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
  return ranks;
}

namespace {

bool have_one_length(const Flows& flows) {
  std::optional<std::uint64_t> flits;
  bool one = true;
  flows([&](const Flow& flow) {
    one = flits.value_or(flow.flits) == flow.flits;
    flits = flow.flits;
    return one;
  });
  return one;
}

using Arcs = std::unordered_set<Arc, boost::hash<Arc>>;

/// Next groups of the messages with one head, and the dependencies between escape channels through other
/// channels that follow from them.
class IndirectDependencies {
 public:
  /// `is_escape`: by group.
  IndirectDependencies(const std::vector<bool>& is_escape, Arcs& arcs)
      : is_escape_(is_escape), arcs_(arcs), places_(is_escape.size()), seen_(is_escape.size()) {}

  void add(const Head& head, std::uint64_t group, std::span<const std::uint64_t> next) {
    if (head_ != head) finish();
    head_ = head;
    places_[group] = {next_.size(), next.size()};
    next_.insert(next_.end(), next.begin(), next.end());
    added_.push_back(group);
  }

  void finish() {
    for (const std::uint64_t group : added_) {
      if (is_escape_[group]) add_arcs(group);
    }
    for (const std::uint64_t group : added_) places_[group] = {};
    added_.clear();
    next_.clear();
  }

 private:
  struct Place {
    std::size_t first = 0;
    std::size_t size = 0;
  };

  void add_arcs(std::uint64_t from) {
    ++search_;
    open_.assign(1, from);
    while (!open_.empty()) {
      const Place place = places_[open_.back()];
      open_.pop_back();
      for (const std::uint64_t group : std::span(next_).subspan(place.first, place.size)) {
        if (std::exchange(seen_[group], search_) == search_) continue;
        if (is_escape_[group]) {
          arcs_.emplace(from, group);
        } else {
          open_.push_back(group);
        }
      }
    }
  }

  const std::vector<bool>& is_escape_;
  Arcs& arcs_;
  std::optional<Head> head_;
  std::vector<Place> places_;  ///< in `next_`, by group
  std::vector<std::uint64_t> next_;
  std::vector<std::uint64_t> added_;
  std::uint64_t search_ = 0;
  std::vector<std::uint64_t> seen_;  ///< by group: the search that has found it last
  std::vector<std::uint64_t> open_;
};

}  // namespace

bool DeadlockAnalyzer::is_escape(std::uint64_t group) const {
  return (paths_.routing().escape_classes() >> paths_.groups().lowest_class(group) & 1) != 0;
}

/// Duato's extended dependency graph. With room for the whole message before a VC is granted, a message that
/// waits is in one buffer: there are direct dependencies only. Otherwise it can hold an escape channel, go on
/// in others, and wait for an escape channel from there: indirect ones.
std::vector<Arc> DeadlockAnalyzer::escape_arcs(const Flows& flows) {
  std::vector<bool> is_escape(paths_.topology().channel_ids() * paths_.groups().of_channel());
  for (std::uint64_t group = 0; group < is_escape.size(); ++group) is_escape[group] = this->is_escape(group);
  const auto escapes = [&](std::uint64_t group) { return is_escape[group]; };
  Arcs arcs;
  IndirectDependencies indirect(is_escape, arcs);
  bool connected = true;
  paths_.follow_all(flows, [&](const Head& head, std::optional<std::uint64_t> before, auto next) {
    connected = connected && std::ranges::any_of(next, escapes);
    if (!before) return;
    if (machine_.switching == Switching::wormhole) return indirect.add(head, *before, next);
    if (!escapes(*before)) return;
    for (const std::uint64_t group : next) {
      if (escapes(group)) arcs.emplace(*before, group);
    }
  });
  if (!connected) refuse_escapes(flows);
  indirect.finish();
  std::vector<Arc> result(arcs.begin(), arcs.end());
  std::ranges::sort(result);
  return result;
}

/// Names the first message that has no candidate of the escape classes somewhere.
void DeadlockAnalyzer::refuse_escapes(const Flows& flows) {
  const Topology& topology = paths_.topology();
  paths_.restart();
  flows([&](const Flow& flow) {
    paths_.follow(flow, [&](std::optional<std::uint64_t> before, auto next) {
      if (std::ranges::any_of(next, [&](std::uint64_t group) { return is_escape(group); })) return;
      throw Inadmissible("router.routing",
                         "the escape classes of {} are not connected: a message from {} to {} has no "
                         "candidate of them at {}",
                         machine_.routing, topology.node_name(flow.source),
                         topology.node_name(flow.destination),
                         topology.node_name(before ? paths_.end(*before) : flow.source));
    });
    return true;
  });
}

/// The node where a message to the same destination can start that takes `group` first and asks for `next`
/// behind it: the one at the router of the group, or a leaf beside it.
std::optional<NodeId> DeadlockAnalyzer::start(const Flow& flow, std::uint64_t group,
                                              std::uint64_t next) const {
  const NodeId router = paths_.groups().node(group);
  const auto starts = [&](NodeId source, std::size_t before) {
    if (source == flow.destination || source >= paths_.topology().nodes()) return false;
    const auto path = paths_.path({source, flow.destination, flow.route});
    return path.size() > before + 1 && path[before] == group && path[before + 1] == next;
  };
  if (starts(router, 0)) return router;
  if (leaves_.empty()) return std::nullopt;
  for (const NodeId node : leaves_[router]) {
    if (starts(node, 1)) return node;
  }
  return std::nullopt;
}

/// The dependencies of messages that start with the channel that they hold.
std::vector<Arc> DeadlockAnalyzer::arcs_from_the_start(const Flows& flows) {
  DependencyGraph started(paths_);
  paths_.follow_all(flows, [&](const Head& head, std::optional<std::uint64_t> before, auto next) {
    if (!before || started.has(*before, next.front())) return;
    if (start({0, head.destination, head.route}, *before, next.front())) started.add(*before, next.front());
  });
  return started.arcs();
}

/// A message for every dependency of the cycle; one that starts with its channel if there is any.
std::vector<CycleMember> DeadlockAnalyzer::members(const std::vector<std::uint64_t>& dependency_cycle,
                                                   const Flows& flows, bool from_the_start) {
  const VcGroups& groups = paths_.groups();
  std::vector<CycleMember> result;
  std::unordered_map<std::uint64_t, std::size_t> place_of;
  for (const std::uint64_t group : dependency_cycle) {
    place_of.emplace(group, result.size());
    result.push_back({groups.channel(group),
                      static_cast<unsigned>(std::countr_zero(groups.vcs(group))),
                      groups.width(group),
                      {}});
  }
  enum class Found : std::uint8_t { none, behind_its_start, at_its_start };
  std::size_t missing = dependency_cycle.size();
  std::vector<Found> found(dependency_cycle.size(), Found::none);
  paths_.restart();
  flows([&](const Flow& flow) {
    paths_.follow(flow, [&](std::optional<std::uint64_t> before, std::span<const std::uint64_t> next) {
      const auto at = before ? place_of.find(*before) : place_of.end();
      if (at == place_of.end()) return;
      const Found now = flow.source == groups.node(*before) ? Found::at_its_start : Found::behind_its_start;
      if (now <= found[at->second]) return;
      const std::uint64_t wanted = dependency_cycle[(at->second + 1) % dependency_cycle.size()];
      if (std::ranges::find(next, wanted) == next.end()) return;
      const auto source = from_the_start ? start(flow, *before, wanted) : flow.source;
      if (!source) return;
      found[at->second] = now;
      if (now == Found::at_its_start) --missing;
      CycleMember& member = result[at->second];
      member.flow = flow;
      member.flow.source = *source;
    });
    return missing > 0;
  });
  return result;
}

void DeadlockAnalyzer::count(DeadlockAnalysis& analysis) const {
  const VcGroups& groups = paths_.groups();
  std::vector<std::uint64_t> used;
  for (const auto& [from, to] : graph_.arcs()) {
    used.insert(used.end(), {from, to});
    analysis.arcs += std::uint64_t{groups.width(from)} * groups.width(to);
  }
  std::ranges::sort(used);
  used.erase(std::ranges::unique(used).begin(), used.end());
  std::optional<ChannelId> last;
  for (const std::uint64_t group : used) {
    analysis.vcs += groups.width(group);
    if (last != groups.channel(group)) ++analysis.channels;
    last = groups.channel(group);
  }
}

std::vector<Arc> DeadlockAnalyzer::proof_arcs(Argument argument, const Flows& flows) {
  if (argument == Argument::bubble) return arcs_between_rings();
  return argument == Argument::escape ? escape_arcs(flows) : graph_.arcs();
}

std::optional<std::uint64_t> DeadlockAnalyzer::proof_vertex(Argument argument, std::uint64_t group) const {
  if (argument == Argument::bubble) return ring_of(group);
  return argument == Argument::escape && !is_escape(group) ? std::nullopt : std::optional(group);
}

DeadlockAnalysis DeadlockAnalyzer::analyze(const Flows& flows) {
  const RoutingFunction& routing = paths_.routing();
  graph_.clear();
  paths_.follow_all(flows, [&](const Head& /*head*/, std::optional<std::uint64_t> before, auto next) {
    if (!before) return;
    for (const std::uint64_t group : next) graph_.add(*before, group);
  });
  DeadlockAnalysis result;
  count(result);
  const auto prove = [&](Argument argument, const DependencyCycles& without_any) {
    result.argument = argument;
    for (const std::uint64_t group : without_any.order())
      result.ranks.emplace_back(group, result.ranks.size());
    return result;
  };
  const DependencyCycles all(graph_.arcs());
  if (!all.any()) return prove(Argument::acyclic, all);
  if (machine_.flow == FlowControl::bubble && have_one_length(flows)) {
    const DependencyCycles rings(arcs_between_rings());
    if (!rings.any()) {
      result.argument = Argument::bubble;
      result.ranks = ranks_of_rings(rings);
      return result;
    }
  }
  const bool duato = !routing.deterministic() && routing.escape_classes() != 0 && !paths_.groups().shared() &&
                     needs_packet_space(machine_.switching, machine_.vc_allocation);
  if (duato) {
    const DependencyCycles escapes(escape_arcs(flows));
    if (!escapes.any()) return prove(Argument::escape, escapes);
  }

  result.argument = Argument::none;
  result.verdict = DeadlockVerdict::may_deadlock;
  std::vector<std::uint64_t> cycle;
  if (routing.deterministic() && machine_.flow != FlowControl::bubble) {
    cycle = DependencyCycles(arcs_from_the_start(flows)).shortest();
    if (!cycle.empty()) result.verdict = DeadlockVerdict::can_deadlock;
  }
  if (cycle.empty()) cycle = all.shortest();
  result.dependency_cycle = members(cycle, flows, result.verdict == DeadlockVerdict::can_deadlock);
  return result;
}

}  // namespace flitscope
