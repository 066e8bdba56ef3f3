// Stage 6 of docs/timing.md, traversal: what leaves a router is an event of a later cycle.
#pragma once

#include "routers/engine/group_cycle.h"

namespace flitscope {

/// New holders of an output VC that are not gone in this cycle, whole, stay at the front of their input VC.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::keep_heads(GroupRef group) {
  for (const std::span<ComingHead>& heads : fresh_) {
    for (const ComingHead& head : heads) {
      if (head.flits == 0) continue;
      const bool moved = (moved_.planes()[head.vc] >> head.router & 1) != 0;
      if (moved && head.flits == 1 && !is_observed() && !has_busy_ports() && !has_modules() &&
          !limits_requests() && !has_banks())
        continue;
      keep_head(group, head, moved);
    }
  }
}

template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::keep_head(GroupRef group, const ComingHead& head, bool moved) {
  if (!moved) group.planes(layout().head)[head.vc] |= Plane{1} << head.router;
  Front& front = router(group, head.router).front(head.vc);
  front.message = head.message;
  front.flits = flits_of(head);
  front.more = front.flits - head.flits;
  front.output = head.output;
}

template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::traverse(GroupRef group, bool repeats) {
  note_lost(group);
  if (observes_flits()) note_moves(group);
  if (has_modules()) put_into_modules(group);
  if (has_busy_ports() && !has_queues()) take_links(group);
  Quad ends{};
  Quad tails{};
  for (unsigned i = 0; i < vc_quads(); ++i) {
    const Quad moved = moved_[i];
    if (any_of(moved) == 0) {
      last_[i] = ends_[i] = Quad{};
      continue;
    }
    Quad left;
    sliced::decrease(group.quads(layout().left) + i, left_bits_, vc_quads(), moved, left);
    last_[i] = moved & ~left;
    ends_[i] = (moved & group.quads(layout().head)[i]) | last_[i];
    ends |= ends_[i];
    tails |= last_[i];
  }
  if (has_banks()) note_writes(group);
  changed_ |= any_of(ends) != 0;
  keeps_moves_ = count_of(tails) <= (ports() + 3) / 4;
  *group.planes(layout().repeatable) = keeps_moves_ ? 1 : 0;
  if (!repeats && keeps_moves_) {
    std::copy_n(moved_.data(), vc_quads(), group.quads(layout().moved));
    std::copy_n(sent_.data(), vc_quads(), group.quads(layout().sent));
  }
  move_granted(group, false);
  move_granted(group, true);
  for_each_plane(ends_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
    for_each_bit(routers, [&](unsigned router) { move_end(group, router, vc); });
  });
  if (repeats && has_posts(group)) {
    post_moves(steady_[group.number]);
    steady_[group.number].has_posts = keeps_moves_;
    for (const Move& tail : tails_) change_posts(group, tail, false);
    tails_.clear();
  } else {
    post_credits(group);
    post_arrivals(group);
  }
  if (ejection_interval_ != 1) end_ejections(group);
  if (has_priorities()) forget_losses(group);
  if (any_of(ends) != 0) forget_ends(group);
  if (!repeats) take_turns_at_inputs(group);
}

/// Input VCs whose heads or tails have left.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::forget_ends(GroupRef group) {
  for (unsigned i = 0; i < vc_quads(); ++i) {
    const Quad last = last_[i];
    group.quads(layout().head)[i] &= ~moved_[i];
    group.quads(layout().active)[i] &= ~last;
    for (unsigned k = 0; k < port_bits(); ++k) output_port(group, i)[k * vc_quads()] &= ~last;
    for (unsigned k = 0; k < vc_bits(); ++k) output_vc(group, i)[k * vc_quads()] &= ~last;
  }
}

/// The VC of an input port that has moved a flit is the last to have done so.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::take_turns_at_inputs(GroupRef group) {
  const auto* const moved = moved_.planes();
  Plane* const turn = group.planes(layout().turn);
  const unsigned all = ports();
#pragma GCC unroll 16
  for (unsigned port = 0, vc = 0; port < all; ++port) {
    const unsigned vcs = vcs_of_port(port);
    if (vcs == 1) {
      ++vc;
      continue;
    }
    Plane any = 0;
    for (unsigned i = 0; i < vcs; ++i) any |= moved[vc + i];
    for (unsigned i = 0; i < vcs; ++i, ++vc) turn[vc] = (turn[vc] & ~any) | moved[vc];
  }
}

