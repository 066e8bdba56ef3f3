// A group of routers for one cycle, stages 2 to 7 of docs/timing.md: the engine's inner loop.
//
// What all flits have in common is done for four VCs of 64 routers at a time; heads and tails are handled one
// by one.
#include <algorithm>
#include <bit>
#include <utility>

#include "routers/engine/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

namespace {

[[gnu::always_inline]] inline Plane any_of(const Quad& quad) {
  return quad[0] | quad[1] | quad[2] | quad[3];
}

/// Calls visit(i, plane) for the planes of quads that are not 0.
template <typename Visit>
[[gnu::always_inline]] inline void for_each_plane(const Quad* quads, unsigned count, Visit visit) {
  const auto* const planes = reinterpret_cast<const Plane*>(quads);
  for (unsigned i = 0; i < count; ++i) {
    if (planes[i] != 0) visit(i, planes[i]);
  }
}

}  // namespace

void RouterGroups::step() {
  agenda_.visit(now_, [&](Group group) { step(at(group)); });
}

// Compiled twice: for any processor, and for those with vectors of four words. The choice at the program's
// start is too early for the thread sanitizer.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
[[gnu::target_clones("arch=x86-64-v3", "default")]]
#endif
void RouterGroups::step(GroupRef group) {
  take_events(group);
  find_heads(group);
  if (find_candidates(group)) {
    pick_inputs(group);
    pick_outputs(group);
    traverse(group);
  }
  inject(group);
  if (stays_awake(group)) agenda_.wake(group.number, now_ + 1);
}

// --- Stages 2 and 3: arrivals and credits ------------------------------------------------------------------

[[gnu::always_inline]] inline void RouterGroups::take_events(GroupRef group) {
  const std::size_t events = in(0).events;
  const auto take = [&](Event event, std::size_t i, Quad& routers) {
    Quad& quad = group.quads(events + layout_.event[static_cast<unsigned>(event)])[i];
    routers = quad;
    quad = Quad{};
  };
  Quad routers;
  for (std::size_t i = 0; i < vc_quads_; ++i) {
    take(Event::arrival, i, routers);
    group.quads(layout_.ready)[i] |= routers;
    sliced::increase(group.quads(layout_.usable) + i, count_bits_, vc_quads_, routers);
    take(Event::credit, i, routers);
    group.quads(layout_.room)[i] |= routers;
    sliced::increase(group.quads(layout_.slots) + i, count_bits_, vc_quads_, routers);
  }
  for (std::size_t i = 0; i < channel_quads_; ++i) {
    take(Event::slot, i, routers);
    group.quads(layout_.put_room)[i] |= routers;
    sliced::increase(group.quads(layout_.put_slots) + i, count_bits_, channel_quads_, routers);
    take(Event::due, i, routers);
    group.quads(layout_.due)[i] |= routers;
    take(Event::idle, i, routers);
    group.quads(layout_.idle)[i] |= routers;
  }
}

// --- Stage 4: routing and VC allocation --------------------------------------------------------------------

