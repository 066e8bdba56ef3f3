// Which cycle of a group is compiled in for a machine: by its shape, and whether it is a plain one.
#include "routers/engine/group_cycle.h"

#include "routers/engine/group_arrivals.h"
#include "routers/engine/group_injection.h"
#include "routers/engine/group_switch_allocation.h"
#include "routers/engine/group_traversal.h"
#include "routers/engine/group_vc_allocation.h"

namespace flitscope {

std::unique_ptr<RouterGroups> RouterGroups::make(const Topology& topology, const MachineConfig& machine,
                                                 MessageTable& messages, Agenda& agenda,
                                                 ArrivingMessages& arriving, const RouterObservers& observers,
                                                 ExternalLinks* modules) {
  const auto routing = RoutingRegistry::find(machine.routing)->make(topology);
  const GroupShape shape = shape_of(topology, machine);
  const bool plain = !machine.has_parts() && !has_classes_or_limits(machine) && machine.vc_delay == 0 &&
                     machine.vc_reallocation_delay == 1 &&
                     !flitscope::needs_packet_space(machine.switching, machine.vc_allocation) &&
                     machine.longest_link().cycles_per_flit == 1 && routing->deterministic() &&
                     observers.stalls == nullptr && observers.flits == nullptr && modules == nullptr;
  const auto make = [&]<GroupShape kShape>() -> std::unique_ptr<RouterGroups> {
    if (plain) {
      return std::make_unique<GroupCycle<kShape, true>>(topology, machine, messages, agenda, arriving,
                                                        observers, modules);
    }
    return std::make_unique<GroupCycle<kShape, false>>(topology, machine, messages, agenda, arriving,
                                                       observers, modules);
  };
  // Grids of two and three dimensions as most are.
  constexpr GroupShape kPlane{4, 2, 4};
  constexpr GroupShape kPlaneOnePort{4, 2, 1};
  constexpr GroupShape kSpace{6, 2, 6};
  constexpr GroupShape kSpaceOfFour{6, 4, 6};
  if (shape == kPlane) return make.operator()<kPlane>();
  if (shape == kPlaneOnePort) return make.operator()<kPlaneOnePort>();
  if (shape == kSpace) return make.operator()<kSpace>();
  if (shape == kSpaceOfFour) return make.operator()<kSpaceOfFour>();
  return make.operator()<GroupShape{}>();
}

}  // namespace flitscope
