// Stage 7 of docs/timing.md, injection: network interfaces take messages and put flits.
#pragma once

#include "routers/engine/group_cycle.h"

namespace flitscope {

template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::inject(GroupRef group) {
  bool works = false;
  for (unsigned i = 0; i < injector_quads(); ++i) {
    if (any_of(group.quads(layout().idle)[i] & group.quads(layout().queued)[i]) == 0) continue;
    works = true;
    for (unsigned number = i * 4; number < i * 4 + 4; ++number) {
      Plane& idle = group.planes(layout().idle)[number];
      // Those before may have taken the last messages of the same queues.
      const Plane takes = idle & group.planes(layout().queued)[number];
      idle &= ~takes;
      for_each_bit(takes, [&](unsigned router) { take_message(group, group.node(router), number); });
    }
  }
  changed_ |= works;
  if (node_vcs() != 1) return inject_by_vcs(group) || works;
  for (unsigned i = 0; i < injector_quads(); ++i) {
    Quad put = group.quads(layout().due)[i] & group.quads(layout().put_room)[i];
    if (tracks_puts()) keep_from_putting(group, i, put);
    put_[i] = put;
    count_put_slots(group, i, freed_[i], put);
    if (any_of(put) == 0) continue;
    works = true;
    Quad left;
    sliced::decrease(group.quads(layout().to_put) + i, left_bits_, injector_quads(), put, left);
    const Quad last = put & ~left;
    for (unsigned k = 0; k < 4; ++k) {
      const auto number = static_cast<unsigned>(i * 4 + k);
      if (put[k] != 0) put_flits(group, number, first_injection_vc() + number, put[k], last[k]);
    }
  }
  return works;
}

/// The same for channels of several VCs.
template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::inject_by_vcs(GroupRef group) {
  bool works = false;
  std::array<Plane, kMostVcs> could_put;  // by injector
  for (unsigned number = 0; number < injectors(); ++number) {
    could_put[number] = 0;
    const Plane due = group.planes(layout().due)[number];
    if (due == 0) continue;
    const Plane heads = due & group.planes(layout().put_head)[number];
    choose_vcs(group, number, heads & ~group.planes(layout().put_chosen)[number]);
    const Plane blocked = tracks_puts() ? heads & ~group.planes(layout().put_chosen)[number] : 0;
    for (unsigned vc = number * vcs_of_injector(); vc < (number + 1) * vcs_of_injector(); ++vc) {
      could_put[number] |=
          due & ~blocked & group.planes(layout().chosen)[vc] & group.planes(layout().put_room)[vc];
    }
  }
  if (has_banks()) {
    read_flits(group, could_put.data());
  } else if (paces_reads()) {
    keep_pace(group, could_put.data());
  }
  if (queues() != 1) take_turns(group, could_put.data());
  if (paces_reads()) take_reads(group, could_put.data());
  for (unsigned number = 0; number < injectors(); ++number) {
    if (could_put[number] == 0) continue;
    works = true;
    if (has_banks()) group.planes(layout().has_read)[number] &= ~could_put[number];
    for (unsigned vc = number * vcs_of_injector(); vc < (number + 1) * vcs_of_injector(); ++vc) {
      Plane& room = group.planes(layout().put_room)[vc];
      const Plane put = could_put[number] & group.planes(layout().chosen)[vc];
      if (put == 0) continue;
      sliced::decrease(group.planes(numbers_.put_slots) + vc, numbers_.count_bits, injection_vc_quads() * 4,
                       put, room);
      Plane left = 0;
      sliced::decrease(group.planes(layout().to_put) + number, left_bits_, injector_words(), put, left);
      put_flits(group, number, first_injection_vc() + vc, put, put & ~left);
    }
  }
  return works;
}

/// Of the flits that are left to put, how many are counted next: where banks count, the others are a multiple
/// of their number.
template <GroupShape kShape, GroupVersion kVersion>
std::uint32_t GroupCycle<kShape, kVersion>::counted_of(std::uint32_t flits) const {
  if (!has_banks()) return std::min(flits, kMostLeft);
  return flits - (flits - 1) / kMaxBanks * kMaxBanks;
}

/// Channels of a quad whose message waits for an empty VC do not put it.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::keep_from_putting(GroupRef group, unsigned quad, Quad& put) const {
  const Plane* const empty = parts_->empty_puts(group.number);
  for (unsigned i = 0; i < 4 && quad * 4 + i < channels(); ++i) {
    put[i] &= ~group.planes(layout().put_head)[quad * 4 + i] | empty[quad * 4 + i];
  }
}