/// Counts the flits that lost the switch in this cycle, until their message moves on (count_losses).
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::note_lost(GroupRef group) {
  for (unsigned i = 0; i < vc_quads(); ++i) {
    const Quad beaten = candidates_[i] & ~moved_[i];
    const Quad lost = has_busy_ports() ? beaten | busy_[i] : beaten;
    if (any_of(lost) == 0) continue;
    changed_ = true;
    if (observes_stalls()) {
      for_each_plane(&lost, 4, [&](unsigned number, Plane routers) {
        const unsigned vc = i * 4 + number;
        const Plane busy = has_busy_ports() ? busy_.planes()[vc] & routers : 0;
        for_each_bit(busy, [&](unsigned router) { note_busy_port(group.node(router), vc); });
        note_lost_switch(group, vc, routers & ~busy);
      });
    }
    group.quads(layout().losing)[i] |= lost;
    Quad overflow;
    sliced::increase(group.quads(layout().lost) + i, kLostBits, vc_quads(), lost, overflow);
    if (has_priorities()) count_losses_for_rank(group, i, beaten);
    if (any_of(overflow) == 0) continue;
    for_each_plane(&overflow, 4, [&](unsigned vc, Plane routers) {
      for_each_bit(routers, [&](unsigned router) {
        count_stall(group, group.node(router), i * 4 + vc, StallCause::switch_lost, Cycle{1} << kLostBits);
      });
    });
  }
}

/// Flits of one input VC have lost the switch, at their input port or at their output port.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::note_lost_switch(GroupRef group, unsigned vc, Plane routers) {
  const Plane heads = group.planes(layout().head)[vc];
  for (; routers != 0; routers &= routers - 1) {
    const unsigned number = lowest_bit(routers);
    const RouterBlock router = this->router(group, number);
    const Front& front = router.front(vc);
    const MessageSlot culprit = find_winner(group, number, vc);
    Cycle from = now_;
    // A stall of a busy port may go on from this one.
    if (!has_busy_ports() && (heads >> number & 1) == 0) {
      const auto begin =
          observed_stalls_->begin_lost(group.node(number), vc, port_of_vc(front.output), culprit, now_);
      if (!begin) continue;
      from = *begin;
    }
    GroupStalls::Reason reason{.cause = StallCause::switch_lost, .culprit = {}};
    if (culprit != kNoMessage) reason.culprit = messages_[culprit].id;
    begin_stall(group, number, vc, front, reason, from, now_ + 1);
  }
}

/// The message that won against an input VC that lost the switch; kNoMessage if parts let none win.
template <GroupShape kShape, GroupVersion kVersion>
MessageSlot GroupCycle<kShape, kVersion>::find_winner(GroupRef group, unsigned number, unsigned vc) const {
  const RouterBlock router = this->router(group, number);
  const auto wins = [&](unsigned other, const Plane* winners) {
    return other != vc && (winners[other] >> number & 1) != 0;
  };
  const auto among_port_of = [&](unsigned first, const Plane* winners) {
    const auto& port = vc_info(first);
    for (unsigned other = port.first; other < unsigned{port.first} + port.vcs_of_port; ++other) {
      if (wins(other, winners)) return router.front(other).message;
    }
    return kNoMessage;
  };
  const unsigned output = port_of_vc(router.front(vc).output);
  if (has_parts()) {
    for (Set vcs = parts_->sharing_input<Set>(vc); vcs.any(); vcs.remove(lowest_bit(vcs))) {
      if (wins(lowest_bit(vcs), picked_.planes())) return router.front(lowest_bit(vcs)).message;
    }
    for (unsigned other = 0; other < input_vcs(); ++other) {
      if (wins(other, moved_.planes()) && parts_->shape.share_outputs(vc, other) &&
          port_of_vc(router.front(other).output) == output)
        return router.front(other).message;
    }
    return kNoMessage;
  }
  if ((picked_.planes()[vc] >> number & 1) == 0) return among_port_of(vc, picked_.planes());
  const unsigned next = sliced::of(group.planes(layout().next_input) + output, port_bits(), port_quads() * 4,
                                   number);  // behind the port that has won
  return among_port_of(first_vc(next == 0 ? ports() - 1 : next - 1), moved_.planes());
}

/// Flits that are usable for the first time come to the numbers of input VCs, those that leave go; slots
/// behind output VCs likewise.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::count_flits(GroupRef group) {
  for (unsigned i = 0; i < vc_quads(); ++i) {
    sliced::change(group.quads(numbers_.usable) + i, numbers_.count_bits, vc_quads(), arrivals_[i], moved_[i],
                   group.quads(layout().ready)[i]);
    count_slots(group, i, kPlain ? credits_[i] : Quad{}, sent_[i]);
  }
}

