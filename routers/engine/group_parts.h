// What RouterGroups keeps for machines with parts (MachineConfig::has_parts).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "model/machine.h"
#include "model/types.h"
#include "routers/engine/message_table.h"
#include "routers/engine/planes.h"
#include "routers/parts/router_shape.h"
#include "routers/parts/slot_tracker.h"
#include "routers/parts/switch_allocators.h"
#include "routers/parts/vc_allocators.h"

namespace flitscope {

/// Allocators, and by router what they know.
struct GroupParts {
  struct Router {
    VcSet asked;    ///< whose heads request an output VC in this cycle
    VcSet fresh;    ///< that were granted one in this cycle, by a router that speculates
    VcSet able;     ///< of switch_winner: that could be granted one in this cycle
    VcSet routing;  ///< whose heads will request one after RouterParts::routing_delay
    VcSet bypass;   ///< whose message takes the bypass of its input port
    VcSet kept;     ///< of RouterParts::hold: that keep the switch in cycle `kept_in`
    Cycle kept_in = 0;
    // As trackers have them:
    VcSet with_slot = ~VcSet();  ///< output VCs with a free slot
    VcSet empty = ~VcSet();      ///< with free slots only
  };
  /// A flit that waits in an output queue.
  struct QueuedFlit {
    Cycle from = 0;
    NodeId node = 0;
    std::uint8_t input = 0;   ///< VC that it has left
    std::uint8_t output = 0;  ///< VC
    MessageSlot message = 0;
    std::uint32_t index = 0;
    bool tail = false;
    std::uint64_t culprit = 0;  ///< message of the flit before it
  };
  struct Group {
    Plane askers = 0;   ///< routers with requests in this cycle
    Plane lacking = 0;  ///< with heads that lack slots
    std::map<Cycle, std::vector<QueuedFlit>>
        queued{};  ///< flits in output queues, by the cycle in which they leave
  };
  /// Trackers of slots by router and VC, with the flits of the last step that they do not know of.
  struct Trackers {
    unsigned vcs;
    std::vector<SlotTracker> trackers;  ///< by router, then VC
    std::vector<Plane> sent;            ///< by group, then VC
    std::vector<Plane> unsettled;       ///< those whose VC was not known to be empty in the last step
    std::vector<Cycle> sent_at;         ///< by group

    Trackers(unsigned tracked_vcs, std::size_t groups);
    /// Flits that take slots of a VC in cycle `now`.
    void note(std::size_t group, unsigned vc, Plane routers, Cycle now);
    /// Begins cycle `now` of a group: `returned` has a plane of slots for every VC. Calls visit(router, vc,
    /// tracker, empty) for trackers with something new. Returns the routers that know of an empty VC in the
    /// next cycle only.
    template <typename Visit>
    Plane track(std::size_t group, const Plane* returned, Cycle now, Visit visit);
  };

  GroupParts(const MachineConfig& machine, const RouterShape& router_shape, NodeId nodes);

