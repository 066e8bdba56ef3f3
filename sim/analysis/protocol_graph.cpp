#include "sim/analysis/protocol_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>
#include <utility>

#include "model/bits.h"
#include "sim/analysis/channel_load.h"

namespace flitscope {

unsigned vc_of(std::uint64_t vcs, unsigned place) {
  return lowest_bit(bits_at(vcs, bit(place)));
}

std::vector<unsigned> vcs_in(std::uint64_t vcs) {
  std::vector<unsigned> numbers;
  for_each_bit(vcs, [&](unsigned vc) { numbers.push_back(vc); });
  return numbers;
}

ProtocolGraph::ProtocolGraph(const Topology& topology, const MachineConfig& machine,
                             const ProtocolConfig& protocol, const TrafficPattern& requests,
                             const TrafficPattern& replies)
    : topology_(topology), machine_(machine), protocol_(protocol), requests_(requests), replies_(replies) {
  const auto classes = message_classes(protocol, machine);
  shares_ends_ = classes[request] == classes[reply] || machine.node_queues == NodeQueues::shared;
  const auto vcs_of = [&](Kind kind) {
    return machine.classes.empty() ? ~std::uint64_t{0} >> (64 - machine.virtual_channels)
                                   : machine.classes[classes[kind]].vcs;
  };
  for (const Kind kind : {request, reply}) {
    const unsigned network = machine.network_of(classes[kind]);
    if (kind == request || vcs_of(kind) != views_.front().vcs || network != views_.front().network)
      views_.push_back({vcs_of(kind), network, classes[kind], nullptr, {}});
    View& view = views_.back();
    view.kinds.push_back(kind);
    if (view.analyzer) continue;
    MachineConfig alone = machine;
    alone.classes.clear();
    alone.virtual_channels = static_cast<unsigned>(std::popcount(view.vcs));
    view.analyzer = std::make_unique<DeadlockAnalyzer>(topology.network(network), alone);
    groups_ = std::max(groups_, topology.channel_ids() * view.analyzer->paths().groups().of_channel());
  }
  first_end_ = groups_ * views_.size();
  ends_ = find_ends();
}

ProtocolEnds ProtocolGraph::find_ends() const {
  ProtocolEnds ends;
  if (!machine_.ejection_buffer) {
    ends.unlimited = "node.ejection_buffer";
  } else if (!protocol_.service.queue) {
    ends.unlimited = "workload.service.queue";
  } else if (!machine_.injection_queue) {
    ends.unlimited = "node.injection_queue";
  }
  if (!ends.unlimited.empty()) return ends;
  // A target refuses a request forever only with its injection queue full, a reply that waits for room there,
  // its queue full, a request that has arrived, and one behind that in the network: all of them are open.
  ends.held = std::uint64_t{*machine_.injection_queue} + *protocol_.service.queue + 2;
  std::optional<std::uint64_t> of_source = protocol_.batch;
  if (protocol_.outstanding)
    of_source = std::min<std::uint64_t>(*protocol_.outstanding, of_source.value_or(~0U));
  std::vector<std::uint64_t> sources(topology_.nodes(), 0);
  const bool self = protocol_.offered.front().self;
  for (NodeId source = 0; source < topology_.nodes(); ++source) {
    bool sends = false;
    if (requests_.rate(source) <= 0) continue;
    requests_.for_each_share(source, [&](NodeId target, double share) {
      if (share <= 0 || (target == source && !self)) return;
      ++sources[target];
      sends = true;
    });
    if (sends && shares_ends_) ++sources[source];  // of replies to it, and of requests in its injection queue
  }
  // Of nodes that no request goes to none is refused.
  for (NodeId target = 0; target < topology_.nodes(); ++target) {
    bool answers = false;
    replies_.for_each_share(target, [&](NodeId /*source*/, double share) { answers |= share > 0; });
    if (!answers) continue;
    if (sources[target] > ends.sources) {
      ends.sources = sources[target];
      ends.target = target;
    }
    if (!of_source || sources[target] * *of_source > ends.held) ends.filling.push_back(target);
  }
  if (of_source) ends.open = ends.sources * *of_source;
  return ends;
}

Flows ProtocolGraph::flows_of(std::vector<Kind> kinds) const {
  return [this, kinds = std::move(kinds)](const std::function<bool(const Flow&)>& visit) {
    for (const Kind kind : kinds) {
      const TrafficPattern& pattern = kind == request ? requests_ : replies_;
      TrafficConfig messages = protocol_.offered[kind];
      if (!machine_.classes.empty())
        messages.message_class = machine_.classes[views_[view_of(kind)].message_class].name;
      if (!for_each_pair(topology_, machine_, messages, pattern, visit)) return;
    }
  };
}

template <typename Visit>
void ProtocolGraph::for_each_end_arc(Kind kind, const Flow& flow, Visit visit) {
  View& view = views_[view_of(kind)];
  PathEnumerator& paths = view.analyzer->paths();
  const std::uint64_t first = groups_ * view_of(kind);
  // With wormhole switching and escape classes a message can hold an escape channel and wait far from it.
  const bool is_indirect =
      view.analysis.argument == Argument::escape && machine_.switching == Switching::wormhole;
  if (is_indirect) paths.restart();
  paths.follow(flow, [&](std::optional<std::uint64_t> before, std::span<const std::uint64_t> next) {
    for (const std::uint64_t group : next) {
      const auto vertex = view.analyzer->proof_vertex(view.analysis.argument, group);
      if (!vertex) continue;
      if (begins_in_queue(kind) && (!before || is_indirect))
        visit(end(flow.source, NodeEnd::Kind::injection), first + *vertex);
      if (ends_in_buffers(kind) && (paths.end(group) == flow.destination || is_indirect))
        visit(first + *vertex, end(flow.destination, NodeEnd::Kind::ejection));
    }
  });
}

void ProtocolGraph::add_ends(Kind kind, std::set<Arc>& arcs) {
  views_[view_of(kind)].analyzer->paths().restart();
  flows_of({kind})([&](const Flow& flow) {
    for_each_end_arc(kind, flow, [&](std::uint64_t from, std::uint64_t to) { arcs.emplace(from, to); });
    return true;
  });
}

DeadlockAnalysis ProtocolGraph::analyze() {
  DeadlockAnalysis result;
  for (View& view : views_) {
    view.analysis = view.analyzer->analyze(flows_of(view.kinds));
    for (CycleMember& member : view.analysis.dependency_cycle) {
      member.vc = vc_of(view.vcs, member.vc);
      member.channel = topology_.channel_of(view.network, member.channel);
    }
    message_class_ = view.message_class;
    if (view.analysis.verdict != DeadlockVerdict::free) return view.analysis;
    if (result.argument == Argument::acyclic) result.argument = view.analysis.argument;
    result.channels += view.analysis.channels;
    result.vcs += view.analysis.vcs;
    result.arcs += view.analysis.arcs;
  }
  std::set<Arc> arcs;
  for (std::size_t number = 0; number < views_.size(); ++number) {
    View& view = views_[number];
    for (const auto& [from, to] : view.analyzer->proof_arcs(view.analysis.argument, flows_of(view.kinds)))
      arcs.emplace(number * groups_ + from, number * groups_ + to);
  }
  if (!ends_.filling.empty()) {
    for (const Kind kind : {request, reply}) add_ends(kind, arcs);
    for (const NodeId target : ends_.filling)
      arcs.emplace(end(target, NodeEnd::Kind::ejection), end(target, NodeEnd::Kind::injection));
    if (shares_ends_ && protocol_.offered.front().self) {
      for (const NodeId node : ends_.filling)
        arcs.emplace(end(node, NodeEnd::Kind::injection), end(node, NodeEnd::Kind::ejection));
    }
    result.ends = ends_.filling.size();
  }
  const DependencyCycles cycles({arcs.begin(), arcs.end()});
  if (!cycles.any()) {
    for (const std::uint64_t vertex : cycles.order()) result.ranks.emplace_back(vertex, result.ranks.size());
    return result;
  }
  result.verdict = DeadlockVerdict::may_deadlock;
  result.argument = Argument::none;
  result.dependency_cycle = members(cycles.shortest());
  return result;
}

std::vector<CycleMember> ProtocolGraph::members(const std::vector<std::uint64_t>& cycle) {
  std::vector<CycleMember> result;
  for (const std::uint64_t vertex : cycle) {
    CycleMember& member = result.emplace_back();
    if (vertex >= first_end_) {
      const std::uint64_t number = vertex - first_end_;
      member.end = NodeEnd{static_cast<NodeId>(number / 2), static_cast<NodeEnd::Kind>(number % 2)};
      continue;
    }
    const View& view = views_[vertex / groups_];
    const VcGroups& groups = view.analyzer->paths().groups();
    member.channel = channel_of(view, vertex % groups_);
    member.vc = vc_of(view.vcs, lowest_bit(groups.vcs(vertex % groups_)));
    member.vcs = groups.width(vertex % groups_);
  }
  for (const Kind kind : {request, reply}) find_flows(kind, cycle, result);
  return result;
}

/// Finds for every member a message that goes through it and the next one.
void ProtocolGraph::find_flows(Kind kind, const std::vector<std::uint64_t>& cycle,
                               std::vector<CycleMember>& members) {
  View& view = views_[view_of(kind)];
  PathEnumerator& paths = view.analyzer->paths();
  const std::uint64_t first = groups_ * view_of(kind);
  std::unordered_map<std::uint64_t, std::size_t> place_of;
  for (const std::uint64_t vertex : cycle) place_of.emplace(vertex, place_of.size());
  flows_of({kind})([&](const Flow& flow) {
    std::vector<char> passes(cycle.size(), 0);
    const auto pass = [&](std::uint64_t vertex) {
      if (const auto at = place_of.find(vertex); at != place_of.end()) passes[at->second] = 1;
    };
    if (begins_in_queue(kind)) pass(end(flow.source, NodeEnd::Kind::injection));
    if (ends_in_buffers(kind)) pass(end(flow.destination, NodeEnd::Kind::ejection));
    if (kind == request) pass(end(flow.destination, NodeEnd::Kind::injection));  // its reply
    paths.restart();
    paths.follow(flow, [&](std::optional<std::uint64_t> /*before*/, std::span<const std::uint64_t> next) {
      for (const std::uint64_t group : next) {
        const auto vertex = view.analyzer->proof_vertex(view.analysis.argument, group);
        if (vertex) pass(first + *vertex);
      }
    });
    bool missing = false;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      CycleMember& member = members[i];
      const bool is_known = member.flow.source != member.flow.destination;
      if (!is_known && passes[i] != 0 && passes[(i + 1) % cycle.size()] != 0) member.flow = flow;
      missing |= member.flow.source == member.flow.destination;
    }
    return missing;
  });
}