/// Routes the heads that are usable and at the front for the first time; these, and the heads of routers that
/// have released a VC, request one.
[[gnu::always_inline]] inline void RouterGroups::find_heads(GroupRef group) {
  // The order of requests matters only where there are several for a group of output VCs.
  Plane several = std::exchange(*group.planes(layout_.retry), 0);
  std::fill_n(claims_.begin(), link_ports() + 1, 0);
  for (std::size_t i = 0; i < vc_quads_; ++i) {
    Quad& asking = group.quads(layout_.asking)[i];
    fresh_[i] = group.quads(layout_.ready)[i] & ~(group.quads(layout_.active)[i] | asking);
    asking |= fresh_[i];
    group.quads(layout_.head)[i] |= fresh_[i];
  }
  for_each_plane(fresh_.data(), input_vcs(), [&](unsigned vc, Plane heads) {
    for_each_bit(heads, [&](unsigned router) {
      Plane& claims = claims_[route(group, router, vc)];
      several |= claims & Plane{1} << router;
      claims |= Plane{1} << router;
    });
  });
  for_each_plane(fresh_.data(), input_vcs(), [&](unsigned vc, Plane heads) {
    for_each_bit(heads & ~several, [&](unsigned router) { request_vc(group, router, vc); });
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
  const std::uint32_t counted = std::min(front.flits, kMostLeft);
  sliced::set(group.planes(layout_.left) + vc, vc_words_, Plane{1} << router, counted);
  front.more = front.flits - counted;
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
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    left |= (group.planes(layout_.asking)[vc] >> number & 1) << vc;
  }
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
  group.planes(held(output))[vc] |= Plane{1} << number;
}

// --- Stage 5: switch allocation ----------------------------------------------------------------------------

/// Finds the flits at the front of an input VC that have an output VC with room. The others with an output VC
/// are stalled. Returns whether there are any.
[[gnu::always_inline]] inline bool RouterGroups::find_candidates(GroupRef group) {
  Quad some{};
  Quad changed{};
  for (std::size_t i = 0; i < vc_quads_; ++i) {
    Quad room{};
    Quad active{};
    for (unsigned output = 0; output < input_vcs(); ++output) {
      const Quad held = group.quads(this->held(output))[i];
      active |= held;
      room |= held & group.planes(layout_.room)[output];
    }
    group.quads(layout_.active)[i] = active;
    group.quads(layout_.asking)[i] &= ~active;
    const Quad moving = group.quads(layout_.ready)[i] & active;
    candidates_[i] = moving & room;
    some |= candidates_[i];
    Quad& no_room = group.quads(layout_.no_room)[i];
    moved_[i] = no_room;  // before
    no_room = moving & ~room;
    changed |= moved_[i] ^ no_room;
  }
  if (any_of(changed) != 0) {
    const auto* const before = moved_.planes();
    for (unsigned vc = 0; vc < input_vcs(); ++vc) {
      const Plane now = group.planes(layout_.no_room)[vc];
      if (before[vc] != now) note_stalls(group, vc, before[vc], now);
    }
  }
  return any_of(some) != 0;
}

/// Flits without room in the last cycle and in this one, of all with the number of one input VC.
void RouterGroups::note_stalls(GroupRef group, unsigned vc, Plane before, Plane no_room) {
  for_each_bit(no_room & ~before, [&](unsigned router) { front(group.node(router), vc).since = now_; });
  for_each_bit(before & ~no_room,
               [&](unsigned router) { count_stall_since(group, group.node(router), vc, now_); });
}

/// Every input port picks one of its VCs.
[[gnu::always_inline]] inline void RouterGroups::pick_inputs(GroupRef group) {
  std::copy_n(candidates_.data(), vc_quads_, picked_.data());
  if (virtual_channels() == 1) return;
  const auto* const candidates = candidates_.planes();
  for (unsigned port = 0; port < link_ports(); ++port) {
    const unsigned first = port * virtual_channels();
    Plane any = 0;
    Plane several = 0;
    for (unsigned vc = first; vc < first + virtual_channels(); ++vc) {
      several |= any & candidates[vc];
      any |= candidates[vc];
    }
    if (several != 0) arbitrate_input(group, vc_info(first).of_port, several);
  }
}

/// In the routers `contested` a port with these VCs picks the first one in circular order behind the last
/// winner.
void RouterGroups::arbitrate_input(GroupRef group, std::uint64_t vcs, Plane contested) {
  const auto* const candidates = candidates_.planes();
  auto* const picked = picked_.planes();
  Plane behind = 0;  // the last winner is a VC before
  Plane left = contested;
  for_each_bit(vcs, [&](unsigned vc) {
    const Plane wins = candidates[vc] & behind & left;
    left &= ~wins;
    behind |= group.planes(layout_.turn)[vc];
    picked[vc] = (candidates[vc] & ~contested) | wins;
  });
  for_each_bit(vcs, [&](unsigned vc) {
    const Plane first = candidates[vc] & left;  // nothing is behind the last winner
    left &= ~first;
    picked[vc] |= first;
  });
}

/// Every output port picks one of the input ports.
[[gnu::always_inline]] inline void RouterGroups::pick_outputs(GroupRef group) {
  for (std::size_t i = 0; i < vc_quads_; ++i) moved_[i] = sent_[i] = Quad{};
  for (unsigned port = 0; port < ports(); ++port) {
    const unsigned first = first_vc(port);
    const unsigned end = first + vcs_of_port(port);
    Quad one{};  // of every fourth VC
    Quad more{};
    for (std::size_t i = 0; i < vc_quads_; ++i) {
      Quad wanted{};
      for (unsigned output = first; output < end; ++output) wanted |= group.quads(held(output))[i];
      moving_[i] = picked_[i] & wanted;
      more |= one & moving_[i];
      one |= moving_[i];
    }
    Plane any = one[0];
    Plane contested = any_of(more);
    for (unsigned i = 1; i < 4; ++i) {
      contested |= any & one[i];
      any |= one[i];
    }
    if (any == 0) continue;
    if (contested != 0) arbitrate_output(group, port, contested);
    Quad* const turn = group.quads(layout_.port_turn + port * vc_words_);
    for (std::size_t i = 0; i < vc_quads_; ++i) {
      turn[i] = (turn[i] & ~any) | moving_[i];
      moved_[i] |= moving_[i];
    }
    for (unsigned output = first; output < end; ++output) {
      Quad sum{};
      for (std::size_t i = 0; i < vc_quads_; ++i) sum |= moving_[i] & group.quads(held(output))[i];
      sent(output) = any_of(sum);
    }
  }
}

/// In the routers `contested` the first input port in circular order behind the last winner moves its flit.
void RouterGroups::arbitrate_output(GroupRef group, unsigned port, Plane contested) {
  const Plane* const turn = group.planes(layout_.port_turn + port * vc_words_);
  Plane* const moving = moving_.planes();
  Plane behind = 0;  // the last winner is a VC of an input port before
  Plane left = contested;
  std::array<Plane, kMaxVirtualChannels> wins;
  unsigned vc = 0;
  for (unsigned from = 0; from < ports(); ++from) {
    Plane here = 0;
    for (const unsigned end = vc + vcs_of_port(from); vc < end; ++vc) {
      wins[vc] = moving[vc] & behind & left;
      left &= ~wins[vc];
      here |= turn[vc];
    }
    behind |= here;
  }
  for (vc = 0; vc < input_vcs(); ++vc) {
    const Plane first = moving[vc] & left;
    left &= ~first;
    moving[vc] = (moving[vc] & ~contested) | wins[vc] | first;
  }
}

// --- Stage 6: traversal ------------------------------------------------------------------------------------

[[gnu::always_inline]] inline void RouterGroups::traverse(GroupRef group) {
  count_lost(group);
  for (std::size_t i = 0; i < vc_quads_; ++i) {
    const Quad moved = moved_[i];
    sliced::decrease(group.quads(layout_.usable) + i, count_bits_, vc_quads_, moved,
                     group.quads(layout_.ready)[i]);
    Quad left;
    sliced::decrease(group.quads(layout_.left) + i, left_bits_, vc_quads_, moved, left);
    last_[i] = moved & ~left;
    fresh_[i] = (moved & group.quads(layout_.head)[i]) | last_[i];  // heads and tails
  }
  for_each_plane(fresh_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
    for_each_bit(routers, [&](unsigned router) { move_end(group, router, vc); });
  });
  post_credits(group);
  post_arrivals(group);
  if (ejection_interval_ != 1) end_ejections(group);
  // Input VCs whose tails have left.
  Quad asking{};
  Quad released{};
  for (std::size_t i = 0; i < vc_quads_; ++i) {
    const Quad last = last_[i];
    group.quads(layout_.head)[i] &= ~moved_[i];
    group.quads(layout_.active)[i] &= ~last;
    for (unsigned output = 0; output < input_vcs(); ++output) group.quads(held(output))[i] &= ~last;
    asking |= group.quads(layout_.asking)[i];
    released |= last;
  }
  // Heads that wait there request a VC again in the next cycle.
  *group.planes(layout_.retry) = any_of(released) & any_of(asking);
  const auto* const moved = moved_.planes();
  Plane* const turn = group.planes(layout_.turn);
  for (unsigned vc = 0; vc < first_injection_vc();) {
    Plane any = 0;
    for (unsigned i = 0; i < virtual_channels(); ++i) any |= moved[vc + i];
    for (unsigned i = 0; i < virtual_channels(); ++i, ++vc) turn[vc] = (turn[vc] & ~any) | moved[vc];
  }
}

