// Every state that a network with few and short messages can get into, in whatever order things happen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/machine.h"
#include "routers/routing/routing.h"
#include "sim/analysis/path_enumerator.h"

namespace flitscope::reference {

enum class Reached : std::uint8_t {
  deadlock,  ///< a state in which messages are in the network and nothing can happen any more
  none,      ///< all states were seen, and there is none like that
  unknown,   ///< too many states
};

/// Goes through the states that can be reached: each message starts at any time, each head is granted any VC
/// that it may have, and any flit that can move does. Time, injection and ejection channels play no part. All
/// messages have `flits` flits.
[[nodiscard]] Reached explore(const Topology& topology, const MachineConfig& machine,
                              const std::vector<Flow>& messages, std::uint32_t flits, std::size_t max_states);

}  // namespace flitscope::reference