ChannelId ProtocolGraph::channel_of(const View& view, std::uint64_t group) const {
  return topology_.channel_of(view.network, view.analyzer->paths().groups().channel(group));
}

ProtocolGraph::Place ProtocolGraph::place(std::uint64_t vertex) const {
  if (vertex >= first_end_) {
    const auto node = static_cast<NodeId>((vertex - first_end_) / 2);
    return {fmt::format("{} of {}", (vertex - first_end_) % 2 == 0 ? "ejection" : "injection",
                        topology_.node_name(node)),
            {0}};
  }
  const View& view = views_[vertex / groups_];
  const VcGroups& groups = view.analyzer->paths().groups();
  return {topology_.channel_name(channel_of(view, vertex % groups_)),
          vcs_in(bits_at(view.vcs, groups.vcs(vertex % groups_)))};
}

void ProtocolGraph::for_each_path(
    const std::function<void(const Flow&, const std::vector<std::uint64_t>&)>& visit) const {
  for (const Kind kind : {request, reply}) {
    const PathEnumerator& paths = views_[view_of(kind)].analyzer->paths();
    flows_of({kind})([&](const Flow& flow) {
      std::vector<std::uint64_t> path;
      const bool counts = !ends_.filling.empty();
      if (counts && begins_in_queue(kind)) path.push_back(end(flow.source, NodeEnd::Kind::injection));
      for (const std::uint64_t group : paths.path(flow)) path.push_back(groups_ * view_of(kind) + group);
      const bool fills = std::ranges::binary_search(ends_.filling, flow.destination);
      if (counts && ends_in_buffers(kind)) path.push_back(end(flow.destination, NodeEnd::Kind::ejection));
      if (fills && ends_in_buffers(kind)) path.push_back(end(flow.destination, NodeEnd::Kind::injection));
      visit(flow, path);
      return true;
    });
  }
}

}  // namespace flitscope
