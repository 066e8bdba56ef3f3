#include "algorithms/any_network/step_ways.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>

#include "model/error.h"
#include "model/possession.h"

namespace flitscope::any_network {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kFar = std::numeric_limits<std::uint16_t>::max();

}  // namespace

bool all_are_nodes(const Topology& topology) {
  return topology.routers() == topology.nodes();
}

unsigned max_links_out(const Topology& topology) {
  unsigned most = 0;
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    unsigned links = 0;
    for (unsigned port = 0; port < topology.link_ports(); ++port) links += topology.has_link(node, port);
    most = std::max(most, links);
  }
  return most;
}

std::uint32_t eccentricity(const Topology& topology, NodeId source) {
  std::vector<std::uint32_t> nodes_to(topology.routers(), kNowhere);
  std::deque<NodeId> open{source};
  nodes_to[source] = 0;
  std::uint32_t farthest = 0;
  while (!open.empty()) {
    const NodeId at = open.front();
    open.pop_front();
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const auto to = topology.neighbour(at, port);
      if (!to) continue;
      const bool counts = *to < topology.nodes();
      const std::uint32_t nodes = nodes_to[at] + (counts ? 1 : 0);
      if (nodes >= nodes_to[*to]) continue;
      nodes_to[*to] = nodes;
      if (counts) {
        open.push_back(*to);
      } else {
        open.push_front(*to);
      }
    }
  }
  for (NodeId node = 0; node < topology.nodes(); ++node) farthest = std::max(farthest, nodes_to[node]);
  return farthest;
}

void require_room_for_ways(const Topology& topology, const std::string& algorithm) {
  const std::uint64_t nodes = topology.nodes();
  if (all_are_nodes(topology) || 2 * nodes * nodes <= Possession::kMemoryLimit) return;
  throw Inadmissible(
      "topology.kind",
      fmt::format("{} takes two bytes for each pair of nodes where routers have no node, which on "
                  "the {} is more than the limit of {} GiB; it takes a smaller network",
                  algorithm, topology.name(), Possession::kMemoryLimit >> 30));
}

StepWays::StepWays(const Topology& topology, Direction direction)
    : topology_(topology),
      forward_(direction == Direction::forward),
      unusable_(topology.channel_ids()),
      used_(topology.channel_ids(), 0),
      seen_(topology.routers(), 0),
      distances_(topology.nodes()) {
  if (topology.is_whole_grid()) return;
  // A routing function sends all messages between two neighbours over the same one of their links.
  std::vector<NodeId> last(topology.routers(), kNoNode);
  for (NodeId node = 0; node < topology.nodes(); ++node) {
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      const auto to = topology.neighbour(node, port);
      if (!to || !is_node(*to)) continue;
      unusable_[topology.channel(node, port)] = last[*to] == node;
      last[*to] = node;
    }
  }
}

bool StepWays::has_routers_beside(NodeId node) const {
  for (unsigned port = 0; port < topology_.link_ports(); ++port) {
    const auto router = beyond(node, port);
    if (router && !is_node(*router)) return true;
  }
  return false;
}

void StepWays::visit(NodeId router, unsigned port, std::uint32_t before, std::uint32_t links) {
  const auto next = beyond(router, port);
  if (!next || seen_[*next] == search_) return;
  const ChannelId channel = topology_.channel(forward_ ? router : *next, port);
  if (used_[channel] == step_ || unusable_[channel]) return;
  seen_[*next] = search_;
  visits_.push_back({*next, before, channel, links});
}

std::optional<StepWays::Found> StepWays::take(NodeId node, unsigned port,
                                              const std::function<bool(NodeId)>& wanted) {
  ++search_;
  seen_[node] = search_;
  visits_.clear();
  visit(node, port, 0, 1);
  for (std::uint32_t place = 0; place < visits_.size(); ++place) {
    const Visit at = visits_[place];
    if (!is_node(at.router)) {
      // From where the way came in on, so that nodes round a router do not all ask for the first one.
      const unsigned ports = topology_.link_ports();
      for (unsigned i = 1; i <= ports; ++i) {
        visit(at.router, (topology_.channel_port(at.channel) + i) % ports, place, at.links + 1);
      }
      continue;
    }
    if (!wanted(at.router) || !is_shortest(node, at)) continue;
    for (std::uint32_t back = place;; back = visits_[back].before) {
      used_[visits_[back].channel] = step_;
      if (visits_[back].links == 1) break;
    }
    return Found{at.router, at.links == 1 ? one_hop(port) : Route{}};
  }
  return std::nullopt;
}

bool StepWays::is_shortest(NodeId start, const Visit& end) {
  if (end.links == 1) return true;
  if (distances_[start].empty()) find_distances(start);
  return distances_[start][end.router] == std::min(end.links, kFar);
}

void StepWays::find_distances(NodeId start) {
  std::vector<std::uint32_t> distance(topology_.routers(), kNowhere);
  std::vector<NodeId> open{start};
  distance[start] = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (unsigned port = 0; port < topology_.link_ports(); ++port) {
      const auto next = beyond(open[i], port);
      if (!next || distance[*next] != kNowhere) continue;
      distance[*next] = distance[open[i]] + 1;
      open.push_back(*next);
    }
  }
  for (NodeId node = 0; node < topology_.nodes(); ++node) {
    distances_[start].push_back(static_cast<std::uint16_t>(std::min(distance[node], kFar)));
  }
}

}  // namespace flitscope::any_network
