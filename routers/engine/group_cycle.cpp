// A group of routers for one cycle, stages 2 to 7 of docs/timing.md: the engine's inner loop.
//
// Loops over input VCs and over the pairs of VCs in use have the same length in every cycle, so the processor
// predicts them. Only heads and tails are handled one by one.
#include <algorithm>
#include <bit>
#include <utility>

#include "routers/engine/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

void RouterGroups::step() {
  agenda_.visit(now_, [&](Group group) { step(at(group)); });
}

/// Compiled twice: for any processor, and for those with the instructions on single bits.
[[gnu::target_clones("arch=x86-64-v3", "default")]] void RouterGroups::step(GroupRef group) {
  take_events(group);
  if (group.header().live != 0) {
    find_heads(group);
    find_candidates(group);
    if (candidate_vcs_ != 0) {
      pick_inputs(group);
      pick_outputs(group);
      traverse(group);
    }
  }
  inject(group);
  if (stays_awake(group)) agenda_.wake(group.number, now_ + 1);
}

// --- Stages 2 and 3: arrivals and credits ------------------------------------------------------------------

[[gnu::always_inline]] inline void RouterGroups::take_events(GroupRef group) {
  Plane* const events = group.words + layout_.events + agenda_.slot(now_) * layout_.events_of_cycle;
  const auto take = [&](Event event, auto visit) {
    const auto kind = static_cast<unsigned>(event);
    if (events[kind] == 0) return;
    Plane* const planes = events + layout_.event[kind];
    for_each_bit(std::exchange(events[kind], 0),
                 [&](unsigned number) { visit(number, std::exchange(planes[number], 0)); });
  };
  group.header().live |= events[static_cast<unsigned>(Event::arrival)];
  take(Event::arrival, [&](unsigned vc, Plane routers) {
    sliced::increase(usable(group, vc), count_planes_, routers);
    group.vc(vc).ready |= routers;
  });
  take(Event::credit, [&](unsigned vc, Plane routers) {
    group.vc(vc).room |= routers;
    if (vc < first_injection_vc()) sliced::increase(slots(group, vc), count_planes_, routers);
  });
  take(Event::slot, [&](unsigned number, Plane routers) {
    channel(group, number).room |= routers;
    sliced::increase(slots(group, first_injection_vc() + number), count_planes_, routers);
  });
  take(Event::due, [&](unsigned number, Plane routers) { channel(group, number).due |= routers; });
  take(Event::idle, [&](unsigned number, Plane routers) { channel(group, number).idle |= routers; });
}

// --- Stage 4: routing and VC allocation --------------------------------------------------------------------

/// Routes the heads that are usable and at the front for the first time; these, and the heads of routers that
/// have released a VC, request one.
[[gnu::always_inline]] inline void RouterGroups::find_heads(GroupRef group) {
  // The order of requests matters only where there are several for a group of output VCs.
  Plane several = std::exchange(group.header().retry, 0);
  std::fill_n(claims_.begin(), link_ports() + 1, 0);
  for_each_bit(group.header().live, [&](unsigned vc) {
    VcPlanes& planes = group.vc(vc);
    const Plane heads = planes.ready & ~(planes.active | planes.asking);
    fresh_[vc] = heads;
    planes.asking |= heads;
    planes.head |= heads;
    for_each_bit(heads, [&](unsigned router) {
      Plane& claims = claims_[route(group, router, vc)];
      several |= claims & Plane{1} << router;
      claims |= Plane{1} << router;
    });
  });
  for_each_bit(group.header().live, [&](unsigned vc) {
    for_each_bit(fresh_[vc] & ~several, [&](unsigned router) { request_vc(group, router, vc); });
  });
  for_each_bit(several, [&](unsigned router) { allocate_vcs(group, router); });
}

/// Returns the group of output VCs that the head requests.
[[gnu::always_inline]] inline unsigned RouterGroups::route(GroupRef group, unsigned router, unsigned vc) {
  const NodeId node = group.node(router);
  Front& front = this->router(group, router).front(vc);
  front.message = message_at(node, vc, front.first);
  const MessageRecord& record = messages_[front.message];
  front.flits = record.flits;
  front.since = now_;
  VcPlanes& planes = group.vc(vc);
  const std::uint32_t counted = std::min(front.flits, kMostLeft);
  for_each_bit(counted, [&](unsigned i) { planes.left[i] |= Plane{1} << router; });  // all were 0
  front.more = front.flits - counted;
  if (front.more != 0) planes.more |= Plane{1} << router;
  if (record.head.destination == node) {
    front.choice = static_cast<std::uint16_t>(ejection_choice(vc));
    return front.group = static_cast<std::uint8_t>(link_ports());
  }
  const Candidate candidate = vc >= first_injection_vc()
                                  ? record.first
                                  : routing_->first_candidate(node, vc_info(vc).arrival, record.head);
  front.choice = static_cast<std::uint16_t>(link_choice(candidate.port, candidate.channel_class));
  return front.group = static_cast<std::uint8_t>(candidate.port);
}