  /// What these take for a router, about.
  [[nodiscard]] std::uint64_t bytes_of_router() const {
    return stride + sizeof(Router) + (outputs.vcs + injections.vcs) * sizeof(SlotTracker);
  }
  /// The VCs that share the input of the switch with an input VC.
  template <typename Vcs>
  [[nodiscard]] Vcs sharing_input(unsigned vc) const {
    return shape.set_of_input<Vcs>(shape.input_of(vc));
  }
  /// Of VcSet for a wide router, of VcSetOf<1> for another.
  template <typename Vcs>
  [[nodiscard]] const VcMatcher<Vcs>& vc_matcher() const {
    return static_cast<const VcMatcher<Vcs>&>(*vc_allocator);
  }
  template <typename Vcs>
  [[nodiscard]] const SwitchMatcher<Vcs>& switch_matcher() const {
    return static_cast<const SwitchMatcher<Vcs>&>(*switch_allocator);
  }
  [[nodiscard]] std::uint8_t* vc_state(NodeId node) { return &state[node * stride]; }
  [[nodiscard]] std::uint8_t* switch_state(NodeId node) { return vc_state(node) + vc_allocator->bytes(); }
  [[nodiscard]] std::uint8_t* winner_state(NodeId node) {
    return switch_state(node) + switch_allocator->bytes();
  }
  /// A grant of a link's VC requires slots.
  [[nodiscard]] bool needs_slots() const { return vc_allocation != VcAllocation::non_atomic; }
  /// VCs go to winners of the switch.
  [[nodiscard]] bool allocates_late() const { return options.vc_allocator == VcAllocator::switch_winner; }
  /// Heads without a VC request the switch in any case, after all others.
  [[nodiscard]] bool heads_come_last() const { return options.speculation == Speculation::prioritised; }
  /// Network interfaces wait for an empty injection VC.
  [[nodiscard]] bool tracks_puts() const {
    return options.early_credits && vc_allocation == VcAllocation::atomic;
  }
  [[nodiscard]] bool has_queues() const { return options.output_queue != 0; }
  [[nodiscard]] bool shares_buffers() const { return options.buffers == Buffers::shared; }
  [[nodiscard]] bool stops_and_goes() const { return options.credits == Credits::on_off; }
  [[nodiscard]] std::uint32_t& queued_flits(NodeId node, unsigned port) {
    return flits_of_queues[std::size_t{node} * shape.ports() + port];
  }
  /// All flits that the switch could move to an output port in a cycle find room.
  [[nodiscard]] bool can_queue(NodeId node, unsigned port) {
    return queued_flits(node, port) + shape.output_speedup <= options.output_queue;
  }
  /// Cycles that the flit of an input VC, which leaves a router of the present group, waits in a queue.
  [[nodiscard]] std::uint32_t& queue_wait(unsigned router, unsigned vc) {
    return queue_waits[router * shape.vcs() + vc];
  }
  /// Routers where slots behind a link port were taken or left since the last step of a group.
  [[nodiscard]] Plane& changed_slots(std::size_t group, unsigned port) {
    return changed[group * shape.link_ports + port];
  }
  /// Whether a sender may go on, by output VC of a link.
  [[nodiscard]] Plane& may_send(std::size_t group, unsigned output) {
    return goes[group * shape.link_vcs() + output];
  }
  /// Flits that the last signal counts.
  [[nodiscard]] std::int32_t& signalled(NodeId node, unsigned output) {
    return signals[std::size_t{node} * shape.link_vcs() + output];
  }

  /// As Trackers::track, of output VCs; and of network interfaces and injection VCs.
  [[nodiscard]] Plane track_outputs(std::size_t group, const Plane* returned, Cycle now);
  [[nodiscard]] Plane track_puts(std::size_t group, const Plane* returned, Cycle now);
  /// By injection VC, the routers where it is empty.
  [[nodiscard]] const Plane* empty_puts(std::size_t group) const { return &empty[group * injections.vcs]; }

  RouterParts options;
  RouterShape shape;
  bool wide;       ///< RouterShape::is_wide
  bool allocates;  ///< in another way than the usual one of groups
  VcAllocation vc_allocation;
  std::uint32_t buffer;
  std::uint32_t go_slots;  ///< 0: credits count
  std::uint32_t pool;  ///< flits beyond the reserves that a shared buffer has room for, if any VC may send
  std::unique_ptr<RouterPart> vc_allocator;
  std::unique_ptr<RouterPart> switch_allocator;
  WinnerVcs winner_vcs;
  std::size_t stride;  ///< of a router's state of allocators
  std::vector<std::uint8_t> state;
  std::vector<Router> routers;
  std::vector<Group> groups;
  Trackers outputs;
  Trackers injections;
  std::vector<Plane> empty;
  /// By input VC, flits of the present group that are usable for the first time, alone in their buffer.
  std::array<Plane, kMaxInputVcs> arriving{};
  std::vector<std::uint32_t> flits_of_queues;
  std::vector<std::uint32_t> queue_waits;
  std::vector<Plane> changed;
  std::vector<Plane> goes;
  std::vector<std::int32_t> signals;
};

}  // namespace flitscope