/// Counts the stalls of the flits that lost the switch.
[[gnu::always_inline]] inline void RouterGroups::count_lost(GroupRef group) {
  Quad some{};
  for (std::size_t i = 0; i < vc_quads_; ++i) {
    candidates_[i] &= ~moved_[i];
    some |= candidates_[i];
  }
  if (any_of(some) == 0) return;
  for_each_plane(candidates_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
    for_each_bit(routers, [&](unsigned router) {
      count_stall(group, group.node(router), vc, StallCause::switch_lost, 1);
    });
  });
}

/// Flits leave by links.
[[gnu::always_inline]] inline void RouterGroups::post_arrivals(GroupRef group) {
  const std::size_t room = layout_.room;
  for (std::size_t i = 0; i < vc_quads_; ++i) {
    // Those of ejection channels are not counted, and have room.
    const Quad before = group.quads(room)[i];
    sliced::decrease(group.quads(layout_.slots) + i, count_bits_, vc_quads_, sent_[i], group.quads(room)[i]);
    for (std::size_t output = std::max<std::size_t>(i * 4, first_injection_vc()); output < i * 4 + 4;
         ++output) {
      group.planes(room)[output] = before[output % 4];
    }
  }
  for (unsigned output = 0; output < first_injection_vc(); ++output) {
    const Plane routers = sent(output);
    if (routers == 0) continue;
    flit_hops_ += static_cast<unsigned>(std::popcount(routers));
    const unsigned port = port_of_vc(output);
    if (!to_receivers_[port].empty()) {
      post_at(to_receivers_[port], after_hop_, group.number, Event::arrival, output, routers);
      continue;
    }
    for_each_bit(routers, [&](unsigned router) {
      const NodeId receiver = receivers_[std::size_t{group.node(router)} * link_ports() + port];
      post(after_hop_, group_of(receiver), Event::arrival, output, plane_of(receiver));
    });
  }
}

