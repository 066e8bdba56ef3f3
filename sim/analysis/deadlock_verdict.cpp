#include "sim/analysis/deadlock_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <unordered_map>
#include <utility>

#include "model/error.h"

namespace flitscope {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::free:
      return "free";
    case Verdict::can_deadlock:
      return "can-deadlock";
    case Verdict::may_deadlock:
      return "may-deadlock";
  }
  return "?";
}

std::string_view name_of(Argument argument) {
  switch (argument) {
    case Argument::none:
      return "";
    case Argument::acyclic:
      return "acyclic";
    case Argument::escape:
      return "escape";
    case Argument::bubble:
      return "bubble";
  }
  return "?";
}

DeadlockJudge::DeadlockJudge(const Topology& topology, const MachineConfig& machine)
    : machine_(machine),
      ways_(topology, *RoutingRegistry::find(machine.routing), machine.virtual_channels),
      graph_(topology, ways_.lanes()) {
  if (topology.kind() != TopologyKind::graph) return;
  hanging_.resize(topology.routers());
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    std::vector<NodeId> neighbours;
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      if (const auto to = topology.neighbour(node, port)) neighbours.push_back(*to);
    }
    if (neighbours.size() == 1 && hanging_[neighbours[0]].size() < 2) hanging_[neighbours[0]].push_back(node);
  }
}

/// Returns whether all messages are of one length.
bool DeadlockJudge::fill(const Flows& flows) {
  graph_.clear();
  std::optional<std::uint64_t> flits;
  bool one_length = true;
  ways_.start_again();
  flows([&](const Flow& flow) {
    if (flits.value_or(flow.flits) != flow.flits) one_length = false;
    flits = flow.flits;
    ways_.follow(flow.source, ways_.head(flow.source, flow.destination, flow.route),
                 [&](std::optional<std::uint64_t> before, std::span<const std::uint64_t> next) {
                   if (!before) return;
                   for (const std::uint64_t lane : next) graph_.add(*before, lane);
                 });
    return true;
  });
  return one_length;
}

std::vector<Arc> DeadlockJudge::arcs(const DependencyGraph& graph) const {
  std::vector<Arc> result;
  for (const std::uint64_t from : graph.sources()) {
    graph.for_each_arc(from, ways_.end(from), [&](std::uint64_t to) { result.emplace_back(from, to); });
  }
  return result;
}

/// The ring of a lane: the first lane of its first channel.
std::uint64_t DeadlockJudge::ring_of(std::uint64_t lane) const {
  const VcGroups& lanes = ways_.lanes();
  const Topology& topology = ways_.topology();
  const unsigned dimension = dimension_of_port(lanes.port(lane));
  const NodeId node = lanes.node(lane);
  const NodeId first = topology.moved(node, dimension, Sign::minus, topology.coordinate(node, dimension));
  return lanes.number(topology.channel(first, lanes.port(lane)), 0);
}

/// With every ring, all lanes of it together, as one vertex.
std::vector<Arc> DeadlockJudge::arcs_between_rings() const {
  std::vector<Arc> result;
  for (const auto& [from, to] : arcs(graph_)) {
    if (ring_of(from) != ring_of(to)) result.emplace_back(ring_of(from), ring_of(to));
  }
  return result;
}

/// Every lane has the rank of its ring.
Ranks DeadlockJudge::ranks_of_rings(const DependencyCycles& rings) const {
  std::unordered_map<std::uint64_t, std::uint64_t> rank_of;
  for (const std::uint64_t ring : rings.order()) rank_of.emplace(ring, rank_of.size());
  Ranks ranks;
  for (const auto& [from, to] : arcs(graph_)) {
    ranks.emplace_back(from, rank_of[ring_of(from)]);
    ranks.emplace_back(to, rank_of[ring_of(to)]);
  }
  std::ranges::sort(ranks);
  ranks.erase(std::ranges::unique(ranks).begin(), ranks.end());
  return ranks;
}

namespace {

/// Where messages with one head can go, and the dependencies between escape channels that come of it by way
/// of other channels.
class IndirectDependencies {
 public:
  IndirectDependencies(std::function<bool(std::uint64_t)> escapes, std::set<Arc>& arcs)
      : escapes_(std::move(escapes)), arcs_(arcs) {}

