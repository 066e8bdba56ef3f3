// Limits of machines: which can be built, and their memory.
#pragma once

#include <array>
#include <cstdint>

#include "model/machine.h"
#include "model/text.h"
#include "model/topology.h"

namespace flitscope {

/// Which routers and network interfaces are SystemC modules of their own. The engine needs none.
enum class Modules : std::uint8_t {
  automatic,  ///< all in a network of at most kMaxModuleNodes nodes, in a larger one only requested ones
  all,
};
template <>
inline constexpr std::array kNamesOf<Modules>{"auto", "all"};
inline constexpr NodeId kMaxModuleNodes = 65'536;

/// True if every node has its modules without a request.
[[nodiscard]] inline bool all_are_modules(NodeId nodes, Modules modules) {
  return modules == Modules::all || nodes <= kMaxModuleNodes;
}

/// Refuses a machine that cannot be built: too few virtual channels for the routing (the message says how
/// many are needed), more than 64 per router, more ports than links, or more memory than `memory_bytes`.
/// Throws Inadmissible.
void require_buildable(const Topology& topology, const MachineConfig& machine, std::uint64_t memory_bytes,
                       Modules modules = Modules::automatic);

}  // namespace flitscope