/// Slots are free again from which flits have left the input VCs.
[[gnu::always_inline]] inline void RouterGroups::post_credits(GroupRef group) {
  for_each_plane(moved_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
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
  });
}

/// Ejection channels that have moved a flit wait for their interval.
void RouterGroups::end_ejections(GroupRef group) {
  for (unsigned output = first_injection_vc(); output < input_vcs(); ++output) {
    if (sent(output) == 0) continue;
    group.planes(layout_.room)[output] &= ~sent(output);
    post(in(ejection_interval_), group.number, Event::credit, output, sent(output));
  }
}

/// A head that leaves goes to the queue of the next router, a tail leaves that of this one.
[[gnu::always_inline]] inline void RouterGroups::move_end(GroupRef group, unsigned number, unsigned vc) {
  const RouterRef router = this->router(group, number);
  Front& front = router.front(vc);
  const unsigned output = front.output;
  const unsigned port = port_of_vc(output);
  if ((group.planes(layout_.head)[vc] >> number & 1) != 0) {
    if (output < first_injection_vc()) {
      append(receivers_[std::size_t{group.node(number)} * link_ports() + port], output, front.message);
    } else {
      messages_[front.message].head_arrived = now_ + link_delay_;
    }
  }
  Plane& last = last_.planes()[vc];
  if ((last >> number & 1) == 0) return;
  if (front.more != 0) {
    last &= ~(Plane{1} << number);
    return count_more(group, number, vc);
  }
  if (output >= first_injection_vc()) arriving_.add(front.message, now_ + link_delay_, now_);
  PortCounts& counts = router.counts(port);
  ++counts.messages;
  counts.flits += front.flits;
  router.header().holds &= ~bit(output);
  ++front.first;
  --front.count;
}

/// A message comes behind those in an input VC, with its head on the way.
[[gnu::always_inline]] inline void RouterGroups::append(NodeId node, unsigned vc, MessageSlot message) {
  Front& front = this->front(node, vc);
  message_at(node, vc, front.first + front.count++) = message;
}

/// Of a message longer than the planes count, the next flits are counted.
void RouterGroups::count_more(GroupRef group, unsigned number, unsigned vc) {
  Front& front = router(group, number).front(vc);
  const std::uint32_t counted = std::min(front.more, kMostLeft);
  front.more -= counted;
  sliced::set(group.planes(layout_.left) + vc, vc_words_, Plane{1} << number, counted);
}

// --- Stage 7: injection ------------------------------------------------------------------------------------

