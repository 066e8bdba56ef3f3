#include "sim/analysis/traffic_flows.h"

#include "model/route.h"
#include "model/schedule.h"
#include "sim/analysis/traffic_load.h"

namespace flitscope {

bool for_each_pair(const Topology& all, const MachineConfig& machine, const TrafficConfig& traffic,
                   const TrafficPattern& pattern, const std::function<bool(const Flow&)>& visit) {
  const Topology topology = all.network(machine.network_of(class_of(traffic, machine)));
  bool wanted = true;
  const auto visit_sizes = [&](NodeId source, NodeId destination, Route route) {
    for (const auto& size : traffic.message.sizes) {
      const std::uint64_t flits = flits_of(size.bytes, machine.flit_bytes);
      wanted = wanted && visit({source, destination, route, 0, flits});
      // Lengths make a difference to bubbles only.
      if (machine.flow != FlowControl::bubble) break;
    }
  };
  for (NodeId source = 0; source < topology.nodes() && wanted; ++source) {
    pattern.for_each_share(source, [&](NodeId destination, double share) {
      if (share <= 0 || destination == source || !wanted) return;
      const auto ties = traffic.ties == Ties::random ? ties_between(topology, source, destination) : 0U;
      // Every set of the dimensions with a tie.
      for (std::uint32_t minus = ties;; minus = (minus - 1) & ties) {
        Route route = shortest_route(topology, source, destination);
        route.negative = static_cast<std::uint16_t>(route.negative | minus);
        visit_sizes(source, destination, route);
        if (minus == 0) break;
      }
    });
  }
  return wanted;
}

}  // namespace flitscope