  void add(const Head& head, std::uint64_t lane, std::span<const std::uint64_t> next) {
    if (head_ != head) finish();
    head_ = head;
    next_of_[lane].assign(next.begin(), next.end());
  }

  void finish() {
    for (const auto& [from, unused] : next_of_) {
      if (escapes_(from)) spread(from);
    }
    next_of_.clear();
  }

 private:
  void spread(std::uint64_t from) {
    std::vector<std::uint64_t> open{from};
    std::set<std::uint64_t> seen;
    while (!open.empty()) {
      const auto at = next_of_.find(open.back());
      open.pop_back();
      if (at == next_of_.end()) continue;
      for (const std::uint64_t lane : at->second) {
        if (escapes_(lane)) {
          arcs_.emplace(from, lane);
        } else if (seen.insert(lane).second) {
          open.push_back(lane);
        }
      }
    }
  }

  std::function<bool(std::uint64_t)> escapes_;
  std::set<Arc>& arcs_;
  std::optional<Head> head_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> next_of_;
};

}  // namespace

/// Duato's extended dependency graph. With room for the whole message before a VC is granted, a message that
/// waits is in one buffer: there are direct dependencies only. Otherwise it can hold an escape channel, go on
/// in others, and wait for an escape channel from there: indirect ones.
std::vector<Arc> DeadlockJudge::escape_arcs(const Flows& flows) {
  const VcGroups& lanes = ways_.lanes();
  const auto escapes = [&](std::uint64_t lane) {
    return (ways_.routing().escape_classes() >> lanes.lowest_class(lanes.lane(lane)) & 1) != 0;
  };
  std::set<Arc> result;
  IndirectDependencies indirect(escapes, result);
  ways_.start_again();
  flows([&](const Flow& flow) {
    const Head head = ways_.head(flow.source, flow.destination, flow.route);
    ways_.follow(flow.source, head,
                 [&](std::optional<std::uint64_t> before, std::span<const std::uint64_t> next) {
                   if (std::ranges::none_of(next, escapes)) {
                     refuse_escapes(flow, before ? ways_.end(*before) : flow.source);
                   }
                   if (!before) return;
                   if (machine_.switching == Switching::wormhole) return indirect.add(head, *before, next);
                   if (!escapes(*before)) return;
                   for (const std::uint64_t lane : next) {
                     if (escapes(lane)) result.emplace(*before, lane);
                   }
                 });
    return true;
  });
  indirect.finish();
  return {result.begin(), result.end()};
}

void DeadlockJudge::refuse_escapes(const Flow& flow, NodeId node) const {
  const Topology& topology = ways_.topology();
  throw Inadmissible("router.routing",
                     fmt::format("the escape classes of {} are not connected: a message from {} to {} has no "
                                 "candidate of them at {}",
                                 machine_.routing, topology.node_name(flow.source),
                                 topology.node_name(flow.destination), topology.node_name(node)));
}

/// Where a message to the same destination can start that takes `lane` first and asks for `next` behind it:
/// at the router of the lane, or at a node that hangs on it.
std::optional<NodeId> DeadlockJudge::start(const Flow& flow, std::uint64_t lane, std::uint64_t next) const {
  const NodeId router = ways_.lanes().node(lane);
  const auto starts = [&](NodeId source, std::size_t before) {
    if (source == flow.destination || source >= ways_.topology().nodes()) return false;
    const auto way = ways_.way(source, ways_.head(source, flow.destination, flow.route));
    return way.size() > before + 1 && way[before] == lane && way[before + 1] == next;
  };
  if (starts(router, 0)) return router;
  if (hanging_.empty()) return std::nullopt;
  for (const NodeId node : hanging_[router]) {
    if (starts(node, 1)) return node;
  }
  return std::nullopt;
}

/// The dependencies of messages that start with the channel that they hold.
std::vector<Arc> DeadlockJudge::arcs_from_the_start(const Flows& flows) {
  DependencyGraph started(ways_.topology(), ways_.lanes());
  ways_.start_again();
  flows([&](const Flow& flow) {
    ways_.follow(flow.source, ways_.head(flow.source, flow.destination, flow.route),
                 [&](std::optional<std::uint64_t> before, std::span<const std::uint64_t> next) {
                   if (!before || started.has(*before, next.front())) return;
                   if (start(flow, *before, next.front())) started.add(*before, next.front());
                 });
    return true;
  });
  return arcs(started);
}

