// The keys of synthetic traffic.
#pragma once

#include <string>
#include <vector>

#include "model/key_row.h"
#include "routers/machine.h"
#include "sim/config/config.h"

namespace flitscope {

/// The first is `traffic`, which names the pattern; the others belong to traffic only.
[[nodiscard]] std::vector<Row<TrafficConfig>> traffic_rows();
/// Those of traffic beside a schedule, which has no phases of its own; `traffic` must be given.
[[nodiscard]] std::vector<Row<TrafficConfig>> background_rows();

/// Throws Inadmissible for traffic that no node of the machine could offer. `section` holds its keys.
void require_possible(const TrafficConfig& traffic, const MachineConfig& machine, const Topology& topology,
                      const std::string& section);

/// The highest load that nodes can offer: a flit a cycle on each injection channel, and a message a cycle.
[[nodiscard]] double possible_load(const TrafficConfig& traffic, const MachineConfig& machine,
                                   const Topology& topology);

}  // namespace flitscope
