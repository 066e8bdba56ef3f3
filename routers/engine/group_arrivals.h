// Stages 2 and 3 of docs/timing.md, arrivals and credits: the events that were posted for this cycle.
#pragma once

#include "routers/engine/group_cycle.h"

namespace flitscope {

template <GroupShape kShape, bool kPlain>
bool GroupCycle<kShape, kPlain>::take_events(GroupRef group) {
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
    if (kPlain) {
      credits_[i] = routers;
    } else {  // VC allocation may read the numbers
      count_slots(group, i, routers, Quad{});
    }
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

}  // namespace flitscope
