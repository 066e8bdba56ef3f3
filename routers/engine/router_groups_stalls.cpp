// Stalls of routers that are stepped together: counted, and reported with their culprits; moves of flits.
#include "model/bits.h"
#include "routers/engine/group_stalls.h"

#include <algorithm>

#include "routers/engine/router_groups.h"

namespace flitscope {

// --- Counters ----------------------------------------------------------------------------------------------

/// Counts cycles of the flit at the front of an input VC.
void RouterGroups::count_stall(GroupRef group, NodeId node, unsigned vc, StallCause cause, Cycle cycles) {
  const Front& front = this->front(node, vc);
  const bool active = is_active(group, node, vc);
  const unsigned port = active                   ? port_of_vc(front.output)
                        : head_waits_ == nullptr ? port_of_group(front.group)
                                                 : head_waits_[row(node, vc)].port;
  const bool head = !active || (group.planes(layout_.head)[vc] & plane_of(node)) != 0;
  count_stall(node, port, messages_[front.message], head, cause, cycles);
}

/// Counts cycles of a flit, perhaps the head, that wants to leave by a port.
void RouterGroups::count_stall(NodeId node, unsigned port, MessageRecord& message, bool head,
                               StallCause cause, Cycle cycles) {
  const auto number = static_cast<unsigned>(cause);
  stalls_[number] += cycles;
  stalls_of_ports_[port_row(node, port)][number] += cycles;
  if (!stalls_of_class_.empty()) stalls_of_class_[message.message_class][number] += cycles;
  if (head) message.head_stalls[number] += cycles;
}

/// Counts the cycles in which flits of the message at the front lost the switch.
void RouterGroups::count_losses(GroupRef group, unsigned router, unsigned vc) {
  group.planes(layout_.losing)[vc] &= ~(Plane{1} << router);
  Plane* const lost = group.planes(layout_.lost) + vc;
  const unsigned cycles = sliced::of(lost, kLostBits, layout_.vc_words, router);
  if (cycles == 0) return;
  for (std::size_t i = 0; i < kLostBits; ++i) lost[i * layout_.vc_words] &= ~(Plane{1} << router);
  count_stall(group, group.node(router), vc, StallCause::switch_lost, cycles);
}

/// Counts the present stall of a flit that waits for a VC or for room, up to (not including) cycle `end`.
void RouterGroups::count_stall_since(GroupRef group, NodeId node, unsigned vc, Cycle end) {
  const Front& front = this->front(node, vc);
  Cycle from = std::max(front.since, settled_);
  const bool active = is_active(group, node, vc);
  if (!active && head_waits_ != nullptr) from = std::max(from, head_waits_[row(node, vc)].since);
  const StallCause cause = active ? cause_without_room(node, front) : cause_without_vc(node, vc);
  if (active && ejection_buffers_ != nullptr && front.output >= first_injection_vc()) {
    from = std::max(from, full_buffers_[ejection_row(node, front.output)].since);
  }
  if (from < end) count_stall(group, node, vc, cause, end - from);
}

/// The cause of a stall with an output VC.
StallCause RouterGroups::cause_without_room(NodeId node, const Front& front) const {
  if (front.output < first_injection_vc()) return StallCause::no_credit;
  if (ejection_buffers_ == nullptr) return StallCause::ejection_busy;
  return full_buffers_[ejection_row(node, front.output)].cause;
}

void RouterGroups::count_stalls(Cycle now) {
  for (Group number = 0; number < groups_; ++number) {
    const GroupRef group = at(number);
    if (can_sleep()) count_sleep(group, now);
    for (unsigned vc = 0; vc < input_vcs(); ++vc) {
      for_each_bit(group.planes(layout_.losing)[vc],
                   [&](unsigned router) { count_losses(group, router, vc); });
      for_each_bit(group.planes(layout_.no_room)[vc],
                   [&](unsigned router) { count_stall_since(group, group.node(router), vc, now); });
    }
  }
  for (NodeId node = 0; node < nodes(); ++node) {
    for_each_bit(VcSet(router(node).asking()),
                 [&](unsigned vc) { count_stall_since(at(group_of(node)), node, vc, now); });
  }
  for_each_queued(0, groups_, [&](const GroupParts::QueuedFlit& flit) { count_queued(flit, now); });
  settled_ = now;
}

void RouterGroups::settle_stalls(Cycle now) {
  count_stalls(now);
  if (observed_stalls_ == nullptr) return;
  for_each_queued(0, groups_, [&](GroupParts::QueuedFlit& flit) { report_queued(flit, now); });
  const auto for_each_sleep = [&](auto visit) {
    for (Group group = 0; asleep_from_ != nullptr && group < groups_; ++group) {
      if (asleep_from_[group] == now) visit(at(group));
    }
  };
  for_each_sleep([&](GroupRef group) { end_observed_sleep(group, now); });
  for (NodeId node = 0; node < nodes(); ++node) settle_observed(node, waiting(node), now);
  for_each_sleep([&](GroupRef group) { observe_sleep(group); });
}

// --- Culprits ----------------------------------------------------------------------------------------------

RouterGroups::~RouterGroups() = default;

/// The flit at the front of an input VC is stalled in the cycles from `from` to before `end`.
void RouterGroups::begin_stall(GroupRef group, unsigned number, unsigned vc, const Front& front,
                               const GroupStalls::Reason& reason, Cycle from, Cycle end) {
  const bool active = (group.planes(layout_.active)[vc] >> number & 1) != 0;
  const GroupStalls::Channel channel =
      active ? GroupStalls::Channel{vc_info(front.output).port, vc_info(front.output).number}
             : GroupStalls::Channel{port_of_group(front.group)};
  observed_stalls_->begin(group.node(number), vc, reason, channel, from, end, [&] {
    const bool is_head = !active || (group.planes(layout_.head)[vc] >> number & 1) != 0;
    return GroupStalls::Flit{messages_[front.message].id,
                             is_head ? 0 : front.flits - flits_left(group, group.node(number), vc)};
  });
}

/// The head at the front of an input VC waits for an output VC in the present cycle.
void RouterGroups::note_wait_for_vc(NodeId node, unsigned vc, Cycle now) {
  note_wait_for_vc(node, vc, choice(front(node, vc).choice) & router(node).holds(), now);
}

/// The same because of these.
void RouterGroups::note_wait_for_vc(NodeId node, unsigned vc, const VcSet& taken, Cycle now) {
  const auto holder = observed_stalls_->holder(row(node, lowest_bit(taken)));
  std::optional<std::uint64_t> culprit;  // none: a VC that cannot be granted yet
  if (holder) culprit = messages_[*holder].id;
  begin_stall(node, vc, {.cause = cause_without_vc(node, vc), .culprit = culprit}, now);
}

/// A flit lacks a slot in the present cycle.
void RouterGroups::note_wait_for_room(GroupStalls::MissingSlot slot, Cycle now) {
  if (slot.name == 0) slot.output = front(slot.node, slot.vc).output;
  if (slot.output >= first_injection_vc()) {
    if (ejection_buffers_ != nullptr) {
      const FullBuffer& full = full_buffers_[ejection_row(slot.node, slot.output)];
      return begin_stall(slot.node, slot.vc, {.cause = full.cause, .culprit = full.culprit}, now);
    }
    // It lacks only time.
    return begin_stall(slot.node, slot.vc, {.cause = StallCause::ejection_busy, .culprit = {}}, now);
  }
  if (parts_ && slot.name == 0 &&
      (at(group_of(slot.node)).planes(layout_.head)[slot.vc] & plane_of(slot.node)) != 0) {
    // A head that was granted its VC by an early credit may have waited for this slot before.
    slot.name = (observed_stalls_->sent(row(slot.node, slot.output)) + 1) * kMaxInputVcs + slot.output;
  }
  begin_stall(slot.node, slot.vc,
              {.cause = StallCause::no_credit, .culprit = occupant(slot, now), .slot = slot.name}, now);
}

void RouterGroups::report() {
  if (observed_flits_ != nullptr) observed_flits_->begin_reports();
  if (observed_stalls_ != nullptr) {
    for (const GroupStalls::MissingSlot& slot : missing_slots_) note_wait_for_room(slot, now_);
    missing_slots_.clear();
    observed_stalls_->report(now_, [&](NodeId node) {
      if (observed_flits_ != nullptr) observed_flits_->report(node, now_);
    });
  }
  if (observed_flits_ != nullptr) observed_flits_->end_reports(now_);
}

/// Reports the stalls of a router up to (not including) cycle `now`; those of the input VCs `waiting` go on.
void RouterGroups::settle_observed(NodeId node, const VcSet& waiting, Cycle now) {
  for_each_bit(waiting, [&](unsigned vc) { observed_stalls_->end(node, vc, now); });
  observed_stalls_->report(node, now);
  observed_stalls_->forget_losses(node);
  for_each_bit(waiting, [&](unsigned vc) {
    if (front(node, vc).since >= now) return;
    const GroupRef group = at(group_of(node));
    if (is_active(group, node, vc)) return note_wait_for_room({.node = node, .vc = vc}, now);
    const VcSet free = choice(front(node, vc).choice) & ~VcSet(router(node).holds());
    if (!free.any()) return note_wait_for_vc(node, vc, now);
    if (full_ejection_vcs(node, vc).any())
      return note_wait_for_ejection_slot(node, vc, lowest_bit(free), now);
    // A head whose VC was freed requests again first.
    if (needs_packet_space_ && !with_required_slots(group, node % kGroupSize, vc, free).any()) {
      note_wait_for_room(missing_slot(node, vc, lowest_bit(free)), now);
    }
  });
}

/// The message whose flit was in a slot behind an output VC of a link, at the beginning of cycle `now`. None
/// if its credit was in flight.
std::optional<std::uint64_t> RouterGroups::occupant(const GroupStalls::MissingSlot& slot, Cycle now) const {
  const auto& [node, vc, output, beyond, name] = slot;
  const Cycle delay = delays_[delay_of(node, port_of_vc(output))];
  const Cycle sent_now = now + delay + credit_delay_;  // credits of this cycle are usable
  // Slots return in the order in which they were taken: those in flight first.
  auto ahead = static_cast<std::uint32_t>(beyond);
  const std::uint32_t returning = coming_credits(node, output, now, sent_now, ahead + 1);
  if (ahead < returning) return std::nullopt;
  ahead -= returning;
  // The flits behind it leave in the order of their slots.
  const NodeId behind = receiver(node, output);
  if (behind == kNoNode) {
    if (gets_credit(node, output, sent_now) && ahead-- == 0) return std::nullopt;
    const unsigned port = port_of_vc(output);
    return modules_->receiver(node, port)->occupant(output - first_vc(port), ahead);
  }
  if (gets_credit(node, output, sent_now)) {
    const auto tail = observed_stalls_->tail_of(row(behind, output), now);
    if (ahead == 0 && tail) return tail;
    if (ahead != 0) --ahead;
  }
  const Front& front = this->front(behind, output);
  const bool holds = is_active(at(group_of(behind)), behind, output) || router(behind).granted().has(output);
  if (holds || router(behind).asking().has(output) || is_routed(behind, output)) {
    const std::uint32_t left = holds ? flits_left(at(group_of(behind)), behind, output) : front.flits;
    if (ahead < left) return messages_[front.message].id;
    ahead -= left;
    for (std::uint32_t place = 0; place < front.waiting; ++place) {
      const MessageRecord& message = messages_[waiting_at(behind, output, front.first + place)];
      if (ahead < message.flits) return message.id;
      ahead -= message.flits;
    }
  }
  for (const MessageSlot coming : coming_heads(behind, output)) {
    if (ahead < messages_[coming].flits) return messages_[coming].id;
    ahead -= messages_[coming].flits;
  }
  throw std::logic_error("no flit is in a slot that is not free");
}

/// Slots behind an output VC that the sender gets in the cycles from `from` to before `end`, or `most` of
/// them.
std::uint32_t RouterGroups::coming_credits(NodeId node, unsigned output, Cycle from, Cycle end,
                                           std::uint32_t most) const {
  std::uint32_t credits = 0;
  for_each_coming(node, Event::credit, output, from, end, [&](Cycle) { return ++credits < most; });
  return credits;
}

std::vector<MessageSlot> RouterGroups::coming_heads(NodeId node, unsigned vc) const {
  // Those beyond the wheel can come before others, since heads wait in output queues.
  std::map<Cycle, MessageSlot> heads;
  for (Cycle cycle = now_ + 1; cycle < now_ + agenda_.wheel(); ++cycle) {
    for (const bool arrived : {false, true}) {
      for (const ComingHead& head : heads_at(cycle, group_of(node), arrived)) {
        if (head.vc == vc && head.router == node % kGroupSize) heads.emplace(cycle, head.message);
      }
    }
  }
  for (const auto& [cycle, events] : later_) {
    for (const LaterEvent& event : events) {
      const bool same =
          event.event == Event::head && event.group == group_of(node) && event.routers == plane_of(node);
      if (same && event.number == vc) heads.emplace(cycle, event.message);
    }
  }
  std::vector<MessageSlot> messages;
  for (const auto& [cycle, message] : heads) messages.push_back(message);
  return messages;
}

MessageSlot RouterGroups::coming_message(NodeId node, unsigned vc) const {
  const std::vector<MessageSlot> heads = coming_heads(node, vc);
  if (!heads.empty()) return heads.front();
  // Store-and-forward: a message whose tail has not been sent.
  if (const ExternalSender* const module = external_sender(node, vc); module != nullptr) {
    return module->last_message(vc - first_vc(port_of_vc(vc)));
  }
  if (vc >= first_injection_vc()) {
    const unsigned injector = (vc - first_injection_vc()) / shape().vcs_of_injector();
    return injecting_[injector_row(node, injector)].message;
  }
  const NodeId sender = senders_.nodes[link_row(node, port_of_vc(vc))];
  return front(sender, *holder(sender, vc)).message;
}

// --- Moves of flits ----------------------------------------------------------------------------------------

void RouterGroups::note_routed(NodeId node, unsigned vc, unsigned group, MessageSlot message) {
  observed_flits_->note(GroupFlits::Kind::routed, node, vc,
                        {.message = messages_[message].id, .port = port_of_group(group)});
}

void RouterGroups::note_granted(NodeId node, unsigned vc, unsigned output, MessageSlot message) {
  if (observed_stalls_ != nullptr) observed_stalls_->note_holder(row(node, output), message);
  if (observed_flits_ == nullptr) return;
  const unsigned port = port_of_vc(output);
  observed_flits_->note(GroupFlits::Kind::granted, node, vc,
                        {.message = messages_[message].id, .port = port, .vc = output - first_vc(port)});
}

void RouterGroups::note_moves(GroupRef group) {
  for_each_plane(moved_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
    for_each_bit(routers, [&](unsigned router) {
      if (has_queues() && parts_->queue_wait(router, vc) != 0) return;
      const NodeId node = group.node(router);
      const Front& front = this->front(node, vc);
      const unsigned port = port_of_vc(front.output);
      const std::uint32_t left = flits_left(group, node, vc);
      observed_flits_->note(GroupFlits::Kind::moved, node, vc,
                            {.message = messages_[front.message].id,
                             .index = front.flits - left,
                             .tail = left == 1,
                             .port = port,
                             .vc = front.output - first_vc(port)});
    });
  });
}

void RouterGroups::note_puts(GroupRef group, unsigned injector, Plane put) {
  for_each_bit(put, [&](unsigned router) {
    const NodeId node = group.node(router);
    const auto [slot, more] = injecting_[injector_row(node, injector)];
    const MessageRecord& message = messages_[slot];
    const std::uint32_t left = more + sliced::of(group.planes(layout_.to_put) + injector, left_bits_,
                                                 layout_.injector_words, router);
    observed_flits_->note(GroupFlits::Kind::injected, node, injector / shape().queues,
                          {.message = message.id, .index = message.flits - left - 1, .tail = left == 0});
  });
}

}  // namespace flitscope