/// Finds a message for every dependency of the dependency cycle; one that starts with its channel if there is
/// any.
std::vector<CycleMember> DeadlockJudge::members(const std::vector<std::uint64_t>& dependency_cycle,
                                                const Flows& flows, bool from_the_start) {
  const VcGroups& lanes = ways_.lanes();
  std::vector<CycleMember> result;
  std::unordered_map<std::uint64_t, std::size_t> place_of;
  for (const std::uint64_t lane : dependency_cycle) {
    const std::uint64_t vcs = lanes.vcs(lanes.lane(lane));
    place_of.emplace(lane, result.size());
    result.push_back({lanes.channel(lane),
                      static_cast<unsigned>(std::countr_zero(vcs)),
                      static_cast<unsigned>(std::popcount(vcs)),
                      {}});
  }
  enum class Found : std::uint8_t { none, on_its_way, at_its_start };
  std::size_t missing = dependency_cycle.size();
  std::vector<Found> found(dependency_cycle.size(), Found::none);
  ways_.start_again();
  flows([&](const Flow& flow) {
    ways_.follow(flow.source, ways_.head(flow.source, flow.destination, flow.route),
                 [&](std::optional<std::uint64_t> before, std::span<const std::uint64_t> next) {
                   const auto at = before ? place_of.find(*before) : place_of.end();
                   if (at == place_of.end()) return;
                   const Found now =
                       flow.source == lanes.node(*before) ? Found::at_its_start : Found::on_its_way;
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

void DeadlockJudge::count(DeadlockVerdict& verdict) const {
  const VcGroups& lanes = ways_.lanes();
  std::vector<std::uint64_t> used;
  for (const auto& [from, to] : arcs(graph_)) {
    used.push_back(from);
    used.push_back(to);
    verdict.arcs += std::uint64_t{lanes.width(lanes.lane(from))} * lanes.width(lanes.lane(to));
  }
  std::ranges::sort(used);
  used.erase(std::ranges::unique(used).begin(), used.end());
  std::optional<ChannelId> last;
  for (const std::uint64_t lane : used) {
    verdict.vcs += lanes.width(lanes.lane(lane));
    if (last != lanes.channel(lane)) ++verdict.channels;
    last = lanes.channel(lane);
  }
}

DeadlockVerdict DeadlockJudge::judge(const Flows& flows) {
  const RoutingFunction& routing = ways_.routing();
  const bool one_length = fill(flows);
  DeadlockVerdict result;
  count(result);
  const auto be_free = [&](Argument argument, const DependencyCycles& dependency_cycles) {
    result.argument = argument;
    for (const std::uint64_t lane : dependency_cycles.order())
      result.ranks.emplace_back(lane, result.ranks.size());
    return result;
  };
  const DependencyCycles all(arcs(graph_));
  if (!all.any()) return be_free(Argument::acyclic, all);
  if (machine_.flow == FlowControl::bubble && one_length) {
    const DependencyCycles rings(arcs_between_rings());
    if (!rings.any()) {
      result.argument = Argument::bubble;
      result.ranks = ranks_of_rings(rings);
      return result;
    }
  }
  const bool duato = !routing.deterministic() && routing.escape_classes() != 0 && !ways_.lanes().shared() &&
                     needs_packet_space(machine_.switching, machine_.vc_allocation);
  if (duato) {
    const DependencyCycles escapes(escape_arcs(flows));
    if (!escapes.any()) return be_free(Argument::escape, escapes);
  }

  result.argument = Argument::none;
  result.verdict = Verdict::may_deadlock;
  std::vector<std::uint64_t> dependency_cycle;
  if (routing.deterministic() && machine_.flow != FlowControl::bubble) {
    dependency_cycle = DependencyCycles(arcs_from_the_start(flows)).shortest();
    if (!dependency_cycle.empty()) result.verdict = Verdict::can_deadlock;
  }
  if (dependency_cycle.empty()) dependency_cycle = all.shortest();
  result.dependency_cycle = members(dependency_cycle, flows, result.verdict == Verdict::can_deadlock);
  return result;
}

}  // namespace flitscope
