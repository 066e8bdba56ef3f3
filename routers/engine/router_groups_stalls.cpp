// Stalls of routers that are stepped together: counted, and reported with their culprits; moves of flits.
#include "routers/engine/group_stalls.h"

#include <algorithm>

#include "routers/engine/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

// --- Counters ----------------------------------------------------------------------------------------------

/// Counts cycles from `from` to before `end`.
void RouterGroups::count_stall(GroupRef group, NodeId node, unsigned vc, StallCause cause, Cycle from,
                               Cycle end) {
  const RouterRef router = this->router(node);
  const Front& front = router.front(vc);
  stalls_[static_cast<unsigned>(cause)] += end - from;
  const bool active = (group.planes(layout_.active)[vc] & plane_of(node)) != 0;
  const unsigned port = active ? port_of_vc(front.output) : front.group;
  router.counts(port).stalled += end - from;
  if (!active || (group.planes(layout_.head)[vc] & plane_of(node)) != 0) {
    messages_[front.message].head_stalls[static_cast<unsigned>(cause)] += end - from;
  }
  if (counter_ != nullptr) counter_->count(node, port, cause, from, end);
}

/// Counts the cycles before `now` in which flits of the message at the front lost the switch.
void RouterGroups::count_losses(GroupRef group, unsigned router, unsigned vc, Cycle now) {
  Plane* const lost = group.planes(layout_.lost) + vc;
  const unsigned stride = shape_.vc_quads() * 4;
  const unsigned cycles = sliced::of(lost, kLostBits, stride, router);
  if (cycles == 0) return;
  for (unsigned i = 0; i < kLostBits; ++i) lost[i * stride] &= ~(Plane{1} << router);
  count_stall(group, group.node(router), vc, StallCause::switch_lost, now - cycles, now);
}

/// Counts the present stall of a flit that waits for a VC or for room, up to (not including) cycle `end`.
void RouterGroups::count_stall_since(GroupRef group, NodeId node, unsigned vc, Cycle end) {
  const Front& front = this->front(node, vc);
  const Cycle from = std::max(front.since, settled_);
  if (from >= end) return;
  const bool active = (group.planes(layout_.active)[vc] & plane_of(node)) != 0;
  const StallCause with_vc =
      front.output < first_injection_vc() ? StallCause::no_credit : StallCause::ejection_busy;
  count_stall(group, node, vc, active ? with_vc : cause_without_vc(front), from, end);
}

void RouterGroups::settle_stalls(Cycle now) {
  count_past_stalls(now);
  for (NodeId node = 0; node < nodes(); ++node) {
    const std::uint64_t waiting = this->waiting(node);
    for_each_bit(waiting, [&](unsigned vc) { count_stall_since(at(group_of(node)), node, vc, now); });
    if (observed_stalls_ != nullptr) settle_observed(node, waiting, now);
  }
  settled_ = now;
}

void RouterGroups::count_past_stalls(Cycle now) {
  for (NodeId node = 0; node < nodes(); ++node) {
    for (unsigned vc = 0; vc < input_vcs(); ++vc) count_losses(at(group_of(node)), node % kRouters, vc, now);
  }
}

// --- Culprits ----------------------------------------------------------------------------------------------

RouterGroups::~RouterGroups() = default;

/// The flit at the front of an input VC is stalled from cycle `from` on.
void RouterGroups::begin_stall(NodeId node, unsigned vc, StallCause cause,
                               std::optional<std::uint64_t> culprit, Cycle from) {
  const GroupRef group = at(group_of(node));
  const Front& front = this->front(node, vc);
  const MessageRecord& message = messages_[front.message];
  FlitStall stall{.from = from,
                  .cycles = 0,
                  .node = node,
                  .input_vc = vc,
                  .cause = cause,
                  .port = front.group,
                  .vc = {},
                  .message = message.id,
                  .index = 0,
                  .culprit = culprit};
  if (is_active(group, node, vc)) {
    stall.port = port_of_vc(front.output);
    stall.vc = front.output - first_vc(stall.port);
    stall.index = message.flits - flits_left(group, node, vc);
  }
  observed_stalls_->begin(stall);
}

/// The head at the front of an input VC waits for an output VC in the present cycle.
void RouterGroups::note_wait_for_vc(NodeId node, unsigned vc, Cycle now) {
  const RouterRef router = this->router(node);
  const Front& front = router.front(vc);
  const auto holder = this->holder(node, lowest_bit(choice(front.choice) & router.header().holds));
  observed_stalls_->end(node, vc, now, now);
  std::optional<std::uint64_t> culprit;  // none: a VC that cannot be granted yet
  if (holder) culprit = messages_[router.front(*holder).message].id;
  begin_stall(node, vc, cause_without_vc(front), culprit, now);
}

void RouterGroups::note_wait_for_room(NodeId node, unsigned vc, Cycle now) {
  const unsigned output = front(node, vc).output;
  // An ejection channel lacks only time.
  if (output >= first_injection_vc()) return begin_stall(node, vc, StallCause::ejection_busy, {}, now);
  begin_stall(node, vc, StallCause::no_credit, occupant(node, output, now), now);
}

