// Events of groups: stages 2 and 3 of docs/timing.md, arrivals and credits, take those that were posted for
// this cycle; flits and credits that leave become events of neighbours in later cycles.
#pragma once

#include "routers/engine/group_cycle.h"

namespace flitscope {

template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::take_events(GroupRef group) {
  const unsigned events = events_now();
  const auto take = [&](Event event, unsigned i, Quad& routers) {
    Quad& quad = group.quads(events + numbers_.of(event))[i];
    routers = quad;
    quad = Quad{};
  };
  Quad routers;
  Quad work{};
  Quad credits{};
  for (unsigned i = 0; i < vc_quads(); ++i) {
    take(Event::arrival, i, routers);
    arrivals_[i] = routers;
    work |= routers;
    group.quads(layout().ready)[i] |= routers;
    take(Event::credit, i, routers);
    if (needs_space()) credits |= routers;
    group.quads(layout().room)[i] |= routers;
    credits_[i] = routers;
    if (!kPlain) count_slots(group, i, routers, Quad{});  // VC allocation may read the numbers
  }
  for (unsigned i = 0; i < injection_vc_quads(); ++i) {
    take(Event::slot, i, routers);
    group.quads(layout().put_room)[i] |= routers;
    if (node_vcs() == 1) {
      freed_[i] = routers;
    } else {
      count_put_slots(group, i, routers, Quad{});
    }
  }
  for (unsigned i = 0; waits_to_put_ && i < injector_quads(); ++i) {
    take(Event::due, i, routers);
    work |= routers;
    group.quads(layout().due)[i] |= routers;
    take(Event::idle, i, routers);
    group.quads(layout().idle)[i] |= routers;
  }
  if (needs_space()) regains_slots_ = any_of(credits);
  if (has_busy_ports()) free_ports(group);
  if (paces_channels()) {
    for (unsigned i = 0; i < (channels() + 3) / 4; ++i) {
      take(Event::pace, i, routers);
      group.quads(layout().paced)[i] |= routers;
    }
  }
  if (delays_grants()) hold_granted(group);
  if (delays_releases()) free_vcs(group);
  return any_of(work) != 0;
}

/// Flits leave by links.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::post_arrivals(GroupRef group) {
  for (unsigned vc = 0; vc < first_injection_vc(); ++vc)
    flit_hops_ += static_cast<unsigned>(std::popcount(sent(vc)));
  if (stores_and_forwards()) return;  // see expect_head
  if (has_queues()) return post_queued_arrivals(group);
  post_to_neighbours<Event::arrival>(group, sent_);
}

/// Posts events of flits that leave by links for their receivers, or of slots that are free again for their
/// senders.
template <GroupShape kShape, GroupVersion kVersion>
template <Event kEvent>
void GroupCycle<kShape, kVersion>::post_to_neighbours(GroupRef group, Quads& flits) {
  constexpr bool kArrivals = kEvent == Event::arrival;
  const Neighbours& neighbours = kArrivals ? receivers_ : senders_;
  const std::vector<ComingCycle>& then = kArrivals ? after_hop_ : after_credit_;
  if (!neighbours.quads.empty()) return post_quads(neighbours.quads, then[0], group, kEvent, flits);
  for (unsigned port = 0; port < link_ports(); ++port) {
    const unsigned first = port * virtual_channels();
    const std::span<const Plane> of_port(flits.planes() + first, virtual_channels());
    Plane some = 0;
    for (const Plane routers : of_port) some |= routers;
    if (some == 0) continue;
    if (const std::vector<Neighbours::Offset>& offsets = neighbours.offsets[port]; !offsets.empty()) {
      post_at(offsets, then, group.number, kEvent, first, of_port);
      continue;
    }
    const Plane at_modules = kArrivals ? to_modules(group, port) : from_modules(group, port);
    for (unsigned vc = 0; vc < virtual_channels(); ++vc) {
      for_each_bit(of_port[vc] & ~at_modules, [&](unsigned router) {
        const NodeId node = group.node(router);
        const NodeId neighbour = neighbours.nodes[link_row(node, port)];
        const unsigned delay = delay_of(kArrivals ? node : neighbour, port);
        post(then[delay], group_of(neighbour), kEvent, first + vc, plane_of(neighbour));
      });
    }
  }
}

/// Slots are free again from which flits have left the input VCs.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::post_credits(GroupRef group) {
  post_to_neighbours<Event::credit>(group, moved_);
  for (unsigned vc = first_injection_vc(); vc < input_vcs(); ++vc) {
    const Plane routers = moved_.planes()[vc] & ~from_modules(group, port_of_vc(vc));
    if (routers != 0) post(after_slot_, group, Event::slot, vc - first_injection_vc(), routers);
  }
  if (has_modules()) credit_modules(group);
}

/// Posts events of the VCs of a port from `first` on, each of the routers at a distance from `routers` of a
/// group; `then` is by number of a delay.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::post_at(const std::vector<Neighbours::Offset>& offsets,
                                           const std::vector<ComingCycle>& then, Group group, Event event,
                                           unsigned first, std::span<const Plane> routers) {
  Plane some = 0;
  for (const Plane each : routers) some |= each;
  for (const Neighbours::Offset& offset : offsets) {
    const Plane here = offset.routers[group];
    const std::int64_t place = offset.distance + std::int64_t{group} * kGroupSize;
    const auto target = static_cast<Group>(place >> 6);
    const auto shift = static_cast<unsigned>(place & 63);
    const auto post_some = [&](Group there, auto shifted) __attribute__((always_inline)) {
      if (shifted(some & here) == 0) return;
      for (unsigned i = 0; i < virtual_channels(); ++i) {
        const Plane each = shifted(routers[i] & here);
        if (each != 0) post(then[offset.delay], there, event, first + i, each);
      }
    };
    post_some(target, [shift](Plane plane) { return plane << shift; });
    if (shift != 0) post_some(target + 1, [shift](Plane plane) { return plane >> (64 - shift); });
  }
}

/// Posts events of the VCs of all links, where the network is one group.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::post_quads(const std::vector<Neighbours::QuadOffset>& offsets,
                                              const ComingCycle& then, GroupRef group, Event event,
                                              Quads& routers) {
  Quad* const events = group.quads(then.events + numbers_.of(event));
  Quad some{};
  for (unsigned i = 0; i < (first_injection_vc() + 3) / 4; ++i) {
    const Neighbours::QuadOffset* const each = &offsets[Neighbours::kMaxOffsets * i];
    Quad there{};
    add_rotated(there, routers[i] & each[0].routers, each[0].distance);
    add_rotated(there, routers[i] & each[1].routers, each[1].distance);
    events[i] |= there;
    some |= there;
  }
  if (any_of(some) != 0) then.agenda.wake(group.number);
}

}  // namespace flitscope
