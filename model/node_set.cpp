#include "model/node_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "model/error.h"
#include "model/random.h"

namespace flitscope {

namespace {

/// The first `count` of a random order of all nodes, sorted.
std::vector<NodeId> draw(NodeId nodes, std::uint64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<NodeId> order(nodes);
  std::iota(order.begin(), order.end(), 0);
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
      if (set.count == 0 || set.count > all) {
        throw Inadmissible(key, "count must be from 1 to {}, the nodes of the {}, not {}", all,
                           topology.name(), set.count);
      }
      return draw(all, set.count, set.seed);
    case NodeSet::Kind::fraction:
      break;
  }
  const auto share = static_cast<std::uint64_t>(std::llround(set.fraction * all));
  return draw(all, std::clamp<std::uint64_t>(share, 1, all), set.seed);
}

}  // namespace flitscope
