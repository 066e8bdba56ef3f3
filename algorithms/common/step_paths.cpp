#include "algorithms/common/step_paths.h"

#include <algorithm>
#include <deque>
#include <limits>

#include "model/error.h"
#include "model/possession.h"
#include "model/schedule.h"

namespace flitscope::common {

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
    topology.for_each_link_from(at, [&](unsigned, NodeId to) {
      const bool counts = to < topology.nodes();
      const std::uint32_t nodes = nodes_to[at] + (counts ? 1 : 0);
      if (nodes >= nodes_to[to]) return;
      nodes_to[to] = nodes;
      if (counts) {
        open.push_back(to);
      } else {
        open.push_front(to);
      }
    });
  }
  const Participants participants(topology);
  for (NodeId place = 0; place < participants.count(); ++place) {
    farthest = std::max(farthest, nodes_to[participants[place]]);
  }
  return farthest;
}

void require_memory_for_paths(const Topology& topology, const std::string& algorithm) {
  if (all_are_nodes(topology)) return;
  const CoreRouters routers(topology);
  std::uint64_t hosts = 0;
  for (std::uint32_t core = 0; core < routers.cores(); ++core) hosts += routers.nodes_at(core) > 0 ? 1 : 0;
  refuse_if(2 * hosts * hosts > Possession::kMemoryLimit, "topology.kind",
            "{} takes two bytes for each pair of {} routers with nodes, which on the {} is more "
            "than the limit of {} GiB; it takes a smaller network",
            algorithm, hosts, topology.name(), Possession::kMemoryLimit >> 30);
}

StepPaths::StepPaths(const Topology& topology, Direction direction)
    : topology_(topology),
      forward_(direction == Direction::forward),
      routers_(topology),
      used_(topology.channel_ids(), 0),
      seen_(topology.routers(), 0),
      closed_(topology.routers(), 0) {
  find_links();
  for (std::uint32_t core = 0; core < routers_.cores(); ++core) {
    host_.push_back(hosts_);
    if (routers_.nodes_at(core) > 0) ++hosts_;
  }
  distances_.resize(hosts_);
}

void StepPaths::find_links() {
  // A routing function sends all messages between two neighbours over the same one of their links.
  std::vector<bool> beside(topology_.channel_ids());
  std::vector<NodeId> last(topology_.routers(), kNoNode);
  for (NodeId node = 0; node < topology_.nodes() && !topology_.is_fault_free_grid(); ++node) {
    topology_.for_each_link_from(node, [&](unsigned port, NodeId to) {
      if (!is_node(to)) return;
      beside[topology_.channel(node, port)] = last[to] == node;
      last[to] = node;
    });
  }
  first_.assign(1, 0);
  for (NodeId router = 0; router < topology_.routers(); ++router) {
    for (unsigned port = 0; port < topology_.link_ports(); ++port) {
      const auto to = forward_ ? topology_.neighbour(router, port) : topology_.upstream(router, port);
      if (!to) continue;
      const ChannelId channel = topology_.channel(forward_ ? router : *to, port);
      if (!beside[channel]) links_.push_back({channel, *to, port});
    }
    first_.push_back(static_cast<std::uint32_t>(links_.size()));
  }
}

void StepPaths::visit(const Link& link, std::uint32_t before, std::uint32_t count,
                      const std::function<bool(NodeId)>& wanted) {
  if (seen_[link.to] == search_ || used_[link.channel] == step_ || closed_[link.to] == step_) return;
  seen_[link.to] = search_;
  if (!is_node(link.to) || wanted(link.to)) visits_.push_back({link.to, before, link.channel, count});
}

void StepPaths::visit_beyond(std::uint32_t place, const std::function<bool(NodeId)>& wanted) {
  const Visit at = visits_[place];
  // From where the path came in on, so that nodes round a router do not all ask for the first one.
  const auto all = links(at.router);
  const auto next = std::ranges::upper_bound(all, topology_.channel_port(at.channel), {}, &Link::port);
  for (auto link = next; link != all.end(); ++link) visit(*link, place, at.links + 1, wanted);
  for (auto link = all.begin(); link != next; ++link) visit(*link, place, at.links + 1, wanted);
}

std::optional<StepPaths::Found> StepPaths::take(NodeId node, unsigned port,
                                                const std::function<bool(NodeId)>& wanted) {
  const auto first = std::ranges::find(links(node), port, &Link::port);
  if (first == links(node).end()) return std::nullopt;
  ++search_;
  seen_[node] = search_;
  visits_.clear();
  visit(*first, 0, 1, wanted);
  bool met_any = false;
  for (std::uint32_t place = 0; place < visits_.size(); ++place) {
    const Visit at = visits_[place];
    if (!is_node(at.router)) {
      visit_beyond(place, wanted);
      continue;
    }
    met_any = true;
    if (!is_shortest(node, at)) continue;
    for (std::uint32_t back = place;; back = visits_[back].before) {
      used_[visits_[back].channel] = step_;
      if (visits_[back].links == 1) break;
    }
    return Found{at.router, at.links == 1 ? one_hop(port) : Route{}};
  }
  // No path of this step reaches a free node from these routers.
  if (forward_ && !met_any) {
    for (const Visit& visited : visits_) closed_[visited.router] = step_;
  }
  return std::nullopt;
}

bool StepPaths::is_shortest(NodeId start, const Visit& end) {
  if (end.links == 1) return true;
  const std::uint32_t core = routers_.core_of(start);
  if (distances_[host_[core]].empty()) find_distances(core);
  const std::uint32_t leaves = (routers_.is_leaf(start) ? 1 : 0) + (routers_.is_leaf(end.router) ? 1 : 0);
  const std::uint32_t between = distances_[host_[core]][host_[routers_.core_of(end.router)]];
  return between == kFar || end.links == leaves + between;
}

void StepPaths::find_distances(std::uint32_t core) {
  std::vector<std::uint32_t> distance(topology_.routers(), kNowhere);
  std::vector<NodeId> open{routers_.router(core)};
  distance[open.front()] = 0;
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const Link& link : links(open[i])) {
      if (routers_.is_leaf(link.to) || distance[link.to] != kNowhere) continue;
      distance[link.to] = distance[open[i]] + 1;
      open.push_back(link.to);
    }
  }
  auto& row = distances_[host_[core]];
  row.resize(hosts_);
  for (std::uint32_t to = 0; to < routers_.cores(); ++to) {
    if (routers_.nodes_at(to) > 0) {
      row[host_[to]] = static_cast<std::uint16_t>(std::min(distance[routers_.router(to)], kFar));
    }
  }
}

}  // namespace flitscope::common
