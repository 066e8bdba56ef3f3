// Memories that replies and requests come from: the section `memory`.
#pragma once

#include <map>
#include <optional>

#include "sim/config/config.h"
#include "sim/driver/memories.h"

namespace flitscope {

/// What the nodes' memories do; nothing if the configuration has no section `memory`. The machine must be
/// complete. Throws Inadmissible if the machine has no message classes for them.
[[nodiscard]] std::optional<MemoryMap> memory_map(const ExperimentConfig& config);

/// How many requests nodes of shared memories work on, if not as many as others: for MachineConfig. Throws
/// Inadmissible.
[[nodiscard]] std::map<NodeId, std::uint32_t> controller_requests(const ExperimentConfig& config);
/// Sets the intervals at which nodes read flits one by one, if the memories say so. Throws Inadmissible.
void set_read_intervals(MachineConfig& machine, const MemoryMap& map);

}  // namespace flitscope