[[gnu::always_inline]] inline void RouterGroups::inject(GroupRef group) {
  for (unsigned number = 0; number < channels(); ++number) {
    Plane& idle = group.planes(layout_.idle)[number];
    const Plane takes = idle & group.planes(layout_.queued)[number];
    idle &= ~takes;
    for_each_bit(takes, [&](unsigned router) { take_message(group, group.node(router), number); });
  }
  for (std::size_t i = 0; i < channel_quads_; ++i) {
    const Quad put = group.quads(layout_.due)[i] & group.quads(layout_.put_room)[i];
    if (any_of(put) == 0) continue;
    sliced::decrease(group.quads(layout_.put_slots) + i, count_bits_, channel_quads_, put,
                     group.quads(layout_.put_room)[i]);
    Quad left;
    sliced::decrease(group.quads(layout_.to_put) + i, left_bits_, channel_quads_, put, left);
    const Quad last = put & ~left;
    for (unsigned k = 0; k < 4; ++k) {
      if (put[k] != 0) put_flits(group, static_cast<unsigned>(i * 4 + k), put[k], last[k]);
    }
  }
}

/// Injection channels put a flit each; some the last of those counted.
[[gnu::always_inline]] inline void RouterGroups::put_flits(GroupRef group, unsigned number, Plane put,
                                                           Plane last) {
  const unsigned vc = first_injection_vc() + number;
  post(after_put_, group.number, Event::arrival, vc, put);
  Plane& heads = group.planes(layout_.put_head)[number];
  for_each_bit(put & heads, [&](unsigned router) {
    const NodeId node = group.node(router);
    const MessageSlot message = injecting_[std::size_t{node} * channels() + number].message;
    messages_[message].head_entered = now_;
    append(node, vc, message);
  });
  heads &= ~put;
  Plane tails = last;
  for_each_bit(last & group.planes(layout_.put_more)[number], [&](unsigned router) {
    Injecting& injecting = injecting_[std::size_t{group.node(router)} * channels() + number];
    const std::uint32_t counted = std::min(injecting.more, kMostLeft);
    injecting.more -= counted;
    tails &= ~(Plane{1} << router);
    if (injecting.more == 0) group.planes(layout_.put_more)[number] &= ~(Plane{1} << router);
    sliced::set(group.planes(layout_.to_put) + number, channel_words_, Plane{1} << router, counted);
  });
  Plane& due = group.planes(layout_.due)[number];
  due &= ~tails;
  if (injection_interval_ == 1) {
    group.planes(layout_.idle)[number] |= tails;
    return;
  }
  due &= ~put;
  if (tails != 0) post(in(injection_interval_), group.number, Event::idle, number, tails);
  if (put != tails) post(in(injection_interval_), group.number, Event::due, number, put & ~tails);
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
    for (unsigned channel = 0; channel < channels(); ++channel) {
      if (queue_of(channel) == queue_of(number)) group.planes(layout_.queued)[channel] &= ~router;
    }
  }
  const std::uint32_t flits = messages_[message].flits;
  const std::uint32_t counted = std::min(flits, kMostLeft);
  left_bits_ = std::max(left_bits_, static_cast<unsigned>(std::bit_width(counted)));
  injecting_[std::size_t{node} * channels() + number] = {message, flits - counted};
  if (flits != counted) group.planes(layout_.put_more)[number] |= router;
  sliced::set(group.planes(layout_.to_put) + number, channel_words_, router, counted);
  group.planes(layout_.put_head)[number] |= router;
  if (startup_ == 0) {
    group.planes(layout_.due)[number] |= router;
  } else {
    post(in(startup_), group.number, Event::due, number, router);
  }
}

/// Whether anything could happen in the next cycle without an event.
[[gnu::always_inline]] inline bool RouterGroups::stays_awake(GroupRef group) const {
  Quad able{};
  for (std::size_t i = 0; i < vc_quads_; ++i) {
    able |=
        group.quads(layout_.ready)[i] & ~(group.quads(layout_.no_room)[i] | group.quads(layout_.asking)[i]);
  }
  for (std::size_t i = 0; i < channel_quads_; ++i) {
    able |= (group.quads(layout_.due)[i] & group.quads(layout_.put_room)[i]) |
            (group.quads(layout_.idle)[i] & group.quads(layout_.queued)[i]);
  }
  return (any_of(able) | *group.planes(layout_.retry)) != 0;
}

}  // namespace flitscope
