// The span of the engine's calendar.
#pragma once

#include <algorithm>

#include "model/machine.h"
#include "model/types.h"

namespace flitscope {

/// The longest delay that routers and links of this machine wait for, in cycles. Startups can be longer; they
/// are rare, and the agenda keeps them apart.
[[nodiscard]] inline Cycle horizon_of(const MachineConfig& machine) {
  const LinkTime link = machine.longest_link();
  return std::max<Cycle>({Cycle{machine.router_delay} + link.delay, Cycle{link.delay} + machine.credit_delay,
                          link.cycles_per_flit.rounded_up(), machine.injection_interval,
                          machine.ejection_interval, machine.vc_reallocation_delay, machine.vc_delay,
                          Cycle{machine.parts.routing_delay} + 1,
                          Cycle{machine.parts.injection_credit_delay} + 1});
}

}  // namespace flitscope
