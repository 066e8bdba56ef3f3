// Which cycle of a group is compiled in for a machine: by its shape, whether it is a plain one, and by the
// processor.
#include "routers/engine/group_cycle.h"

#include "routers/engine/group_events.h"
#include "routers/engine/group_injection.h"
#include "routers/engine/group_repetition.h"
#include "routers/engine/group_switch_allocation.h"
#include "routers/engine/group_traversal.h"
#include "routers/engine/group_vc_allocation.h"
#include "routers/engine/group_wide_routers.h"

namespace flitscope {

std::unique_ptr<RouterGroups> RouterGroups::make(const Topology& topology, const MachineConfig& machine,
                                                 MessageTable& messages, Agenda& agenda,
                                                 ArrivingMessages& arriving, const RouterObservers& observers,
                                                 ExternalLinks* modules) {
  const auto make = [&]<GroupShape kShape, GroupVersion kVersion>() -> std::unique_ptr<RouterGroups> {
    return std::make_unique<GroupCycle<kShape, kVersion>>(topology, machine, messages, agenda, arriving,
                                                          observers, modules);
  };
  const GroupShape shape = shape_of(topology, machine);
  if (shape.input_vcs() > 64) return make.operator()<GroupShape{}, GroupVersion::wide>();
#ifndef __SANITIZE_ADDRESS__
  if (has_vectors()) {
    const auto routing = RoutingRegistry::find(machine.routing)->make(topology);
    const bool plain = !machine.has_parts() && !has_classes_or_limits(machine) && machine.vc_delay == 0 &&
                       machine.vc_reallocation_delay == 1 &&
                       !flitscope::needs_packet_space(machine.switching, machine.vc_allocation) &&
                       machine.longest_link().cycles_per_flit == 1 && routing->deterministic() &&
                       observers.stalls == nullptr && observers.flits == nullptr && modules == nullptr;
    const auto make_shape = [&]<GroupShape kShape>() {
      return plain ? make.operator()<kShape, GroupVersion::plain>()
                   : make.operator()<kShape, GroupVersion::full>();
    };
    // Grids of two and three dimensions as most are.
    constexpr GroupShape kPlane{4, 2, 4};
    constexpr GroupShape kPlaneOnePort{4, 2, 1};
    constexpr GroupShape kSpace{6, 2, 6};
    if (shape == kPlane) return make_shape.operator()<kPlane>();
    if (shape == kPlaneOnePort) return make_shape.operator()<kPlaneOnePort>();
    if (shape == kSpace) return make_shape.operator()<kSpace>();
    // In one version, plain or not.
    constexpr GroupShape kPlaneOfFour{4, 4, 1, 4};
    constexpr GroupShape kSpaceOnePort{6, 2, 1};
    constexpr GroupShape kSpaceOfFour{6, 4, 6};
    if (shape == kPlaneOfFour) return make.operator()<kPlaneOfFour, GroupVersion::full>();
    if (shape == kSpaceOnePort) return make.operator()<kSpaceOnePort, GroupVersion::full>();
    if (shape == kSpaceOfFour) return make.operator()<kSpaceOfFour, GroupVersion::full>();
    return make_shape.operator()<GroupShape{}>();
  }
#endif
  return make.operator()<GroupShape{}, GroupVersion::full>();
}

}  // namespace flitscope
