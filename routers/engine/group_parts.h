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
class GroupParts {
 public:
  struct Router {
    std::uint64_t asked = 0;    ///< whose heads request an output VC in this cycle
    std::uint64_t fresh = 0;    ///< that were granted one in this cycle, by a router that speculates
    std::uint64_t able = 0;     ///< of switch_winner: that could be granted one in this cycle
    std::uint64_t routing = 0;  ///< whose heads will request one after RouterParts::routing_delay
    std::uint64_t kept = 0;     ///< of RouterParts::hold: that keep the switch in cycle `kept_in`
    Cycle kept_in = 0;
    // As trackers have them:
    std::uint64_t with_slot = ~std::uint64_t{0};  ///< output VCs with a free slot
    std::uint64_t empty = ~std::uint64_t{0};      ///< with free slots only
  };
  GroupParts(const MachineConfig& machine, const RouterShape& shape, NodeId nodes);

  [[nodiscard]] const RouterShape& shape() const { return shape_; }
  /// Allocation is other than the usual one of groups.
  [[nodiscard]] bool allocates() const { return allocates_; }
  /// The VCs that share the input of the switch with an input VC.
  [[nodiscard]] std::uint64_t sharing_input(unsigned vc) const {
    return shape_.mask_of_input(shape_.input_of(vc));
  }
  [[nodiscard]] const VcMatcher& vc_allocator() const { return *vc_allocator_; }
  [[nodiscard]] const SwitchMatcher& switch_allocator() const { return *switch_allocator_; }
  [[nodiscard]] std::uint8_t* vc_state(NodeId node) { return &state_[node * stride_]; }
  [[nodiscard]] std::uint8_t* switch_state(NodeId node) { return vc_state(node) + vc_allocator_->bytes(); }
  [[nodiscard]] VcAllocation vc_allocation() const { return vc_allocation_; }
  /// A grant of a link's VC requires slots.
  [[nodiscard]] bool needs_slots() const { return vc_allocation_ != VcAllocation::non_atomic; }
  [[nodiscard]] bool speculates() const { return parts_.speculates(); }
  /// VCs go to winners of the switch.
  [[nodiscard]] bool allocates_late() const { return parts_.vc_allocator == VcAllocator::switch_winner; }
  /// Heads without a VC request the switch in any case, after all others.
  [[nodiscard]] bool heads_come_last() const { return parts_.speculation == Speculation::prioritised; }
  [[nodiscard]] const WinnerVcs& winner_vcs() const { return winner_vcs_; }
  [[nodiscard]] std::uint8_t* winner_state(NodeId node) {
    return switch_state(node) + switch_allocator_->bytes();
  }
  [[nodiscard]] bool has_bypass() const { return parts_.bypass; }
  [[nodiscard]] Cycle routing_delay() const { return parts_.routing_delay; }
  [[nodiscard]] Cycle injection_credit_delay() const { return parts_.injection_credit_delay; }
  [[nodiscard]] bool holds() const { return parts_.hold; }
  [[nodiscard]] bool arbitrates_by_age() const { return parts_.arbiter == Arbiter::age; }
  [[nodiscard]] bool sees_early() const { return parts_.early_credits; }
  /// Network interfaces wait for an empty injection VC.
  [[nodiscard]] bool tracks_puts() const { return sees_early() && vc_allocation_ == VcAllocation::atomic; }

  [[nodiscard]] Router& router(NodeId node) { return routers_[node]; }
  /// Of a group: routers with requests in this cycle, or with heads that lack slots.
  Plane& askers(std::size_t group) { return askers_[group]; }
  Plane& lacking(std::size_t group) { return lacking_[group]; }

  /// The message whose flits take the bypass of an input port.
  struct Bypass {
    bool used = false;
    std::uint8_t vc = 0;  ///< input VC
  };
  [[nodiscard]] Bypass& bypass(NodeId node, unsigned port) { return bypasses_[node * shape_.ports() + port]; }
  /// By input VC, flits of the present group that are usable for the first time, alone in their buffer.
  [[nodiscard]] Plane* arriving() { return arriving_.data(); }

  // Output queues.
  struct OutputQueue {
    Cycle next = 0;  ///< the next flit leaves in this cycle at the earliest
    std::uint32_t flits = 0;
    std::uint64_t last_message = 0;
  };
  /// A flit that waits in one.
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
  [[nodiscard]] bool has_queues() const { return parts_.output_queue != 0; }
  [[nodiscard]] OutputQueue& queue(NodeId node, unsigned port) {
    return queues_[std::size_t{node} * shape_.ports() + port];
  }
  /// All flits that the switch could move to an output port in a cycle find room.
  [[nodiscard]] bool can_queue(NodeId node, unsigned port) {
    return queue(node, port).flits + shape_.output_speedup <= parts_.output_queue;
  }
  /// Cycles that the flit of an input VC, which leaves a router of the present group, waits in a queue.
  [[nodiscard]] std::uint32_t& queue_wait(unsigned router, unsigned vc) {
    return queue_waits_[router * kMaxVirtualChannels + vc];
  }
  /// Those that wait in a group, by the cycle in which they leave.
  [[nodiscard]] std::map<Cycle, std::vector<QueuedFlit>>& queued(std::size_t group) { return queued_[group]; }

