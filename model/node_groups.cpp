#include "model/node_groups.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/collective.h"
#include "model/graph.h"
#include "model/route_table.h"

namespace flitscope {

namespace {

/// The network's own group of every place (Participants); empty if there are none.
std::vector<std::uint32_t> own_groups(const Topology& topology, const Participants& participants) {
  std::vector<std::uint32_t> group(participants.count());
  const auto fill = [&](auto group_of) {
    for (NodeId place = 0; place < participants.count(); ++place)
      group[place] = group_of(participants[place]);
  };
  if (topology.is_grid()) {
    fill([&](NodeId node) { return node / topology.side(0); });
    return group;
  }
  const Graph* const graph = topology.graph();
  if (graph != nullptr && graph->group(participants[0])) {
    fill([&](NodeId node) { return *graph->group(node); });
    return group;
  }
  const CoreRouters routers(topology);
  fill([&](NodeId node) { return routers.core_of(node); });
  if (std::ranges::any_of(group, [&](std::uint32_t core) { return routers.nodes_at(core) > 1; }))
    return group;
  return {};
}

std::uint32_t square_root(NodeId nodes) {
  return static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(nodes))));
}

}  // namespace

NodeGroups::NodeGroups(const Topology& topology, std::uint32_t size) {
  const Participants participants(topology);
  const std::vector<std::uint32_t> own = own_groups(topology, participants);
  std::vector<std::pair<std::uint32_t, NodeId>> places;
  for (NodeId place = 0; place < participants.count(); ++place) {
    places.emplace_back(own.empty() ? 0 : own[place], place);
  }
  std::ranges::sort(places);
  if (size == 0 && own.empty()) size = square_root(participants.count());
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    if (size != 0 ? i % size == 0 : i == 0 || places[i].first != places[i - 1].first) first_.push_back(i);
    nodes_.push_back(participants[places[i].second]);
  }
  first_.push_back(static_cast<std::uint32_t>(nodes_.size()));
}

std::uint32_t NodeGroups::smallest() const {
  std::uint32_t least = first_.back();
  for (std::size_t i = 1; i < first_.size(); ++i) least = std::min(least, first_[i] - first_[i - 1]);
  return least;
}

std::uint32_t NodeGroups::largest() const {
  std::uint32_t most = 0;
  for (std::size_t i = 1; i < first_.size(); ++i) most = std::max(most, first_[i] - first_[i - 1]);
  return most;
}

}  // namespace flitscope
