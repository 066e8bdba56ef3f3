// Buffers of machines with parts, as senders know them (early credits, shared buffers, stop and go), and
// output queues (docs/timing.md, "Router parts").
#include <algorithm>
#include <array>

#include "model/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

// --- Early credits -----------------------------------------------------------------------------------------

/// Begins a cycle of a group, before its events.
void RouterGroups::begin_parts(GroupRef group) {
  if (parts_->options.bypass) find_arriving(group);
  if (parts_->has_queues()) leave_queues(group);
  if (parts_->options.limits_room()) take_signals(group);
  if (parts_->options.early_credits) take_early_credits(group);
}

/// What trackers learn in a cycle.
void RouterGroups::take_early_credits(GroupRef group) {
  Plane* const events = group.words + events_now();
  Plane* const returned = events + numbers_.of(Event::early);
  const Plane late = parts_->track_outputs(group.number, returned, now_);
  std::fill_n(returned, layout_.vc_words, 0);
  if (late != 0) agenda_.wake(group.number, now_ + 1);
  // Of heads that wait for an empty VC.
  parts_->groups[group.number].lacking |= late;
  if (!parts_->tracks_puts()) return;
  Plane* const slots = events + numbers_.of(Event::slot);
  if (parts_->track_puts(group.number, slots, now_) != 0) agenda_.wake(group.number, now_ + 1);
}

/// Slots that flits leave now, as VC allocation of their senders learns of them; and flits that are sent.
void RouterGroups::post_early_credits(GroupRef group) {
  for (unsigned vc = 0; vc < first_injection_vc(); ++vc) {
    for_each_bit(moved_.planes()[vc], [&](unsigned router) {
      const unsigned port = port_of_vc(vc);
      const NodeId sender = senders_.nodes[link_row(group.node(router), port)];
      const Cycle delay = delays_[delay_of(sender, port)];
      post(in(delay + credit_delay_ - 1), group_of(sender), Event::early, vc, plane_of(sender));
    });
  }
  for (unsigned output = 0; output < input_vcs(); ++output) {
    const Plane sent = sent_.planes()[output];
    if (sent == 0) continue;
    parts_->outputs.note(group.number, output, sent, now_);
    if (output < first_injection_vc()) continue;
    // The node takes a flit in the cycle after it arrives.
    post(in(2 * link_delay_ + credit_delay_), group, Event::early, output, sent);
  }
}

/// A flit takes a slot behind an output VC of which only VC allocation knows yet.
void RouterGroups::use_coming_credit(GroupRef group, unsigned number, unsigned output) {
  const Plane plane = Plane{1} << number;
  Plane* const events = group.words + in(1).events;
  Plane& credits = events[numbers_.of(Event::credit) + output];
  const auto later = later_.find(now_ + 1);
  if ((credits & plane) != 0 || later == later_.end()) {
    credits &= ~plane;
  } else {
    for (LaterEvent& event : later->second) {
      if (event.group == group.number && event.event == Event::credit && event.number == output)
        event.routers &= ~plane;
    }
  }
  group.planes(layout_.room)[output] |= plane;
  sliced::set(group.planes(numbers_.slots) + output, layout_.vc_words, plane, 1);  // there was none
}

// --- Shared buffers, stop and go ---------------------------------------------------------------------------

/// What senders learn of the buffers behind links in a cycle.
void RouterGroups::take_signals(GroupRef group) {
  Plane* const events = group.words + events_now();
  const Plane* const credits = events + numbers_.of(Event::credit);
  Plane* const stops = events + numbers_.of(Event::stop);
  for (unsigned output = 0; output < first_injection_vc(); ++output) {
    if (parts_->shares_buffers()) parts_->changed_slots(group.number, port_of_vc(output)) |= credits[output];
    if (!parts_->stops_and_goes()) continue;
    const Plane come = std::exchange(stops[output], 0);
    for_each_bit(come | credits[output], [&](unsigned number) {
      const Plane plane = Plane{1} << number;
      std::int32_t& flits = parts_->signalled(group.node(number), output);
      flits += ((come & plane) != 0 ? 1 : 0) - ((credits[output] & plane) != 0 ? 1 : 0);
      Plane& goes = parts_->may_send(group.number, output);
      goes &= ~plane;
      if (static_cast<std::int64_t>(buffer()) - flits >= parts_->go_slots) goes |= plane;
    });
  }
}

