// How far ahead the engine's calendar reaches.
#pragma once

#include <algorithm>

#include "model/types.h"
#include "routers/machine.h"

namespace flitscope {

/// The longest delay that routers and links of this machine wait for, in cycles: an Agenda for it needs a
/// wheel of this horizon. Startups can be longer; they are rare, and the agenda keeps them apart.
[[nodiscard]] inline Cycle horizon_of(const MachineConfig& machine) {
  return std::max<Cycle>(
      {Cycle{machine.router_delay} + machine.link_delay, machine.slowdown, machine.vc_turnaround});
}

}  // namespace flitscope
