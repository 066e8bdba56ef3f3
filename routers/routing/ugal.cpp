// UGAL by the queues of the own router. PAR: on a dragonfly a message can still leave the minimal path in its
// source's group.
#include "routers/routing/ugal.h"

namespace flitscope {

Ugal::Ugal(const Topology& topology, bool progressive)
    : topology_(topology), paths_(two_part_paths(topology)), first_class_(progressive ? 1 : 0) {}

void Ugal::add_candidates(NodeId node, Arrival arrival, const Head& head,
                          std::vector<Candidate>& candidates) const {
  const auto between = static_cast<NodeId>(head.prepared);
  if (is_undecided(node, arrival)) {
    candidates.push_back(minimal(node, head.destination));
    if (is_detour(node, between, head.destination)) candidates.push_back(on_detour(node, between));
  } else if (arrival.channel_class < second_class() && paths_->place(node) != paths_->place(between)) {
    candidates.push_back(on_detour(node, between));
  } else {
    candidates.push_back(on_minimal(node, head.destination));
  }
}

const Candidate& Ugal::lightest(NodeId node, const Head& head, std::span<const Candidate> candidates,
                                const LinkQueues& queues) const {
  return least(node, head, candidates,
               [&](const Candidate& candidate) { return queues.queued(candidate.port); });
}

std::uint64_t Ugal::links_by(NodeId node, const Head& head, Candidate candidate) const {
  if (!is_first_part(candidate)) return links(node, head.destination);
  const auto between = static_cast<NodeId>(head.prepared);
  std::uint64_t count = 0;
  NodeId at = node;
  for (; at != head.destination && paths_->place(at) != paths_->place(between); ++count) {
    at = behind(at, paths_->first(at, between));
  }
  return count + links(at, head.destination);
}

ChannelId Ugal::link_out(NodeId node, const Head& head, Candidate candidate) const {
  const bool first_part = is_first_part(candidate);
  const auto between = static_cast<NodeId>(head.prepared);
  NodeId next = behind(node, candidate);
  for (; paths_->place(next) == paths_->place(node); next = behind(next, candidate)) {
    node = next;
    candidate = first_part ? paths_->first(node, between) : paths_->second(node, head.destination);
  }
  return topology_.channel(node, candidate.port);
}

Candidate Ugal::on_detour(NodeId node, NodeId between) const {
  const Candidate next = paths_->first(node, between);
  return {next.port, first_class_ + next.channel_class};
}

Candidate Ugal::on_minimal(NodeId node, NodeId destination) const {
  const Candidate next = paths_->second(node, destination);
  return {next.port, second_class() + next.channel_class};
}

/// At the router of its source, not in the network interface of a leaf; or, progressive, still on a minimal
/// path in the place of its source.
bool Ugal::is_undecided(NodeId node, Arrival arrival) const {
  if (paths_->is_leaf(node)) return false;
  if (arrival.port >= topology_.link_ports()) return true;
  return arrival.channel_class < first_class_ || paths_->is_leaf(*topology_.upstream(node, arrival.port));
}

/// Source, intermediate node and destination are in three places.
bool Ugal::is_detour(NodeId node, NodeId between, NodeId destination) const {
  const std::uint32_t here = paths_->place(node);
  const std::uint32_t there = paths_->place(destination);
  const std::uint32_t middle = paths_->place(between);
  return here != there && here != middle && middle != there;
}

std::uint64_t Ugal::links(NodeId node, NodeId destination) const {
  std::uint64_t count = 0;
  for (; node != destination; node = behind(node, paths_->second(node, destination))) ++count;
  return count;
}

Candidate Ugal::minimal(NodeId node, NodeId destination) const {
  Candidate next = on_minimal(node, destination);
  const bool leaves = paths_->place(behind(node, next)) != paths_->place(node);
  if (first_class_ != 0 && !leaves && paths_->place(node) != paths_->place(destination)) {
    next.channel_class = 0;
  }
  return next;
}

namespace {

const RoutingRegistry::Entry ugal_entry{{
    .name = "ugal-l",
    .summary = "minimal, or over a node drawn for each pair: at its source a message takes the path with the "
               "smaller product of links and flits queued for the first of them",
    .source =
        "A. Singh: Load-balanced routing in interconnection networks, 2005; J. Kim, W. Dally, S. Scott, D. "
        "Abts: Technology-driven, highly-scalable dragonfly topology, 2008",
    .topologies = {TopologyKind::torus, TopologyKind::mesh},
    .families = {"dragonfly", "flattened-butterfly", "hyperx"},
    .minimal = false,
    .may_share_classes = false,
    .make = [](const Topology& topology) { return std::make_unique<Ugal>(topology, false); },
}};

const RoutingRegistry::Entry par_entry{{
    .name = "par",
    .summary =
        "as ugal-l on a dragonfly, and again at the router of the source's group with the global link: "
        "progressive adaptive routing",
    .source =
        "N. Jiang, J. Kim, W. Dally: Indirect adaptive routing on large scale interconnection networks, "
        "2009",
    .families = {"dragonfly"},
    .minimal = false,
    .may_share_classes = false,
    .make = [](const Topology& topology) { return std::make_unique<Ugal>(topology, true); },
}};

}  // namespace
}  // namespace flitscope
