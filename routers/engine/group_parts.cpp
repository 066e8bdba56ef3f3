#include "routers/engine/group_parts.h"

#include "model/bits.h"

namespace flitscope {

GroupParts::GroupParts(const MachineConfig& machine, const RouterShape& shape, NodeId nodes)
    : parts_(machine.parts),
      shape_(shape),
      allocates_(machine.allocates_by_parts()),
      vc_allocation_(machine.vc_allocation),
      buffer_(machine.buffer),
      go_slots_(stops_and_goes() ? machine.go_slots() : 0),
      pool_(shares_buffers() ? machine.virtual_channels * (machine.buffer - reserve()) : 0),
      vc_allocator_(VcMatcher::make(parts_, shape)),
      switch_allocator_(SwitchMatcher::make(parts_, shape)),
      winner_vcs_(parts_, shape),
      stride_(vc_allocator_->bytes() + switch_allocator_->bytes() +
              (allocates_late() ? winner_vcs_.bytes() : 0)),
      state_(nodes * stride_),
      routers_(nodes),
      askers_(nodes / 64 + 1),
      lacking_(nodes / 64 + 1),
      outputs_(make_trackers(sees_early() ? shape.vcs() : 0, nodes)),
      injections_(make_trackers(tracks_puts() ? shape.channels * shape.node_vcs : 0, nodes)),
      empty_puts_((nodes / 64 + 1) * injections_.vcs, ~Plane{0}),
      bypasses_(has_bypass() ? std::size_t{nodes} * shape.ports() : 0),
      queues_(has_queues() ? std::size_t{nodes} * shape.ports() : 0),
      queue_waits_(has_queues() ? 64 * kMaxVirtualChannels : 0),
      queued_(has_queues() ? nodes / 64 + 1 : 0),
      changed_(shares_buffers() ? (nodes / 64 + 1) * shape.link_ports : 0),
      goes_(limits_room() ? (nodes / 64 + 1) * shape.link_vcs() : 0, ~Plane{0}),
      signalled_(stops_and_goes() ? std::size_t{nodes} * shape.link_vcs() : 0) {}

GroupParts::Trackers GroupParts::make_trackers(unsigned vcs, NodeId nodes) const {
  const std::size_t groups = nodes / 64 + 1;
  return {.vcs = vcs,
          .trackers = std::vector<SlotTracker>(groups * 64 * vcs),
          .sent = std::vector<Plane>(groups * vcs),
          .unsettled = std::vector<Plane>(groups * vcs),
          .sent_at = std::vector<Cycle>(groups)};
}

void GroupParts::note(Trackers& trackers, std::size_t group, unsigned vc, Plane routers, Cycle now) {
  trackers.sent[group * trackers.vcs + vc] |= routers;
  trackers.sent_at[group] = now;
}

/// Calls visit(router, vc, tracker, empty) for trackers with something new.
template <typename Visit>
void GroupParts::track(Trackers& trackers, std::size_t group, const Plane* returned, Cycle now, Visit visit) {
  const std::size_t first = group * trackers.vcs;
  const auto tracker = [&](unsigned router, unsigned vc) -> SlotTracker& {
    return trackers.trackers[(group * 64 + router) * trackers.vcs + vc];
  };
  const bool just_sent = trackers.sent_at[group] + 1 == now;
  for (unsigned vc = 0; vc < trackers.vcs; ++vc) {
    const Plane sent = std::exchange(trackers.sent[first + vc], 0);
    const Plane unsettled = std::exchange(trackers.unsettled[first + vc], 0);
    if (!just_sent) for_each_bit(sent, [&](unsigned router) { tracker(router, vc).step(true, false); });
    for_each_bit(sent | unsettled | returned[vc], [&](unsigned router) {
      SlotTracker& its = tracker(router, vc);
      const bool empty = its.step(just_sent && (sent >> router & 1) != 0, (returned[vc] >> router & 1) != 0);
      if (empty != (its.taken() == 0)) trackers.unsettled[first + vc] |= Plane{1} << router;
      visit(router, vc, its, empty);
    });
  }
}

Plane GroupParts::track_outputs(std::size_t group, const Plane* returned, Cycle now) {
  Plane late = 0;
  track(outputs_, group, returned, now,
        [&](unsigned number, unsigned output, const SlotTracker& tracker, bool empty) {
          Router& router = routers_[group * 64 + number];
          const auto set = [&](std::uint64_t& mask, bool value) {
            mask = (mask & ~bit(output)) | (value ? bit(output) : 0);
          };
          set(router.with_slot, tracker.taken() < buffer_);
          set(router.empty, empty);
          if (!empty && tracker.taken() == 0) late |= Plane{1} << number;
        });
  return late;
}

Plane GroupParts::track_puts(std::size_t group, const Plane* returned, Cycle now) {
  Plane late = 0;
  track(injections_, group, returned, now,
        [&](unsigned number, unsigned vc, const SlotTracker& tracker, bool empty) {
          Plane& plane = empty_puts_[group * injections_.vcs + vc];
          plane = (plane & ~(Plane{1} << number)) | (empty ? Plane{1} << number : 0);
          if (!empty && tracker.taken() == 0) late |= Plane{1} << number;
        });
  return late;
}

}  // namespace flitscope