/// All heads of a router without an output VC request one.
void RouterGroups::allocate_vcs(GroupRef group, unsigned number) {
  const RouterRef router = this->router(group, number);
  std::uint64_t left = 0;
  for_each_bit(group.header().live, [&](unsigned vc) {
    const VcPlanes& planes = group.vc(vc);
    left |= (planes.asking & ~planes.active) >> number << 63 >> (63 - vc);
  });
  while (left != 0) {
    const unsigned wanted = router.front(lowest_bit(left)).group;
    std::uint64_t requests = 0;
    for_each_bit(left, [&](unsigned vc) { requests |= router.front(vc).group == wanted ? bit(vc) : 0; });
    left &= ~requests;
    const unsigned first = router.turn(wanted).request;
    while (requests != 0) {
      const unsigned vc = first_from(requests, first);
      requests &= ~bit(vc);
      request_vc(group, number, vc);
    }
  }
}

[[gnu::always_inline]] inline void RouterGroups::request_vc(GroupRef group, unsigned number, unsigned vc) {
  const RouterRef router = this->router(group, number);
  Front& front = router.front(vc);
  const std::uint64_t free = choice(front.choice) & ~router.header().holds;
  if (free == 0) return;
  Turn& turn = router.turn(front.group);
  const unsigned output = first_from(free, turn.vc);
  turn.vc = vc_info(output).next_of_group;
  turn.request = vc_info(vc).next;
  if (front.since < now_) count_stall_since(group, group.node(number), vc, now_);
  front.output = static_cast<std::uint8_t>(output);
  router.header().holds |= bit(output);
  held(group, vc)[output] |= Plane{1} << number;
  if ((outputs_[vc] & bit(output)) == 0) add_pair(vc, output);
}

void RouterGroups::add_pair(unsigned vc, unsigned output) {
  outputs_[vc] |= bit(output);
  std::vector<Pair>& pairs = pairs_[port_of_vc(output)];
  const auto behind = std::ranges::find_if(pairs, [&](const Pair& pair) { return pair.input > vc; });
  const auto narrow = [](unsigned number) { return static_cast<std::uint8_t>(number); };
  pairs.insert(behind, {static_cast<std::uint16_t>(vc * input_vcs() + output), narrow(vc), narrow(output),
                        narrow(port_of_vc(vc))});
}

// --- Stage 5: switch allocation ----------------------------------------------------------------------------

/// Finds the flits at the front of an input VC that have an output VC with room. The others with an output VC
/// are stalled.
[[gnu::always_inline]] inline void RouterGroups::find_candidates(GroupRef group) {
  candidate_vcs_ = 0;
  std::fill_n(candidates_.begin(), input_vcs(), 0);
  for_each_bit(group.header().live, [&](unsigned vc) {
    VcPlanes& planes = group.vc(vc);
    const Plane* const outputs = held(group, vc);
    Plane room = 0;
    Plane active = 0;
    for_each_bit(outputs_[vc], [&](unsigned output) {
      active |= outputs[output];
      room |= outputs[output] & group.vc(output).room;
    });
    planes.active = active;
    planes.asking &= ~active;
    const Plane moving = planes.ready & active;
    if ((moving & ~room) != planes.no_room) note_stalls(group, vc, moving & ~room);
    candidates_[vc] = moving & room;
    candidate_vcs_ |= (moving & room) != 0 ? bit(vc) : 0;
  });
}

/// Flits without room in this cycle, of all with the number of one input VC.
void RouterGroups::note_stalls(GroupRef group, unsigned vc, Plane no_room) {
  const Plane before = std::exchange(group.vc(vc).no_room, no_room);
  for_each_bit(no_room & ~before, [&](unsigned router) { front(group.node(router), vc).since = now_; });
  for_each_bit(before & ~no_room,
               [&](unsigned router) { count_stall_since(group, group.node(router), vc, now_); });
}

