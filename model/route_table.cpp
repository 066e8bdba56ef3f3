#include "model/route_table.h"

#include <algorithm>
#include <new>
#include <optional>
#include <utility>

#include "model/error.h"

namespace flitscope {

namespace {

/// The port and the neighbour of a router that has one link each way, both to the same router.
std::optional<std::pair<unsigned, NodeId>> only_link(const Topology& topology, NodeId router) {
  std::optional<std::pair<unsigned, NodeId>> out;
  std::optional<NodeId> from;
  unsigned leaving = 0;
  unsigned entering = 0;
  for (unsigned port = 0; port < topology.link_ports(); ++port) {
    if (const auto to = topology.neighbour(router, port)) {
      ++leaving;
      out = {port, *to};
    }
    if (const auto sender = topology.upstream(router, port)) {
      ++entering;
      from = sender;
    }
  }
  return leaving == 1 && entering == 1 && out->second == from ? out : std::nullopt;
}

}  // namespace

CoreRouters::CoreRouters(const Topology& topology)
    : core_(topology.routers()),
      leaf_out_(topology.routers(), kNoPort),
      leaf_in_(topology.routers(), kNoPort) {
  const NodeId routers = topology.routers();
  std::vector<std::optional<std::pair<unsigned, NodeId>>> links(routers);
  for (NodeId router = 0; router < routers; ++router) links[router] = only_link(topology, router);
  const auto is_leaf_node = [&](NodeId router) {
    return router < topology.nodes() && links[router] && !links[links[router]->second];
  };
  for (NodeId router = 0; router < routers; ++router) {
    if (is_leaf_node(router) || topology.is_missing(router)) continue;
    core_[router] = static_cast<std::uint32_t>(router_.size());
    router_.push_back(router);
    nodes_at_.push_back(router < topology.nodes() ? 1 : 0);
  }
  fed_by_leaves_ = BitRows(cores(), topology.link_ports());
  for (NodeId router = 0; router < routers; ++router) {
    if (!is_leaf_node(router)) continue;
    const auto& [out, core] = *links[router];
    core_[router] = core_[core];
    ++nodes_at_[core_[core]];
    leaf_out_[router] = static_cast<std::uint8_t>(out);
    fed_by_leaves_.add(core_[core], out);
    for (unsigned port = 0; port < topology.link_ports(); ++port) {
      if (topology.neighbour(core, port) == router) leaf_in_[router] = static_cast<std::uint8_t>(port);
    }
  }
}

RouteTable::RouteTable(const Topology& topology) : CoreRouters(topology) {
  refuse_if(
      cores() > kMaxCores, "router.routing",
      "a table of routes for {} routers takes too much memory; it can have {} at most. A routing function "
      "that computes routes, such as dimension-order or one that is made for the family, needs no table",
      cores(), kMaxCores);
  allocate(ports_, kNoPort);
}

void RouteTable::allocate(std::vector<std::uint8_t>& entries, std::uint8_t value) const {
  const std::size_t size = std::size_t{cores()} * cores();
  try {
    entries.assign(size, value);
  } catch (const std::bad_alloc&) {
    throw Inadmissible("router.routing",
                       "not enough memory: a table of routes for {} routers needs {:.1f} GiB", cores(),
                       static_cast<double>(bytes() + size) / (1 << 30));
  }
}

void RouteTable::set_layer(std::uint32_t from, std::uint32_t to, unsigned layer) {
  if (layers_.empty()) allocate(layers_, 0);
  layers_[std::size_t{to} * cores() + from] = static_cast<std::uint8_t>(layer);
  layer_count_ = std::max(layer_count_, layer + 1);
}

}  // namespace flitscope
