// A group of routers for one cycle, stages 2 to 7 of docs/timing.md: the engine's inner loop.
//
// Loops over input VCs and over the pairs of VCs in use have the same length in every cycle, so the processor
// predicts them; heads and tails are listed first, and then handled in one loop.
#include <bit>
#include <utility>

#include "routers/engine/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

namespace {

/// Calls visit(i) for the routers of a plane, and some more places behind them, without a branch for up to
/// four of them. Returns how many there are.
template <typename Visit>
[[gnu::always_inline]] inline std::size_t list_routers(Plane routers, Visit visit) {
  std::size_t count = 0;
  do {
    for (unsigned i = 0; i < 4; ++i) {
      visit(count, static_cast<std::uint8_t>(__builtin_ctzll(routers | Plane{1} << 63)));
      count += (routers | -routers) >> 63;  // 1 if there is any
      routers &= routers - 1;
    }
  } while (routers != 0);
  return count;
}

}  // namespace

void RouterGroups::step() {
  agenda_.visit(now_, [&](Group group) { step(at(group)); });
}

void RouterGroups::step(GroupRef group) {
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

void RouterGroups::take_events(GroupRef group) {
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
    sliced::increase(usable(group, vc), count_bits_, routers);
    group.vc(vc).ready |= routers;
  });
  take(Event::credit, [&](unsigned vc, Plane routers) {
    group.vc(vc).room |= routers;
    if (vc < first_injection_vc()) sliced::increase(slots(group, vc), count_bits_, routers);
  });
  take(Event::slot, [&](unsigned number, Plane routers) {
    channel(group, number).room |= routers;
    sliced::increase(slots(group, first_injection_vc() + number), count_bits_, routers);
  });
  take(Event::due, [&](unsigned number, Plane routers) { channel(group, number).due |= routers; });
  take(Event::idle, [&](unsigned number, Plane routers) { channel(group, number).idle |= routers; });
}

// --- Stage 4: routing and VC allocation --------------------------------------------------------------------

/// Routes the heads that are usable and at the front for the first time; these, and the heads of routers that
/// have released a VC, request one.
void RouterGroups::find_heads(GroupRef group) {
  std::size_t fresh = 0;
  for_each_bit(group.header().live, [&](unsigned vc) {
    VcPlanes& planes = group.vc(vc);
    const Plane heads = planes.ready & ~(planes.active | planes.asking);
    planes.asking |= heads;
    fresh += list_routers(heads, [&](std::size_t place, std::uint8_t router) {
      heads_[fresh + place] = {router, static_cast<std::uint8_t>(vc)};
    });
  });
  // The order of requests matters only where there are several for a group of output VCs.
  Plane several = std::exchange(group.header().retry, 0);
  std::fill_n(claims_.begin(), link_ports() + 1, 0);
  for (std::size_t i = 0; i < fresh; ++i) {
    const auto [router, vc] = heads_[i];
    Plane& claims = claims_[route(group.node(router), vc)];
    several |= claims & Plane{1} << router;
    claims |= Plane{1} << router;
  }
  for (std::size_t i = 0; i < fresh; ++i) {
    const auto [router, vc] = heads_[i];
    if ((several >> router & 1) == 0) request_vc(group, group.node(router), vc);
  }
  for_each_bit(several, [&](unsigned router) { allocate_vcs(group, group.node(router)); });
}