/// Output VCs have room where their senders may send.
void RouterGroups::limit_room(GroupRef group) {
  for (unsigned port = 0; parts_->shares_buffers() && port < link_ports(); ++port) {
    const unsigned first = port * virtual_channels();
    for_each_bit(std::exchange(parts_->changed_slots(group.number, port), 0), [&](unsigned number) {
      const auto taken = [&](unsigned vc) { return link_buffer() - usable_slots(group, number, first + vc); };
      std::uint32_t shared = 0;
      for (unsigned vc = 0; vc < virtual_channels(); ++vc)
        shared += taken(vc) - std::min(taken(vc), parts_->options.buffer_reserve);
      const bool open = shared + parts_->shape.output_speedup <= parts_->pool;
      for (unsigned vc = 0; vc < virtual_channels(); ++vc) {
        const Plane plane = Plane{1} << number;
        Plane& goes = parts_->may_send(group.number, first + vc);
        goes &= ~plane;
        if (open || taken(vc) < parts_->options.buffer_reserve) goes |= plane;
      }
    });
  }
  Plane* const room = group.planes(layout_.room);
  for (unsigned output = 0; output < first_injection_vc(); ++output)
    room[output] = parts_->may_send(group.number, output);
}

/// Flits are sent by links.
void RouterGroups::note_sent_flits(GroupRef group) {
  const Plane* const sent = sent_.planes();
  for (unsigned output = 0; output < first_injection_vc(); ++output) {
    if (sent[output] == 0) continue;
    const unsigned port = port_of_vc(output);
    if (parts_->shares_buffers()) parts_->changed_slots(group.number, port) |= sent[output];
    if (!parts_->stops_and_goes()) continue;
    for_each_bit(sent[output], [&](unsigned number) {
      const Cycle delay = delays_[delay_of(group.node(number), port)];
      post(in(MachineConfig::stop_delay(delay, credit_delay_)), group, Event::stop, output,
           Plane{1} << number);
    });
  }
}

std::uint32_t RouterGroups::slots_for_grant(GroupRef group, unsigned number, unsigned output,
                                            std::uint32_t required) const {
  const std::uint32_t usable = usable_slots(group, number, output);
  const bool open =
      !parts_ || !parts_->options.limits_room() || (group.planes(layout_.room)[output] >> number & 1) != 0;
  return open ? usable : std::min(usable, required - 1);
}

/// Whether the signal of the next cycle, or one on its way to the sender of a link, says go.
bool RouterGroups::will_go(NodeId node, unsigned output) const {
  std::map<Cycle, std::int64_t> changes{{now_ + 1, 0}};
  for_each_coming(node, Event::credit, output, [&](Cycle cycle) { --changes[cycle]; });
  for_each_coming(node, Event::stop, output, [&](Cycle cycle) { ++changes[cycle]; });
  std::int64_t flits = parts_->signalled(node, output);
  return std::ranges::any_of(changes, [&](const auto& change) {
    flits += change.second;
    return std::int64_t{buffer()} - flits >= std::int64_t{parts_->go_slots};
  });
}

VcSet RouterGroups::blocking_inputs(NodeId node, unsigned output, std::uint32_t flits) const {
  if (output >= first_injection_vc() || receiver(node, output) == kNoNode) return {};
  if (!parts_ || !parts_->options.limits_room() || flits > 1)
    return free_slots(node, output) < flits ? VcSet::of(output) : VcSet();
  if (parts_->stops_and_goes()) return will_go(node, output) ? VcSet() : VcSet::of(output);
  const auto taken = [&](unsigned vc) { return link_buffer() - free_slots(node, vc); };
  if (taken(output) < parts_->options.buffer_reserve) return {};
  VcSet inputs = VcSet::of(output);
  std::uint32_t shared = 0;
  for_each_of_port(output, [&](unsigned vc) {
    if (taken(vc) <= parts_->options.buffer_reserve) return;
    shared += taken(vc) - parts_->options.buffer_reserve;
    inputs.add(vc);
  });
  return shared + parts_->shape.output_speedup <= parts_->pool ? VcSet() : inputs;
}

// --- Output queues -----------------------------------------------------------------------------------------

