// What can be built, and what it takes.
#pragma once

#include <cstdint>

#include "model/topology.h"
#include "routers/machine.h"

namespace flitscope {

/// Refuses a machine that cannot be built: too few virtual channels for the routing (the message says how
/// many are needed), more than 64 per router, more ports than links, or more memory than `memory_bytes`.
/// Throws Inadmissible.
void require_buildable(const Topology& topology, const MachineConfig& machine, std::uint64_t memory_bytes);

/// Bytes that routers, network interfaces and their SystemC modules take.
[[nodiscard]] std::uint64_t estimated_bytes(const Topology& topology, const MachineConfig& machine);

}  // namespace flitscope