/// Every input port picks one of its VCs.
[[gnu::always_inline]] inline void RouterGroups::pick_inputs(GroupRef group) {
  std::copy_n(candidates_.begin(), input_vcs(), picked_.begin());
  if (virtual_channels() == 1) return;
  for (unsigned port = 0; port < link_ports(); ++port) {
    const std::uint64_t vcs = candidate_vcs_ & vc_info(first_vc(port)).of_port;
    Plane any = 0;
    Plane several = 0;
    for_each_bit(vcs, [&](unsigned vc) {
      several |= any & candidates_[vc];
      any |= candidates_[vc];
    });
    if (several != 0) arbitrate_input(group, vc_info(first_vc(port)).of_port, several);
  }
}

/// In the routers `contested` a port with these VCs picks the first one in circular order behind the last
/// winner.
void RouterGroups::arbitrate_input(GroupRef group, std::uint64_t vcs, Plane contested) {
  Plane behind = 0;  // the last winner is a VC before
  Plane left = contested;
  for_each_bit(vcs, [&](unsigned vc) {
    const Plane wins = candidates_[vc] & behind & left;
    left &= ~wins;
    behind |= group.vc(vc).won;
    picked_[vc] = (candidates_[vc] & ~contested) | wins;
  });
  for_each_bit(vcs, [&](unsigned vc) {
    const Plane first = candidates_[vc] & left;  // nothing is behind the last winner
    left &= ~first;
    picked_[vc] |= first;
  });
}

/// Every output port picks one of the input ports.
[[gnu::always_inline]] inline void RouterGroups::pick_outputs(GroupRef group) {
  std::fill_n(moved_.begin(), input_vcs(), 0);
  std::fill_n(sent_.begin(), input_vcs(), 0);
  const Plane* const held = this->held(group, 0);
  for (unsigned port = 0; port < ports(); ++port) {
    const std::vector<Pair>& pairs = pairs_[port];
    Plane any = 0;
    Plane contested = 0;
    Plane* move = moves_.data();
    for (const Pair& pair : pairs) {
      const Plane routers = picked_[pair.input] & held[pair.place];
      contested |= any & routers;
      any |= routers;
      *move++ = routers;
    }
    if (any == 0) continue;
    if (contested != 0) arbitrate_output(group, port, contested);
    Plane* const won = this->won(group, port);
    for (unsigned from = 0; from < ports(); ++from) won[from] &= ~any;
    move = moves_.data();
    for (const Pair& pair : pairs) {
      const Plane routers = *move++;
      won[pair.port] |= routers;
      moved_[pair.input] |= routers;
      sent_[pair.output] |= routers;
    }
  }
}

/// In the routers `contested` the first input port in circular order behind the last winner moves its flit.
void RouterGroups::arbitrate_output(GroupRef group, unsigned port, Plane contested) {
  const std::vector<Pair>& pairs = pairs_[port];
  const Plane* const won = this->won(group, port);
  Plane behind = 0;  // the last winner is an input port before
  Plane left = contested;
  unsigned counted = 0;  // input ports of which that is known
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    for (; counted < pairs[i].port; ++counted) behind |= won[counted];
    wins_[i] = moves_[i] & behind & left;
    left &= ~wins_[i];
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Plane first = moves_[i] & left;
    left &= ~first;
    moves_[i] = (moves_[i] & ~contested) | wins_[i] | first;
  }
}

// --- Stage 6: traversal ------------------------------------------------------------------------------------

[[gnu::always_inline]] inline void RouterGroups::traverse(GroupRef group) {
  for_each_bit(candidate_vcs_, [&](unsigned vc) {
    for_each_bit(candidates_[vc] & ~moved_[vc], [&](unsigned router) {
      count_stall(group, group.node(router), vc, StallCause::switch_lost, 1);
    });
  });
  for_each_bit(candidate_vcs_, [&](unsigned vc) {
    const Plane routers = moved_[vc];
    VcPlanes& planes = group.vc(vc);
    planes.ready = sliced::decrease(usable(group, vc), count_planes_, routers);
    group.header().live &= ~(std::uint64_t{planes.ready == 0} << vc);
    const Plane last = routers & ~sliced::decrease(planes.left.data(), left_planes_, routers);
    planes.last = last & ~planes.more;
    if ((last & planes.more) != 0) count_more(group, vc, last & planes.more);
    for_each_bit((routers & planes.head) | planes.last,
                 [&](unsigned router) { move_end(group, router, vc); });
    leave(group, vc, routers);
  });
  for (unsigned port = 0; port < link_ports(); ++port) {
    const std::uint64_t vcs = vc_info(first_vc(port)).of_port;
    Plane any = 0;
    for_each_bit(vcs, [&](unsigned vc) { any |= moved_[vc]; });
    for_each_bit(vcs, [&](unsigned vc) { group.vc(vc).won = (group.vc(vc).won & ~any) | moved_[vc]; });
  }
  for (unsigned output = 0; output < input_vcs(); ++output) {
    if (sent_[output] != 0) send_flits(group, output, sent_[output]);
  }
  release_vcs(group);
}