/// Flits that win the switch enter the queues of their output ports.
void RouterGroups::enter_queues(GroupRef group, unsigned number, const VcSet& moved) {
  const NodeId node = group.node(number);
  std::array<std::uint8_t, kMaxInputVcs> input_of;  // by output of the switch
  VcSet outputs;
  for_each_bit(moved, [&](unsigned vc) {
    const unsigned to = parts_->shape.output_of(port_of_vc(front(node, vc).output), vc);
    input_of[to] = static_cast<std::uint8_t>(vc);
    outputs.add(to);
  });
  for_each_bit(outputs, [&](unsigned to) {
    const unsigned vc = input_of[to];
    const Front& front = this->front(node, vc);
    const unsigned port = port_of_vc(front.output);
    LinkInterval& queue = intervals_[port_row(node, port)];
    const Cycle leaves = std::max(now_, queue.free_from);
    parts_->queue_wait(number, vc) = static_cast<std::uint32_t>(leaves - now_);
    if (leaves != now_) {
      ++parts_->queued_flits(node, port);
      const std::uint32_t left = flits_left(group, node, vc);
      parts_->groups[group.number].queued[leaves].push_back(
          {.from = now_,
           .node = node,
           .input = static_cast<std::uint8_t>(vc),
           .output = static_cast<std::uint8_t>(front.output),
           .message = front.message,
           .index = front.flits - left,
           .tail = left == 1,
           .culprit = queue.last_message});
      agenda_.wake_at(group.number, leaves, now_);
    }
    queue.take(leaves, messages_[front.message].id);
    if (!parts_->can_queue(node, port)) group.planes(numbers_.busy)[port] |= Plane{1} << number;
  });
}

/// Flits leave by links, after they have left the queues.
void RouterGroups::post_queued_arrivals(GroupRef group) {
  for_each_plane(moved_.data(), input_vcs(), [&](unsigned vc, Plane routers) {
    for_each_bit(routers, [&](unsigned number) {
      const NodeId node = group.node(number);
      const unsigned output = router(group, number).front(vc).output;
      if (output >= first_injection_vc()) return;
      const unsigned port = port_of_vc(output);
      const NodeId receiver = receivers_.nodes[link_row(node, port)];
      const Cycle delay = delays_[delay_of(node, port)] + router_delay_ + parts_->queue_wait(number, vc);
      post(in(delay), group_of(receiver), Event::arrival, output, plane_of(receiver));
    });
  });
}

/// Flits leave the queues in this cycle.
void RouterGroups::leave_queues(GroupRef group) {
  auto& queued = parts_->groups[group.number].queued;
  if (queued.empty() || queued.begin()->first != now_) return;
  for (GroupParts::QueuedFlit& flit : queued.begin()->second) {
    const unsigned port = port_of_vc(flit.output);
    --parts_->queued_flits(flit.node, port);
    count_queued(flit, now_);
    report_queued(flit, now_);
    if (observed_flits_ == nullptr) continue;
    observed_flits_->note(GroupFlits::Kind::moved, flit.node, flit.input,
                          {.message = messages_[flit.message].id,
                           .index = flit.index,
                           .tail = flit.tail,
                           .port = port,
                           .vc = flit.output - first_vc(port)});
  }
  queued.erase(queued.begin());
}

/// Counts the stall of a flit in a queue, up to (not including) cycle `end`.
void RouterGroups::count_queued(const GroupParts::QueuedFlit& flit, Cycle end) {
  const Cycle from = std::max(flit.from, settled_);
  if (from >= end) return;
  count_stall(flit.node, port_of_vc(flit.output), messages_[flit.message], flit.index == 0,
              StallCause::switch_lost, end - from);
}

/// Reports it, likewise.
void RouterGroups::report_queued(GroupParts::QueuedFlit& flit, Cycle end) {
  if (observed_stalls_ == nullptr || flit.from >= end) return;
  const unsigned port = port_of_vc(flit.output);
  observed_stalls_->add({.from = flit.from,
                         .cycles = end - flit.from,
                         .node = flit.node,
                         .input_vc = flit.input,
                         .cause = StallCause::switch_lost,
                         .port = port,
                         .vc = flit.output - first_vc(port),
                         .message = messages_[flit.message].id,
                         .index = flit.index,
                         .culprit = flit.culprit});
  flit.from = end;
}

}  // namespace flitscope
