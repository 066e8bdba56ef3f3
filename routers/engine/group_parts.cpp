#include "routers/engine/group_parts.h"

#include "model/bits.h"

namespace flitscope {

namespace {

/// An allocator on sets that are long enough.
template <template <typename Vcs> typename Matcher>
std::unique_ptr<RouterPart> make_part(const RouterParts& parts, const RouterShape& shape) {
  if (shape.is_wide()) return Matcher<VcSet>::make(parts, shape);
  return Matcher<VcSetOf<1>>::make(parts, shape);
}

}  // namespace

GroupParts::GroupParts(const MachineConfig& machine, const RouterShape& router_shape, NodeId nodes)
    : options(machine.parts),
      shape(router_shape),
      wide(shape.is_wide()),
      allocates(machine.allocates_by_parts()),
      vc_allocation(machine.vc_allocation),
      buffer(machine.buffer),
      go_slots(stops_and_goes() ? machine.go_slots() : 0),
      pool(shares_buffers() ? machine.virtual_channels * (machine.buffer - options.buffer_reserve) : 0),
      vc_allocator(make_part<VcMatcher>(options, shape)),
      switch_allocator(make_part<SwitchMatcher>(options, shape)),
      winner_vcs(options, shape),
      stride(vc_allocator->bytes() + switch_allocator->bytes() + (allocates_late() ? winner_vcs.bytes() : 0)),
      state(nodes * stride),
      routers(nodes),
      groups(nodes / kGroupSize + 1),
      outputs(options.early_credits ? shape.vcs() : 0, groups.size()),
      injections(tracks_puts() ? shape.channels * shape.node_vcs : 0, groups.size()),
      empty(groups.size() * injections.vcs, ~Plane{0}),
      flits_of_queues(has_queues() ? std::size_t{nodes} * shape.ports() : 0),
      queue_waits(has_queues() ? kGroupSize * shape.vcs() : 0),
      changed(shares_buffers() ? groups.size() * shape.link_ports : 0),
      goes(options.limits_room() ? groups.size() * shape.link_vcs() : 0, ~Plane{0}),
      signals(stops_and_goes() ? std::size_t{nodes} * shape.link_vcs() : 0) {}

GroupParts::Trackers::Trackers(unsigned tracked_vcs, std::size_t groups)
    : vcs(tracked_vcs),
      trackers(groups * kGroupSize * vcs),
      sent(groups * vcs),
      unsettled(groups * vcs),
      sent_at(groups) {}

void GroupParts::Trackers::note(std::size_t group, unsigned vc, Plane routers, Cycle now) {
  sent[group * vcs + vc] |= routers;
  sent_at[group] = now;
}

template <typename Visit>
Plane GroupParts::Trackers::track(std::size_t group, const Plane* returned, Cycle now, Visit visit) {
  Plane late = 0;
  const bool just_sent = sent_at[group] + 1 == now;
  for (unsigned vc = 0; vc < vcs; ++vc) {
    const auto tracker = [&](unsigned router) -> SlotTracker& {
      return trackers[(group * kGroupSize + router) * vcs + vc];
    };
    const Plane put = std::exchange(sent[group * vcs + vc], 0);
    Plane& open = unsettled[group * vcs + vc];
    const Plane before = std::exchange(open, 0);
    if (!just_sent) for_each_bit(put, [&](unsigned router) { tracker(router).step(true, false); });
    for_each_bit(put | before | returned[vc], [&](unsigned router) {
      const Plane plane = Plane{1} << router;
      SlotTracker& its = tracker(router);
      const bool is_empty = its.step(just_sent && (put & plane) != 0, (returned[vc] & plane) != 0);
      if (is_empty != (its.taken() == 0)) open |= plane;
      if (!is_empty && its.taken() == 0) late |= plane;
      visit(router, vc, its.taken(), is_empty);
    });
  }
  return late;
}

Plane GroupParts::track_outputs(std::size_t group, const Plane* returned, Cycle now) {
  return outputs.track(
      group, returned, now, [&](unsigned number, unsigned output, std::uint32_t taken, bool is_empty) {
        Router& router = routers[group * kGroupSize + number];
        const auto set = [&](VcSet& vcs, bool value) { value ? vcs.add(output) : vcs.remove(output); };
        set(router.with_slot, taken < buffer);
        set(router.empty, is_empty);
      });
}

Plane GroupParts::track_puts(std::size_t group, const Plane* returned, Cycle now) {
  return injections.track(group, returned, now,
                          [&](unsigned number, unsigned vc, std::uint32_t /*taken*/, bool is_empty) {
                            Plane& plane = empty[group * injections.vcs + vc];
                            plane = (plane & ~(Plane{1} << number)) | (is_empty ? Plane{1} << number : 0);
                          });
}

}  // namespace flitscope