/// A head that leaves goes to the queue of the next router, a tail leaves that of this one.
[[gnu::always_inline]] inline void RouterGroups::move_end(GroupRef group, unsigned number, unsigned vc) {
  const RouterRef router = this->router(group, number);
  Front& front = router.front(vc);
  const VcPlanes& planes = group.vc(vc);
  const unsigned output = front.output;
  const unsigned port = port_of_vc(output);
  if ((planes.head >> number & 1) != 0) {
    if (output < first_injection_vc()) {
      append(receivers_[std::size_t{group.node(number)} * link_ports() + port], output, front.message);
    } else {
      messages_[front.message].head_arrived = now_ + link_delay_;
    }
  }
  if ((planes.last >> number & 1) == 0) return;
  if (output >= first_injection_vc()) arriving_.add(front.message, now_ + link_delay_, now_);
  PortCounts& counts = router.counts(port);
  ++counts.messages;
  counts.flits += front.flits;
  router.header().holds &= ~bit(output);
  ++front.first;
  --front.count;
}

/// Heads that wait in a router that releases a VC request one again in the next cycle.
[[gnu::always_inline]] inline void RouterGroups::release_vcs(GroupRef group) {
  Plane waiting = 0;
  Plane releasing = 0;
  for_each_bit(candidate_vcs_, [&](unsigned vc) {
    VcPlanes& planes = group.vc(vc);
    planes.head &= ~moved_[vc];
    planes.active &= ~planes.last;
    Plane* const outputs = held(group, vc);
    for_each_bit(outputs_[vc], [&](unsigned output) { outputs[output] &= ~planes.last; });
    releasing |= planes.last;
  });
  for_each_bit(group.header().live, [&](unsigned vc) { waiting |= group.vc(vc).asking; });
  group.header().retry = releasing & waiting;
}

/// Flits leave by an output VC.
[[gnu::always_inline]] inline void RouterGroups::send_flits(GroupRef group, unsigned output, Plane routers) {
  Plane& room = group.vc(output).room;
  if (output >= first_injection_vc()) {
    if (ejection_interval_ == 1) return;
    room &= ~routers;
    return post(in(ejection_interval_), group.number, Event::credit, output, routers);
  }
  room = sliced::decrease(slots(group, output), count_planes_, routers);
  flit_hops_ += static_cast<unsigned>(std::popcount(routers));
  const unsigned port = port_of_vc(output);
  if (!to_receivers_[port].empty()) {
    return post_at(to_receivers_[port], after_hop_, group.number, Event::arrival, output, routers);
  }
  for_each_bit(routers, [&](unsigned router) {
    const NodeId receiver = receivers_[std::size_t{group.node(router)} * link_ports() + port];
    post(after_hop_, group_of(receiver), Event::arrival, output, plane_of(receiver));
  });
}

/// Slots are free again from which flits have left an input VC.
[[gnu::always_inline]] inline void RouterGroups::leave(GroupRef group, unsigned vc, Plane routers) {
  if (vc >= first_injection_vc()) {
    return post(next_cycle_, group.number, Event::slot, vc - first_injection_vc(), routers);
  }
  const unsigned port = port_of_vc(vc);
  if (!to_senders_[port].empty()) {
    return post_at(to_senders_[port], after_credit_, group.number, Event::credit, vc, routers);
  }
  for_each_bit(routers, [&](unsigned router) {
    const NodeId sender = senders_[std::size_t{group.node(router)} * link_ports() + port];
    post(after_credit_, group_of(sender), Event::credit, vc, plane_of(sender));
  });
}

/// A message comes behind those in an input VC, with its head on the way.
[[gnu::always_inline]] inline void RouterGroups::append(NodeId node, unsigned vc, MessageSlot message) {
  Front& front = this->front(node, vc);
  message_at(node, vc, front.first + front.count++) = message;
}