void RouterGroups::report() {
  if (observed_flits_ != nullptr) observed_flits_->begin_reports();
  if (observed_stalls_ != nullptr) {
    for (const auto& [node, vc] : observed_stalls_->take_without_room()) note_wait_for_room(node, vc, now_);
    observed_stalls_->report(now_, [&](NodeId node) {
      if (observed_flits_ != nullptr) observed_flits_->report(node, now_);
    });
  }
  if (observed_flits_ != nullptr) observed_flits_->end_reports(now_);
}

/// Reports the stalls of a router up to (not including) cycle `now`; those of the input VCs `waiting` go on.
void RouterGroups::settle_observed(NodeId node, std::uint64_t waiting, Cycle now) {
  for_each_bit(waiting, [&](unsigned vc) { observed_stalls_->end(node, vc, now, now); });
  observed_stalls_->report(node, now);
  for_each_bit(waiting, [&](unsigned vc) {
    if (front(node, vc).since >= now) return;
    if (is_active(at(group_of(node)), node, vc)) return note_wait_for_room(node, vc, now);
    // A head whose VC was freed requests again first.
    const bool is_held = (choice(front(node, vc).choice) & ~router(node).header().holds) == 0;
    if (is_held) note_wait_for_vc(node, vc, now);
  });
}

/// The message whose flit was in the next slot behind an output VC of a link, at the beginning of cycle
/// `now`. None if its credit was in flight. Requires that no slot is usable.
std::optional<std::uint64_t> RouterGroups::occupant(NodeId node, unsigned output, Cycle now) const {
  const Cycle delay = delays_[delay_of(node, port_of_vc(output))];
  const Cycle sent_now = now + delay + credit_delay_;  // credits of this cycle are usable
  for (Cycle cycle = now; cycle < sent_now; ++cycle) {
    if (gets_credit(node, output, cycle)) return std::nullopt;
  }
  // The flits behind it leave in the order of their slots.
  const NodeId behind = receiver(node, output);
  if (gets_credit(node, output, sent_now)) {
    if (const auto tail = observed_stalls_->tail_of(row(behind, output), now)) return tail;
  }
  const RouterHeader& header = router(behind).header();
  const bool some = is_active(at(group_of(behind)), behind, output) ||
                    ((header.asking | header.granted) & bit(output)) != 0;
  if (some) return messages_[front(behind, output).message].id;
  return messages_[next_head(behind, output)].id;
}

/// Whether the sender gets a slot behind an output VC in a coming cycle.
bool RouterGroups::gets_credit(NodeId node, unsigned output, Cycle cycle) const {
  const GroupRef group = at(group_of(node));
  const Plane router = plane_of(node);
  const unsigned credit = numbers_.event[static_cast<unsigned>(Event::credit)] + output;
  if (cycle < now_ + agenda_.wheel()) {
    const auto slot = static_cast<unsigned>(agenda_.slot(cycle));
    const Plane* const events = group.planes(numbers_.events + slot * numbers_.events_of_cycle);
    if ((events[credit] & router) != 0) return true;
  }
  const auto later = later_.find(cycle);
  if (later == later_.end()) return false;
  return std::ranges::any_of(later->second.events, [&](const LaterEvent& event) {
    return event.group == group.number && event.event == Event::credit && event.number == output &&
           (event.routers & router) != 0;
  });
}

/// The first of the heads on their way to an input VC. Requires that there is one.
MessageSlot RouterGroups::next_head(NodeId node, unsigned vc) const {
  for (Cycle cycle = now_ + 1; cycle < now_ + agenda_.wheel(); ++cycle) {
    for (const bool arrived : {false, true}) {
      for (const ComingHead& head : heads_at(cycle, group_of(node), arrived)) {
        if (head.vc == vc && head.router == node % kRouters) return head.message;
      }
    }
  }
  for (const auto& [cycle, later] : later_) {
    for (const auto& [to, head] : later.heads) {
      if (to == node && head.vc == vc) return head.message;
    }
  }
  throw std::logic_error("no head comes to a full buffer");
}

// --- Moves of flits ----------------------------------------------------------------------------------------

void RouterGroups::note_routed(NodeId node, unsigned vc, unsigned group, MessageSlot message) {
  observed_flits_->note_routed(node, vc, group, messages_[message].id);
}

void RouterGroups::note_granted(NodeId node, unsigned vc, unsigned output, MessageSlot message) {
  const unsigned port = port_of_vc(output);
  observed_flits_->note_granted(node, vc, port, output - first_vc(port), messages_[message].id);
}

void RouterGroups::note_moved(GroupRef group, NodeId node, unsigned vc) {
  const Front& front = this->front(node, vc);
  const unsigned port = port_of_vc(front.output);
  const std::uint32_t left = flits_left(group, node, vc);
  observed_flits_->note_moved(node, vc, port, front.output - first_vc(port), messages_[front.message].id,
                              front.flits - left, left == 1);
}

void RouterGroups::note_injected(GroupRef group, NodeId node, unsigned channel) {
  const Injecting& injecting = injecting_[std::size_t{node} * channels() + channel];
  const MessageRecord& message = messages_[injecting.message];
  const std::uint32_t left = injecting.more + sliced::of(group.planes(layout_.to_put) + channel, left_bits_,
                                                         shape_.channel_quads() * 4, node % kRouters);
  observed_flits_->note_injected(node, channel, message.id, message.flits - left - 1, left == 0);
}

}  // namespace flitscope
