#include "sim/analysis/fault_cost.h"

#include <algorithm>
#include <vector>

#include "model/graph.h"
#include "routers/routing/paths.h"

namespace flitscope {

namespace {

/// Nodes that `present` lacks are left out.
WaysOfPairs ways_of_pairs(const Paths& ways, const Topology& present) {
  const Topology& topology = ways.topology();
  std::vector<std::uint64_t> pairs(topology.channel_ids());
  std::uint64_t links = 0;
  std::uint64_t count = 0;
  for (NodeId to = 0; to < topology.nodes(); ++to) {
    for (NodeId from = 0; from < topology.nodes(); ++from) {
      if (from == to || present.is_missing(from) || present.is_missing(to)) continue;
      ++count;
      ways.for_each_channel(from, to, {}, [&](ChannelId channel) {
        ++links;
        ++pairs[channel];
      });
    }
  }
  return {static_cast<double>(links) / static_cast<double>(count), *std::ranges::max_element(pairs)};
}

}  // namespace

FaultCost fault_cost(const Topology& topology, const std::string& routing) {
  const Topology whole(topology.kind(), {topology.sides().begin(), topology.sides().end()});
  return {ways_of_pairs(Paths(topology, routing), topology), ways_of_pairs(Paths(whole, routing), topology)};
}

}  // namespace flitscope