/// Returns the group of output VCs that the head requests.
inline unsigned RouterGroups::route(NodeId node, unsigned vc) {
  const RouterRef router = this->router(node);
  Front& front = router.front(vc);
  const MessageRecord& record = messages_[front.message];
  front.since = now_;
  router.header().waits |= bit(vc);
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
void RouterGroups::allocate_vcs(GroupRef group, NodeId node) {
  const RouterRef router = this->router(node);
  for (std::uint64_t left = router.header().waits; left != 0;) {
    const unsigned number = router.front(lowest_bit(left)).group;
    std::uint64_t requests = 0;
    for_each_bit(left, [&](unsigned vc) { requests |= router.front(vc).group == number ? bit(vc) : 0; });
    left &= ~requests;
    const unsigned first = router.turn(number).request;
    while (requests != 0) {
      const unsigned vc = first_from(requests, first);
      requests &= ~bit(vc);
      request_vc(group, node, vc);
    }
  }
}

inline void RouterGroups::request_vc(GroupRef group, NodeId node, unsigned vc) {
  const RouterRef router = this->router(node);
  Front& front = router.front(vc);
  const std::uint64_t free = choice(front.choice) & ~router.header().holds;
  if (free == 0) return;
  Turn& turn = router.turn(front.group);
  const unsigned output = first_from(free, turn.vc);
  turn.vc = vc_info(output).next_of_group;
  turn.request = vc_info(vc).next;
  if (front.since < now_) count_stall_since(group, node, vc, now_);
  front.output = static_cast<std::uint8_t>(output);
  router.header().holds |= bit(output);
  router.header().waits &= ~bit(vc);
  const Plane plane = plane_of(node);
  VcPlanes& planes = group.vc(vc);
  planes.asking &= ~plane;
  planes.active |= plane;
  held(group, vc)[output] |= plane;
  if ((outputs_[vc] & bit(output)) == 0) add_pair(vc, output);
}

void RouterGroups::add_pair(unsigned vc, unsigned output) {
  outputs_[vc] |= bit(output);
  std::vector<Move>& pairs = pairs_[port_of_vc(output)];
  const auto behind = std::ranges::find_if(pairs, [&](const Move& pair) { return pair.input > vc; });
  pairs.insert(behind, {0, static_cast<std::uint8_t>(vc), static_cast<std::uint8_t>(output)});
}

// --- Stage 5: switch allocation ----------------------------------------------------------------------------

/// Finds the flits at the front of an input VC that have an output VC with room. The others with an output VC
/// are stalled.
void RouterGroups::find_candidates(GroupRef group) {
  candidate_vcs_ = 0;
  candidates_.fill(0);
  for_each_bit(group.header().live, [&](unsigned vc) {
    VcPlanes& planes = group.vc(vc);
    const Plane moving = planes.ready & planes.active;
    const Plane* const outputs = held(group, vc);
    Plane room = 0;
    for_each_bit(outputs_[vc], [&](unsigned output) { room |= outputs[output] & group.vc(output).room; });
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
void RouterGroups::pick_inputs(GroupRef group) {
  picked_ = candidates_;
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

/// In the routers `contested` a port with these VCs picks the first one in circular order behind the last winner.
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
void RouterGroups::pick_outputs(GroupRef group) {
  moved_.fill(0);
  sent_.fill(0);
  for (unsigned port = 0; port < ports(); ++port) {
    const std::vector<Move>& pairs = pairs_[port];
    Plane any = 0;
    Plane contested = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto [none, vc, output] = pairs[i];
      const Plane routers = picked_[vc] & held(group, vc)[output];
      contested |= any & routers;
      any |= routers;
      moves_[i] = {routers, vc, output};
    }
    if (any == 0) continue;
    if (contested != 0) arbitrate_output(group, port, {moves_.data(), pairs.size()}, contested);
    Plane* const won = this->won(group, port);
    for (unsigned from = 0; from < ports(); ++from) won[from] &= ~any;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const auto [routers, vc, output] = moves_[i];
      won[port_of_vc(vc)] |= routers;
      moved_[vc] |= routers;
      sent_[output] |= routers;
    }
  }
}

void RouterGroups::arbitrate_output(GroupRef group, unsigned port, std::span<Move> moves, Plane contested) {
  const Plane* const won = this->won(group, port);
  Plane behind = 0;  // the last winner is an input port before
  Plane left = contested;
  unsigned counted = 0;  // ports of which it is known
  for (std::size_t i = 0; i < moves.size(); ++i) {
    for (const unsigned from = port_of_vc(moves[i].input); counted < from; ++counted) behind |= won[counted];
    wins_[i] = moves[i].routers & behind & left;
    left &= ~wins_[i];
  }
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const Plane first = moves[i].routers & left;
    left &= ~first;
    moves[i].routers = (moves[i].routers & ~contested) | wins_[i] | first;
  }
}

// --- Stage 6: traversal ------------------------------------------------------------------------------------

void RouterGroups::traverse(GroupRef group) {
  for_each_bit(candidate_vcs_, [&](unsigned vc) {
    for_each_bit(candidates_[vc] & ~moved_[vc], [&](unsigned router) {
      count_stall(group, group.node(router), vc, StallCause::switch_lost, 1);
    });
  });
  std::size_t ends = 0;
  for_each_bit(candidate_vcs_, [&](unsigned vc) {
    const Plane routers = moved_[vc];
    VcPlanes& planes = group.vc(vc);
    planes.ready = sliced::decrease(usable(group, vc), count_bits_, routers);
    group.header().live &= ~(std::uint64_t{planes.ready == 0} << vc);
    planes.tail = routers & ~sliced::decrease(planes.left.data(), left_bits_, routers);
    ends += list_routers((routers & planes.head) | planes.tail, [&](std::size_t place, std::uint8_t router) {
      ends_[ends + place] = {router, static_cast<std::uint8_t>(vc)};
    });
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
  std::size_t hops = 0;
  for (std::size_t i = 0; i < ends; ++i) {
    const auto [number, vc] = ends_[i];
    const NodeId node = group.node(number);
    const RouterRef router = this->router(node);
    const Front& front = router.front(vc);
    VcPlanes& planes = group.vc(vc);
    const Plane plane = Plane{1} << number;
    const MessageSlot message = front.message;
    const bool ejects = front.output >= first_injection_vc();
    if ((planes.head & plane) != 0) {
      planes.head &= ~plane;
      if (ejects) {
        messages_[message].head_arrived = now_ + link_delay_;
      } else {
        hops_[hops++] = {message, receivers_[std::size_t{node} * link_ports() + port_of_vc(front.output)],
                         front.flits, front.output};
      }
    }
    if ((planes.tail & plane) != 0 && finish(group, router, node, vc) && ejects) {
      arriving_.add(message, now_ + link_delay_, now_);
    }
  }
  // Now, since their places may have become free.
  for (std::size_t i = 0; i < hops; ++i) {
    const auto [message, receiver, flits, output] = hops_[i];
    append(receiver, output, message, flits);
  }
}

/// Flits leave by an output VC.
inline void RouterGroups::send_flits(GroupRef group, unsigned output, Plane routers) {
  Plane& room = group.vc(output).room;
  if (output >= first_injection_vc()) {
    if (ejection_interval_ == 1) return;
    room &= ~routers;
    return post(now_ + ejection_interval_, group.number, Event::credit, output, routers);
  }
  room = sliced::decrease(slots(group, output), count_bits_, routers);
  flit_hops_ += static_cast<unsigned>(std::popcount(routers));
  const unsigned port = port_of_vc(output);
  const Cycle then = now_ + link_delay_ + router_delay_;
  if (!to_receivers_[port].empty()) {
    return post_at(to_receivers_[port], then, group.number, Event::arrival, output, routers);
  }
  for_each_bit(routers, [&](unsigned router) {
    const NodeId receiver = receivers_[std::size_t{group.node(router)} * link_ports() + port];
    post(then, group_of(receiver), Event::arrival, output, plane_of(receiver));
  });
}

/// Slots are free again from which flits have left an input VC.
inline void RouterGroups::leave(GroupRef group, unsigned vc, Plane routers) {
  if (vc >= first_injection_vc()) {
    return post(now_ + 1, group.number, Event::slot, vc - first_injection_vc(), routers);
  }
  const unsigned port = port_of_vc(vc);
  const Cycle then = now_ + link_delay_ + credit_delay_;
  if (!to_senders_[port].empty()) {
    return post_at(to_senders_[port], then, group.number, Event::credit, vc, routers);
  }
  for_each_bit(routers, [&](unsigned router) {
    const NodeId sender = senders_[std::size_t{group.node(router)} * link_ports() + port];
    post(then, group_of(sender), Event::credit, vc, plane_of(sender));
  });
}

/// A message comes behind those in an input VC.
inline void RouterGroups::append(NodeId node, unsigned vc, MessageSlot message, std::uint32_t flits) {
  Front& front = this->front(node, vc);
  if (front.message == kNoMessage) return begin_message(at(group_of(node)), node, vc, front, message, flits);
  std::uint32_t place = free_queued_;
  if (place == kNoMessage) {
    place = static_cast<std::uint32_t>(queued_.size());
    queued_.emplace_back();
  } else {
    free_queued_ = queued_[place].next;
  }
  queued_[place].message = message;
  if (front.count++ == 0) {
    front.behind = place;
  } else {
    queued_[front.last].next = place;
  }
  front.last = place;
}

inline void RouterGroups::begin_message(GroupRef group, NodeId node, unsigned vc, Front& front,
                                        MessageSlot message, std::uint32_t flits) {
  front.message = message;
  front.flits = flits;
  const std::uint32_t counted = std::min(flits, kMostLeft);
  front.more = flits - counted;
  const Plane router = plane_of(node);
  VcPlanes& planes = group.vc(vc);
  planes.head |= router;
  for_each_bit(counted, [&](unsigned i) { planes.left[i] |= router; });  // all were 0
}

/// The flits counted in the planes have left: the tail, or the last one before the next are counted. Returns
/// whether it was the tail.
inline bool RouterGroups::finish(GroupRef group, RouterRef router, NodeId node, unsigned vc) {
  Front& front = router.front(vc);
  const Plane plane = plane_of(node);
  VcPlanes& planes = group.vc(vc);
  if (front.more != 0) {
    const std::uint32_t counted = std::min(front.more, kMostLeft);
    front.more -= counted;
    sliced::set(planes.left.data(), left_bits_, plane, counted);
    return false;
  }
  const unsigned output = front.output;
  PortCounts& counts = router.counts(port_of_vc(output));
  ++counts.messages;
  counts.flits += front.flits;
  planes.active &= ~plane;
  held(group, vc)[output] &= ~plane;
  router.header().holds &= ~bit(output);
  group.header().retry |= router.header().waits != 0 ? plane : 0;
  front.message = kNoMessage;
  if (front.count == 0) return true;
  --front.count;
  const std::uint32_t place = front.behind;
  const MessageSlot next = queued_[place].message;
  front.behind = queued_[place].next;
  queued_[place].next = std::exchange(free_queued_, place);
  begin_message(group, node, vc, front, next, messages_[next].flits);
  return true;
}

// --- Stage 7: injection ------------------------------------------------------------------------------------

void RouterGroups::inject(GroupRef group) {
  for (unsigned number = 0; number < channels(); ++number) {
    ChannelPlanes& planes = channel(group, number);
    const Plane takes = planes.idle & queued(group, number);
    planes.idle &= ~takes;
    for_each_bit(takes, [&](unsigned router) { take_message(group, group.node(router), number); });
    const Plane put = planes.due & planes.room;
    if (put == 0) continue;
    const unsigned vc = first_injection_vc() + number;
    planes.room = sliced::decrease(slots(group, vc), count_bits_, put);
    post(now_ + router_delay_, group.number, Event::arrival, vc, put);
    for_each_bit(put & planes.head, [&](unsigned router) {
      const NodeId node = group.node(router);
      const MessageSlot message = injecting_[std::size_t{node} * channels() + number].message;
      MessageRecord& record = messages_[message];
      record.head_entered = now_;
      append(node, vc, message, record.flits);
    });
    planes.head &= ~put;
    const Plane more = sliced::decrease(planes.left.data(), left_bits_, put);
    if (const Plane done = put & ~more; done != 0) end_put(group, number, done);
    if (injection_interval_ == 1) continue;
    if (const Plane again = put & planes.due; again != 0) {
      planes.due &= ~again;
      post(now_ + injection_interval_, group.number, Event::due, number, again);
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
  left_bits_ = std::max(left_bits_, static_cast<unsigned>(std::bit_width(counted)));
  injecting_[std::size_t{node} * channels() + number] = {message, flits - counted};
  ChannelPlanes& planes = channel(group, number);
  for_each_bit(counted, [&](unsigned i) { planes.left[i] |= router; });  // all were 0
  planes.head |= router;
  if (startup_ == 0) {
    planes.due |= router;
  } else {
    post(now_ + startup_, group.number, Event::due, number, router);
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
    sliced::set(planes.left.data(), left_bits_, Plane{1} << router, counted);
  });
  if (tails == 0) return;
  planes.due &= ~tails;
  if (injection_interval_ == 1) {
    planes.idle |= tails;
  } else {
    post(now_ + injection_interval_, group.number, Event::idle, number, tails);
  }
}

/// Whether anything could happen in the next cycle without an event.
bool RouterGroups::stays_awake(GroupRef group) const {
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
