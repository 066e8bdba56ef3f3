// The flows of synthetic traffic, as an analysis of deadlock looks at them.
#pragma once

#include <functional>

#include "model/machine.h"
#include "sim/analysis/path_enumerator.h"
#include "traffic/traffic.h"

namespace flitscope {

/// Calls visit(flow) until it returns false, for every node and all others to which traffic has it send, by
/// the shortest paths; returns whether it never did.
bool for_each_pair(const Topology& topology, const MachineConfig& machine, const TrafficConfig& traffic,
                   const TrafficPattern& pattern, const std::function<bool(const Flow&)>& visit);

}  // namespace flitscope
