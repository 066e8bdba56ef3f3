#include "sim/verify/suggested_fixes.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "model/error.h"
#include "routers/modules/limits.h"

namespace flitscope {

namespace {

/// Adds a setting that the machine can have and that frees the experiment.
void try_setting(const DeadlockCheck& check, ExperimentConfig config, std::string setting,
                 const MachineConfig& machine, SuggestedFixes& repairs) {
  config.machine = machine;
  config.virtual_channels = machine.virtual_channels;
  try {
    require_buildable(config.topology, machine, std::numeric_limits<std::uint64_t>::max());
  } catch (const Inadmissible&) {
    return;
  }
  if (check_deadlock(config, check.scope).verdict.verdict != Verdict::free) return;
  repairs.settings.push_back(std::move(setting));
}

/// Every buffer can take two of the longest message.
bool has_room_for_bubbles(const DeadlockCheck& check, const ExperimentConfig& config) {
  bool room = true;
  journeys_of(check, config)([&](const Flow& flow) {
    room = 2 * flow.flits <= config.machine.buffer;
    return room;
  });
  return room;
}

void try_settings(const DeadlockCheck& check, const ExperimentConfig& config, SuggestedFixes& repairs) {
  const auto function = RoutingRegistry::find(config.machine.routing)->make(config.topology);
  if (config.machine.virtual_channels < function->classes()) {
    MachineConfig machine = config.machine;
    machine.virtual_channels = function->classes();
    try_setting(check, config, fmt::format("router.virtual_channels={}", function->classes()), machine,
                repairs);
  }
  if (!function->deterministic() && config.machine.vc_allocation == VcAllocation::non_atomic) {
    MachineConfig machine = config.machine;
    machine.vc_allocation = VcAllocation::atomic;
    try_setting(check, config, "router.vc_allocation=atomic", machine, repairs);
  }
  if (config.machine.flow == FlowControl::credit && has_room_for_bubbles(check, config)) {
    MachineConfig machine = config.machine;
    machine.flow = FlowControl::bubble;
    try_setting(check, config, "router.flow=bubble", machine, repairs);
  }
  for (const Routing& routing : RoutingRegistry::all()) {
    // Of adaptive functions, those that need neither more virtual channels nor another allocation.
    const bool other = routing.name != config.machine.routing && routing.serves(config.topology);
    if (function->deterministic() || !other || check.scope != Scope::all_pairs) continue;
    const auto candidate = routing.make(config.topology);
    if (candidate->deterministic() || candidate->classes() > config.machine.virtual_channels) continue;
    MachineConfig machine = config.machine;
    machine.routing = routing.name;
    try_setting(check, config, "router.routing=" + routing.name, machine, repairs);
  }
}

}  // namespace

SuggestedFixes find_repairs(const DeadlockCheck& check, const ExperimentConfig& config) {
  constexpr std::uint64_t kMaxWays = 100'000;
  constexpr NodeId kMaxForTurns = 1024;
  SuggestedFixes repairs;
  try_settings(check, config, repairs);
  PathEnumerator ways(config.topology, *RoutingRegistry::find(config.machine.routing),
                      config.machine.virtual_channels);
  const Flows flows = journeys_of(check, config);
  if (ways.routing().deterministic()) {
    repairs.layers = layers_of(ways, flows, kMaxWays);
  } else if (config.topology.nodes() <= kMaxForTurns) {
    repairs.turns = turns_to_forbid(ways, flows);
  }
  return repairs;
}

}  // namespace flitscope