/// Output VCs of a quad get slots, and flits take some. Those of ejection channels are not counted, and have
/// room, but for limited buffers and modules behind them.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::count_slots(GroupRef group, unsigned i, const Quad& got,
                                               const Quad& taken) {
  Quad counted = has_ejection_buffers() ? ~Quad{} : links_[i];
  for (unsigned output = i * 4; has_modules() && output < std::min(i * 4 + 4, input_vcs()); ++output)
    counted[output % 4] |= to_modules(group, port_of_vc(output));
  Quad some;
  sliced::change(group.quads(numbers_.slots) + i, numbers_.count_bits, vc_quads(), got & counted,
                 taken & counted, some);
  if (has_parts() && parts_->options.limits_room()) counted &= ~links_[i];  // see limit_room
  Quad& room = group.quads(layout().room)[i];
  room = (some & counted) | (room & ~counted);
}

/// Injection VCs of a quad get slots, and flits that are put take some.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::count_put_slots(GroupRef group, unsigned i, const Quad& got,
                                                   const Quad& taken) {
  sliced::change(group.quads(numbers_.put_slots) + i, numbers_.count_bits, injection_vc_quads(), got, taken,
                 group.quads(layout().put_room)[i]);
}

/// Ejection channels that have moved a flit wait for their interval.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::end_ejections(GroupRef group) {
  for (unsigned output = first_injection_vc(); output < input_vcs(); ++output) {
    const Plane routers = sent(output) & ~to_modules(group, port_of_vc(output));
    if (routers == 0) continue;
    group.planes(layout().room)[output] &= ~routers;
    post(in(ejection_interval_), group, Event::credit, output, routers);
  }
}

/// Heads that have got their output VC in this cycle leave, and messages of one flit.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::move_granted(GroupRef group, bool arrived) {
  for (const ComingHead& head : fresh_[arrived]) {
    if (head.flits == 0) continue;
    const Plane router = Plane{1} << head.router;
    const bool moved = (moved_.planes()[head.vc] & router) != 0;
    if (kPlain && !(moved && head.flits == 1)) keep_head(group, head, moved);  // else keep_heads() did
    if (!moved) continue;
    if (arrived) {
      messages_[head.message].head_arrived = now_ + link_delay_;
    } else {
      send_head(group, head.router, head.content, head.message, head.flits, head.output);
    }
    if (head.flits != 1) continue;
    if (arrived) note_arriving(head.message, now_ + link_delay_);
    if (arrived && has_ejection_buffers()) {
      buffer_message(group.node(head.router), head.output, head.message);
    }
    release(group, head.router, head.vc, head.output, 1);
    ends_.planes()[head.vc] &= ~router;
  }
}

/// The head or the tail of the message at the front of an input VC leaves.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::move_end(GroupRef group, unsigned number, unsigned vc) {
  const Front& front = router(group, number).front(vc);
  Plane& last = last_.planes()[vc];
  if ((last >> number & 1) != 0 && front.more != 0) {
    last &= ~(Plane{1} << number);
    return count_more(group, number, vc);
  }
  if ((group.planes(layout().losing)[vc] >> number & 1) != 0) count_losses(group, number, vc);
  const Cycle wait = queue_wait(number, vc);
  const bool ejected = front.output >= first_injection_vc();
  if ((group.planes(layout().head)[vc] >> number & 1) != 0) {
    if (ejected) {
      messages_[front.message].head_arrived = now_ + wait + link_delay_;
    } else {
      const Head& head = messages_[front.message].head;
      send_head(group, number, head, front.message, front.flits, front.output, wait);
    }
  }
  if ((last >> number & 1) == 0) return;
  if (ejected) note_arriving(front.message, now_ + wait + link_delay_);
  if (ejected && has_ejection_buffers()) buffer_message(group.node(number), front.output, front.message);
  release(group, number, vc, front.output, front.flits);
}

/// A head leaves by a link.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::send_head(GroupRef group, unsigned number, const Head& head,
                                             MessageSlot message, std::uint32_t flits, unsigned output,
                                             Cycle wait) {
  const unsigned port = port_of_vc(output);
  const NodeId node = receivers_.nodes[link_row(group.node(number), port)];
  if (has_modules() && node == kNoNode) return;
  const unsigned delay = delay_of(group.node(number), port);
  if (delay != 0) {
    messages_[message].link_sum +=
        static_cast<std::int64_t>(delays_[delay]) - static_cast<std::int64_t>(link_delay_);
  }
  if (is_adaptive() && routing_->weighs()) messages_[message].link_sum += MessageRecord::kCountedLink;
  if (stores_and_forwards()) return;
  if (wait == 0) return expect_head(after_hop_[delay], node, output, head, message, flits);
  expect_head(in(wait + delays_[delay] + router_delay_), node, output, head, message, flits);
}