/// Of the injectors of a channel one puts a flit: the first behind the one that did last.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::take_turns(GroupRef group, Plane* could_put) {
  for (unsigned channel = 0; channel < channels(); ++channel) {
    Plane* const puts = could_put + channel * queues();
    Plane* const last = group.planes(layout().put_last) + channel * queues();
    Plane& paced = group.planes(layout().paced)[channel];
    keep_highest_priority(channel, puts);
    Plane any = 0;
    for (unsigned i = 0; i < queues(); ++i) {
      puts[i] &= paced;
      any |= puts[i];
    }
    keep_first<kMaxMessageClasses>(puts, queues(), any, [&](unsigned i, Plane& behind) {
      if (i != 0) behind |= last[i - 1];
    });
    for (unsigned i = 0; i < queues(); ++i) last[i] = (last[i] & ~any) | puts[i];
    if (injection_interval_ == 1 || any == 0) continue;
    paced &= ~any;
    post(in(injection_interval_), group, Event::pace, channel, any);
  }
}

/// The messages of an injector at `routers` go by the first VC with a slot behind that of the message
/// before; by that again if there is none.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::choose_vcs(GroupRef group, unsigned number, Plane routers) {
  Plane& put_chosen = group.planes(layout().put_chosen)[number];
  put_chosen |= routers;
  Plane* const chosen = group.planes(layout().chosen) + number * vcs_of_injector();
  const Plane* const room = tracks_puts() ? parts_->empty_puts(group.number) + number * vcs_of_injector()
                                          : group.planes(layout().put_room) + number * vcs_of_injector();
  for_each_bit(routers, [&](unsigned router) {
    const Plane plane = Plane{1} << router;
    std::uint64_t free = 0;
    unsigned last = 0;
    for (unsigned vc = 0; vc < vcs_of_injector(); ++vc) {
      if ((room[vc] & plane) != 0) free |= bit(vc);
      if ((chosen[vc] & plane) != 0) last = vc;
    }
    if (free == 0) {
      if (tracks_puts()) put_chosen &= ~plane;
      return;
    }
    chosen[last] &= ~plane;
    chosen[first_from(free, (last + 1) % vcs_of_injector())] |= plane;
  });
}

/// Injectors put a flit each into an input VC; some the last of those counted.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::put_flits(GroupRef group, unsigned number, unsigned vc, Plane put,
                                             Plane last) {
  if (!stores_and_forwards()) post(after_put_, group, Event::arrival, vc, put);
  if (observes_flits()) note_puts(group, number, put);
  if (tracks_puts()) parts_->injections.note(group.number, vc - first_injection_vc(), put, now_);
  Plane& heads = group.planes(layout().put_head)[number];
  for_each_bit(put & heads, [&](unsigned router) {
    const NodeId node = group.node(router);
    const MessageSlot message = injecting_[injector_row(node, number)].message;
    MessageRecord& record = messages_[message];
    record.head_entered = now_;
    if (!stores_and_forwards()) expect_head(after_put_, node, vc, record.head, message, record.flits);
  });
  changed_ |= last != 0;
  heads &= ~put;
  if (node_vcs() != 1) group.planes(layout().put_chosen)[number] &= ~put;
  Plane tails = last;
  for_each_bit(last & group.planes(layout().put_more)[number], [&](unsigned router) {
    Injecting& injecting = injecting_[injector_row(group.node(router), number)];
    const std::uint32_t counted = counted_of(injecting.more);
    injecting.more -= counted;
    tails &= ~(Plane{1} << router);
    if (injecting.more == 0) group.planes(layout().put_more)[number] &= ~(Plane{1} << router);
    sliced::set(group.planes(layout().to_put) + number, injector_words(), Plane{1} << router, counted);
  });
  if (stores_and_forwards()) {
    for_each_bit(tails, [&](unsigned router) {
      const NodeId node = group.node(router);
      const MessageSlot message = injecting_[injector_row(node, number)].message;
      expect_head(after_put_, node, vc, messages_[message].head, message, messages_[message].flits);
    });
  }
  if (limits_requests()) {
    for_each_bit(tails, [&](unsigned router) { end_request(group, router, number); });
  }
  if (has_ejection_buffers() || limits_requests()) {
    for_each_bit(tails, [&](unsigned router) {
      injecting_[injector_row(group.node(router), number)].message = kNoMessage;
    });
  }
  Plane& due = group.planes(layout().due)[number];
  due &= ~tails;
  if (injection_interval_ == 1) {
    group.planes(layout().idle)[number] |= tails;
    return;
  }
  due &= ~put;
  if (tails != 0) post(in(injection_interval_), group, Event::idle, number, tails);
  if (put != tails) post(in(injection_interval_), group, Event::due, number, put & ~tails);
}

