// Stages 2 and 3 of docs/timing.md, arrivals and credits: the events that were posted for this cycle.
#pragma once

#include "routers/engine/group_cycle.h"

namespace flitscope {

template <GroupShape kShape, bool kPlain>
bool GroupCycle<kShape, kPlain>::take_events(GroupRef group) {
  const unsigned events = events_now();
  const auto take = [&](Event event, unsigned i, Quad& routers) {
    Quad& quad = group.quads(events + numbers_.event[static_cast<unsigned>(event)])[i];
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
    if (!kPlain) {  // VC allocation may read the numbers
      count_slots(group, i, routers, Quad{});
      credits_[i] = Quad{};
    }
  }
  for (unsigned i = 0; i < injection_vc_quads(); ++i) {
    take(Event::slot, i, routers);
    group.quads(layout().put_room)[i] |= routers;
    freed_[i] = routers;
    if (node_vcs() != 1) count_put_slots(group, i, routers, Quad{});
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

/// Calls visit(router, number) for the events of a kind by VC in this cycle.
template <GroupShape kShape, bool kPlain>
template <typename Visit>
void GroupCycle<kShape, kPlain>::for_each_event(GroupRef group, Event event, Visit visit) {
  Quad* const events = group.quads(events_now() + numbers_.event[static_cast<unsigned>(event)]);
  for_each_plane(events, vc_words(), [&](unsigned number, Plane routers) {
    for_each_bit(routers, [&](unsigned router) { visit(router, number); });
  });
  std::fill_n(events, vc_quads(), Quad{});
}

/// Output VCs that were granted a while ago take part in switch allocation.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::hold_granted(GroupRef group) {
  for_each_event(group, Event::hold, [&](unsigned number, unsigned vc) {
    const RouterBlock router = this->router(group, number);
    router.granted() &= ~bit(vc);
    hold(group, number, vc, router.front(vc).output, layout());
  });
}

/// Output VCs that were released a while ago can be granted.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::free_vcs(GroupRef group) {
  for_each_event(group, Event::free, [&](unsigned number, unsigned output) {
    RouterBlock::Header& header = router(group, number).header();
    header.holds &= ~bit(output);
    if (header.asking != 0) *group.planes(layout().retry) |= Plane{1} << number;
  });
}

/// Output ports whose interval is over, or whose queues have room.
template <GroupShape kShape, bool kPlain>
void GroupCycle<kShape, kPlain>::free_ports(GroupRef group) {
  Plane* const busy = group.planes(numbers_.busy);
  for (unsigned port = 0; port < ports(); ++port) {
    for_each_bit(busy[port], [&](unsigned number) {
      const NodeId node = group.node(number);
      const bool is_free = has_parts() ? parts_->can_queue(node, port, now_)
                                       : intervals_[link_row(node, port)].free_from <= now_;
      if (is_free) busy[port] &= ~(Plane{1} << number);
    });
  }
}

}  // namespace flitscope