/// A tail leaves by a link, and its message is usable as a whole.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::send_whole(NodeId node, MessageSlot message, unsigned output, Cycle wait) {
  const unsigned port = port_of_vc(output);
  const NodeId receiver = receivers_.nodes[link_row(node, port)];
  if (has_modules() && receiver == kNoNode) return;
  const MessageRecord& record = messages_[message];
  const ComingCycle then = in(wait + delays_[delay_of(node, port)] + router_delay_);
  expect_head(then, receiver, output, record.head, message, record.flits);
}

/// The head of a message of so many flits will be usable in an input VC, with store-and-forward the message.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::expect_head(const ComingCycle& then, NodeId node, unsigned vc,
                                               const Head& head, MessageSlot message, std::uint32_t flits) {
  const bool arrives = head.destination == node;
  if (!then.reaches(group_of(node))) {
    return post_elsewhere(
        {then.cycle, group_of(node), Event::head, vc, plane_of(node), message, flits, arrives});
  }
  then.heads[std::size_t{group_of(node)} * 2 + arrives].append(head, message, flits, node % kGroupSize, vc,
                                                               head_memory_);
  // Else the event of its arrival does.
  if (stores_and_forwards()) then.agenda.wake(group_of(node));
}

/// The tail of a message leaves an input VC, and the next message is at the front.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::release(GroupRef group, unsigned number, unsigned vc, unsigned output,
                                           std::uint32_t flits) {
  const RouterBlock router = this->router(group, number);
  const unsigned port = port_of_vc(output);
  router.count(port, flits);
  const Plane plane = Plane{1} << number;
  if (keeps_moves_) forget_move(group, {number, vc, output});
  const bool keeps = limits_requests() && output >= first_injection_vc() &&
                     requests_->begin(group.node(number), output - first_injection_vc(),
                                      messages_[router.front(vc).message].id);
  if (keeps) {
    // Heads that wait for it have no culprit from now on.
    if (router.asking().any()) *group.planes(layout().retry) |= plane;
  } else if (!delays_releases() || output >= first_injection_vc()) {
    router.holds().remove(output);
    if (router.awaited().has(output)) *group.planes(layout().retry) |= plane;
  } else {
    post(after_release_, group, Event::free, output, plane);
    // Heads that wait for it have no culprit from now on.
    if (router.asking().any()) *group.planes(layout().retry) |= plane;
  }
  if (stores_and_forwards() && output < first_injection_vc()) {
    send_whole(group.node(number), router.front(vc).message, output, queue_wait(number, vc));
  }
  if (observes_stalls()) {
    const NodeId node = group.node(number);
    observed_stalls_->note_tail(row(node, vc), messages_[router.front(vc).message].id, now_);
    observed_stalls_->note_sent(row(node, output), flits);
  }
  if ((group.planes(layout().behind)[vc] & plane) != 0) take_next(group, number, vc);
}

/// A flit that moves in this cycle is the last to do so.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::forget_move(GroupRef group, const Move& move) {
  const Plane router = Plane{1} << move.router;
  group.planes(layout().moved)[move.vc] &= ~router;
  group.planes(layout().sent)[move.output] &= ~router;
  if (has_posts(group)) tails_.push_back(move);
}

/// The first of the messages behind the one that has left is at the front in the next cycle.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::take_next(GroupRef group, unsigned number, unsigned vc) {
  const NodeId node = group.node(number);
  Front& front = router(group, number).front(vc);
  front.message = waiting_at(node, vc, front.first++);
  const MessageRecord& record = messages_[front.message];
  front.flits = record.flits;
  const ComingHead::Choice choice =
      choice_of(node, vc, record.head, front.message, record.head.destination == node);
  front.choice = choice.number;
  front.group = choice.group;
  front.since = now_ + 1;
  const Plane plane = Plane{1} << number;
  if (--front.waiting == 0) group.planes(layout().behind)[vc] &= ~plane;
  if (delays_routing()) return request_after(group, number, vc, parts_->options.routing_delay + 1);
  router(group, number).asking().add(vc);
  *group.planes(layout().retry) |= plane;
}

/// Of a message longer than the planes count, the next flits are counted.
template <GroupShape kShape, GroupVersion kVersion>
void GroupCycle<kShape, kVersion>::count_more(GroupRef group, unsigned number, unsigned vc) {
  Front& front = router(group, number).front(vc);
  const std::uint32_t counted = std::min(front.more, kMostLeft);
  front.more -= counted;
  sliced::set(group.planes(layout().left) + vc, vc_words(), Plane{1} << number, counted);
}

}  // namespace flitscope