/// An idle injector takes the first message of its queue.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::take_message(GroupRef group, NodeId node, unsigned number) {
  if (!kPlain && injection_queue_) note_relief(node, number);
  Queue& queue = this->queue(node, queue_of(number));
  const MessageSlot message = queue.first;
  queue.open = queue.others.length != 0;
  const Plane router = plane_of(node);
  if (queue.open) {
    queue.first = open_next(node, queue);
  } else {
    for_each_taker(queue_of(number),
                   [&](unsigned other) { group.planes(layout().queued)[other] &= ~router; });
  }
  const std::uint32_t flits = messages_[message].flits;
  const std::uint32_t counted = counted_of(flits);
  left_bits_ = std::max(left_bits_, static_cast<unsigned>(std::bit_width(std::min(flits, kMostLeft))));
  injecting_[injector_row(node, number)] = {message, flits - counted};
  if (flits != counted) group.planes(layout().put_more)[number] |= router;
  sliced::set(group.planes(layout().to_put) + number, injector_words(), router, counted);
  group.planes(layout().put_head)[number] |= router;
  if (startup_ == 0) {
    group.planes(layout().due)[number] |= router;
  } else {
    post(in(startup_), group, Event::due, number, router);
  }
}

/// Whether anything could happen in the next cycle without an event.
template <GroupShape kShape, GroupVersion kVersion>
bool GroupCycle<kShape, kVersion>::stays_awake(GroupRef group) const {
  Quad able{};
  for (unsigned i = 0; i < vc_quads(); ++i) {
    Quad could_move =
        group.quads(layout().ready)[i] & group.quads(layout().active)[i] & ~group.quads(layout().no_room)[i];
    if (has_busy_ports() && can_sleep()) could_move &= ~busy_.quads[i];
    able |= could_move;
  }
  for (unsigned i = 0; i < injector_quads(); ++i) {
    able |= group.quads(layout().idle)[i] & group.quads(layout().queued)[i];
    if (node_vcs() != 1) continue;
    Quad put = group.quads(layout().due)[i] & group.quads(layout().put_room)[i];
    if (tracks_puts()) keep_from_putting(group, i, put);
    able |= put;
  }
  Plane put = 0;
  for (unsigned number = 0; node_vcs() != 1 && number < injectors(); ++number)
    put |= puts_next(group, number) | (has_banks() ? needs_read(group, number) : 0);
  return (any_of(able) | put | *group.planes(layout().retry)) != 0;
}

/// An injector could put its next flit into the VC of its message, or into an empty one.
template <GroupShape kShape, GroupVersion kVersion>
Plane GroupCycle<kShape, kVersion>::puts_next(GroupRef group, unsigned number) const {
  const Plane due = group.planes(layout().due)[number];
  if (due == 0) return 0;
  const Plane* const empty = tracks_puts() ? parts_->empty_puts(group.number) : nullptr;
  const Plane heads =
      tracks_puts() ? group.planes(layout().put_head)[number] & ~group.planes(layout().put_chosen)[number]
                    : 0;
  Plane room = 0;
  for (unsigned vc = number * vcs_of_injector(); vc < (number + 1) * vcs_of_injector(); ++vc) {
    room |= group.planes(layout().chosen)[vc] & group.planes(layout().put_room)[vc] & ~heads;
    if (heads != 0) room |= empty[vc] & heads;
  }
  return due & room;
}

}  // namespace flitscope