/// Of messages longer than the planes count, the next flits are counted.
void RouterGroups::count_more(GroupRef group, unsigned vc, Plane routers) {
  VcPlanes& planes = group.vc(vc);
  for_each_bit(routers, [&](unsigned router) {
    Front& front = this->front(group.node(router), vc);
    const std::uint32_t counted = std::min(front.more, kMostLeft);
    front.more -= counted;
    if (front.more == 0) planes.more &= ~(Plane{1} << router);
    sliced::set(planes.left.data(), left_planes_, Plane{1} << router, counted);
  });
}

// --- Stage 7: injection ------------------------------------------------------------------------------------

[[gnu::always_inline]] inline void RouterGroups::inject(GroupRef group) {
  for (unsigned number = 0; number < channels(); ++number) {
    ChannelPlanes& planes = channel(group, number);
    const Plane takes = planes.idle & queued(group, number);
    planes.idle &= ~takes;
    for_each_bit(takes, [&](unsigned router) { take_message(group, group.node(router), number); });
    const Plane put = planes.due & planes.room;
    if (put == 0) continue;
    const unsigned vc = first_injection_vc() + number;
    planes.room = sliced::decrease(slots(group, vc), count_planes_, put);
    post(after_put_, group.number, Event::arrival, vc, put);
    for_each_bit(put & planes.head, [&](unsigned router) {
      const NodeId node = group.node(router);
      const MessageSlot message = injecting_[std::size_t{node} * channels() + number].message;
      MessageRecord& record = messages_[message];
      record.head_entered = now_;
      append(node, vc, message);
    });
    planes.head &= ~put;
    const Plane more = sliced::decrease(planes.left.data(), left_planes_, put);
    if (const Plane done = put & ~more; done != 0) end_put(group, number, done);
    if (injection_interval_ == 1) continue;
    if (const Plane again = put & planes.due; again != 0) {
      planes.due &= ~again;
      post(in(injection_interval_), group.number, Event::due, number, again);
    }
  }
}

/// An idle channel takes the first message of its queue.
void RouterGroups::take_message(GroupRef group, NodeId node, unsigned number) {
  Queue& queue = this->queue(node, queue_of(number));
  const MessageSlot message = queue.first;
  queue.open = queue.others.length != 0;
  const Plane router = plane_of(node);
  if (queue.open) {
    queue.first = open(node, waiting_.take_first(queue.others));
  } else {
    queued(group, number) &= ~router;
  }
  const std::uint32_t flits = messages_[message].flits;
  const std::uint32_t counted = std::min(flits, kMostLeft);
  left_planes_ = std::max(left_planes_, sliced::planes_for(counted));
  injecting_[std::size_t{node} * channels() + number] = {message, flits - counted};
  ChannelPlanes& planes = channel(group, number);
  for_each_bit(counted, [&](unsigned i) { planes.left[i] |= router; });  // all were 0
  planes.head |= router;
  if (startup_ == 0) {
    planes.due |= router;
  } else {
    post(in(startup_), group.number, Event::due, number, router);
  }
}

/// The flits counted in the planes have been put.
void RouterGroups::end_put(GroupRef group, unsigned number, Plane done) {
  ChannelPlanes& planes = channel(group, number);
  Plane tails = done;
  for_each_bit(done, [&](unsigned router) {
    Injecting& injecting = injecting_[std::size_t{group.node(router)} * channels() + number];
    if (injecting.more == 0) return;
    const std::uint32_t counted = std::min(injecting.more, kMostLeft);
    injecting.more -= counted;
    tails &= ~(Plane{1} << router);
    sliced::set(planes.left.data(), left_planes_, Plane{1} << router, counted);
  });
  if (tails == 0) return;
  planes.due &= ~tails;
  if (injection_interval_ == 1) {
    planes.idle |= tails;
  } else {
    post(in(injection_interval_), group.number, Event::idle, number, tails);
  }
}

/// Whether anything could happen in the next cycle without an event.
[[gnu::always_inline]] inline bool RouterGroups::stays_awake(GroupRef group) const {
  Plane able = group.header().retry;
  for_each_bit(group.header().live, [&](unsigned vc) {
    const VcPlanes& planes = group.vc(vc);
    able |= planes.ready & ~(planes.no_room | planes.asking);
  });
  for (unsigned number = 0; number < channels(); ++number) {
    const ChannelPlanes& planes = channel(group, number);
    able |= (planes.due & planes.room) | (planes.idle & queued(group, number));
  }
  return able != 0;
}

}  // namespace flitscope
