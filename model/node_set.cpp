#include "model/node_set.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "model/error.h"
#include "model/graph.h"
#include "model/numbers.h"
#include "model/random.h"
#include "model/route_table.h"
#include "model/schedule.h"

namespace flitscope {

namespace {

/// The first `count` of a random order of all nodes, sorted.
std::vector<NodeId> draw(NodeId nodes, std::uint64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto order = numbers_below<NodeId>(nodes);
  for (std::uint64_t i = 0; i < count; ++i) std::swap(order[i], order[i + random_below(random, nodes - i)]);
  order.resize(count);
  std::ranges::sort(order);
  return order;
}

std::vector<NodeId> listed(const NodeSet& set, const Topology& topology, const std::string& key) {
  if (set.nodes.empty()) throw Inadmissible(key, "the list names no node; it must name at least one");
  std::vector<NodeId> nodes;
  for (const NodeName& name : set.nodes) nodes.push_back(node_named(name, topology, key));
  std::vector<NodeId> sorted = nodes;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end()) {
    throw Inadmissible(key, "{} is named twice; each node can be named once", topology.node_name(*twice));
  }
  return nodes;
}

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

NodeId node_named(const NodeName& name, const Topology& topology, const std::string& key) {
  try {
    const NodeId node = parse_node(name.text, topology);
    if (node < topology.nodes()) return node;
  } catch (const InputError& error) {
    throw Inadmissible(key, error.what());
  }
  throw Inadmissible(key, "'{}' is a router of the {} without a node; its nodes are {} to {}", name.text,
                     topology.name(), topology.node_name(0), topology.node_name(topology.nodes() - 1));
}

std::vector<NodeId> nodes_of(const NodeSet& set, const Topology& topology, const std::string& key) {
  const NodeId all = topology.nodes();
  switch (set.kind) {
    case NodeSet::Kind::all:
      return draw(all, all, 0);
    case NodeSet::Kind::listed:
      return listed(set, topology, key);
    case NodeSet::Kind::count:
      refuse_if(set.count == 0 || set.count > all, key,
                "count must be from 1 to {}, the nodes of the {}, not {}", all, topology.name(), set.count);
      return draw(all, set.count, set.seed);
    case NodeSet::Kind::fraction:
      break;
  }
  const auto share = static_cast<std::uint64_t>(std::llround(set.fraction * all));
  return draw(all, std::clamp<std::uint64_t>(share, 1, all), set.seed);
}

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
