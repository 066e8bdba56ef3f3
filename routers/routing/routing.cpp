#include "routers/routing/routing.h"

#include "model/graph.h"

namespace flitscope {

bool Routing::serves(const Topology& topology) const {
  if (needs_routes && topology.given_routes() == nullptr) return false;
  if (any_network) return topology.has_links();
  if (topology.has_faults()) return false;
  if (topology.kind() == TopologyKind::graph) {
    return std::ranges::find(families, topology.graph()->family()) != families.end();
  }
  if (topology.is_one_way() && make(topology)->shorter_ways_only()) return false;
  return topology.dimensions() <= max_dimensions &&
         std::ranges::find(topologies, topology.kind()) != topologies.end();
}

}  // namespace flitscope