  // Links with more than a usable slot to ask for.
  [[nodiscard]] bool shares_buffers() const { return parts_.buffers == Buffers::shared; }
  [[nodiscard]] bool stops_and_goes() const { return parts_.credits == Credits::on_off; }
  [[nodiscard]] bool limits_room() const { return parts_.limits_room(); }
  [[nodiscard]] std::uint32_t go_slots() const { return go_slots_; }
  [[nodiscard]] std::uint32_t reserve() const { return parts_.buffer_reserve; }
  /// Flits beyond the reserves that the buffer of an input port has room for, if any VC may send.
  [[nodiscard]] std::uint32_t pool() const { return pool_; }
  /// Routers where slots behind a link port were taken or left since the last step of a group.
  [[nodiscard]] Plane& changed(std::size_t group, unsigned port) {
    return changed_[group * shape_.link_ports + port];
  }
  /// Whether a sender may go on, by output VC of a link.
  [[nodiscard]] Plane& goes(std::size_t group, unsigned output) {
    return goes_[group * shape_.link_vcs() + output];
  }
  /// Flits that the last signal counts.
  [[nodiscard]] std::int32_t& signalled(NodeId node, unsigned output) {
    return signalled_[std::size_t{node} * shape_.link_vcs() + output];
  }

  // Trackers of the slots behind output VCs.
  /// Flits that left by an output VC in cycle `now`.
  void note_sent(std::size_t group, unsigned output, Plane routers, Cycle now) {
    note(outputs_, group, output, routers, now);
  }
  /// Begins cycle `now` of a group: `returned` has a plane of slots for every output VC. Returns the routers
  /// that know of an empty VC in the next cycle only.
  [[nodiscard]] Plane track_outputs(std::size_t group, const Plane* returned, Cycle now);
  /// The same of network interfaces and injection VCs.
  void note_put(std::size_t group, unsigned vc, Plane routers, Cycle now) {
    note(injections_, group, vc, routers, now);
  }
  [[nodiscard]] Plane track_puts(std::size_t group, const Plane* returned, Cycle now);
  /// By injection VC, the routers where it is empty.
  [[nodiscard]] const Plane* empty_puts(std::size_t group) const {
    return &empty_puts_[group * injections_.vcs];
  }

 private:
  /// Trackers by router and VC, with the flits of the last step that they do not know of.
  struct Trackers {
    unsigned vcs = 0;
    std::vector<SlotTracker> trackers;  ///< by router, then VC
    std::vector<Plane> sent;            ///< by group, then VC
    std::vector<Plane> unsettled;       ///< those whose VC was not known to be empty in the last step
    std::vector<Cycle> sent_at;         ///< by group
  };
  Trackers make_trackers(unsigned vcs, NodeId nodes) const;
  static void note(Trackers& trackers, std::size_t group, unsigned vc, Plane routers, Cycle now);
  template <typename Visit>
  static void track(Trackers& trackers, std::size_t group, const Plane* returned, Cycle now, Visit visit);

  RouterParts parts_;
  RouterShape shape_;
  bool allocates_;
  VcAllocation vc_allocation_;
  std::uint32_t buffer_;
  std::uint32_t go_slots_;  ///< 0: credits count
  std::uint32_t pool_;
  std::unique_ptr<VcMatcher> vc_allocator_;
  std::unique_ptr<SwitchMatcher> switch_allocator_;
  WinnerVcs winner_vcs_;
  std::size_t stride_;
  std::vector<std::uint8_t> state_;
  std::vector<Router> routers_;
  std::vector<Plane> askers_;
  std::vector<Plane> lacking_;
  Trackers outputs_;
  Trackers injections_;
  std::vector<Plane> empty_puts_;
  std::vector<Bypass> bypasses_;
  std::array<Plane, kMaxVirtualChannels> arriving_{};
  std::vector<OutputQueue> queues_;
  std::vector<std::uint32_t> queue_waits_;
  std::vector<std::map<Cycle, std::vector<QueuedFlit>>> queued_;  ///< by group
  std::vector<Plane> changed_;
  std::vector<Plane> goes_;
  std::vector<std::int32_t> signalled_;
};

}  // namespace flitscope
