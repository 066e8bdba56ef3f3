// Allocation by parts, router by router (docs/timing.md, "Router parts").
#include <algorithm>
#include <array>

#include "model/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

// --- Stage 4: VC allocation --------------------------------------------------------------------------------

void RouterGroups::request_after(GroupRef group, unsigned number, unsigned vc, Cycle delay) {
  parts_->routers[group.node(number)].routing |= bit(vc);
  post(in(delay), group, Event::route, vc, Plane{1} << number);
}

/// Routers with heads that lack slots, or whose RouterParts::routing_delay is over.
Plane RouterGroups::take_askers(GroupRef group) {
  Plane askers = std::exchange(parts_->groups[group.number].lacking, 0);
  if (parts_->options.routing_delay == 0) return askers;
  for_each_event(group, Event::route, [&](unsigned number, unsigned vc) {
    const NodeId node = group.node(number);
    askers |= Plane{1} << number;
    parts_->routers[node].routing &= ~bit(vc);
    router(node).header().asking |= bit(vc);
    front(node, vc).since = now_;
  });
  return askers;
}

/// The output VCs that a head requests; routers with parts have up to 64.
std::uint64_t RouterGroups::first_choice(unsigned number) const {
  return choice<VcSetOf<1>>(number, 1).word(0);
}

/// Output VCs that can be granted.
std::uint64_t RouterGroups::eligible(GroupRef group, unsigned number) const {
  const GroupParts::Router& known = parts_->routers[group.node(number)];
  std::uint64_t free = ~router(group, number).header().holds;
  if (!parts_->needs_slots()) return free;
  if (parts_->allocates_late()) {  // a flit leaves with the grant
    for (unsigned output = first_injection_vc(); output < input_vcs(); ++output) {
      if ((group.planes(layout_.room)[output] >> number & 1) == 0) free &= ~bit(output);
    }
  }
  const bool atomic = parts_->vc_allocation == VcAllocation::atomic;
  if (parts_->options.early_credits) return free & (atomic ? known.empty : known.with_slot);
  std::uint64_t result = free >> first_injection_vc() << first_injection_vc();
  for_each_bit(free & (bit(first_injection_vc()) - 1), [&](unsigned output) {
    const bool some = (group.planes(layout_.room)[output] >> number & 1) != 0;
    const bool enough = !atomic || usable_slots(group, number, output) == link_buffer();
    if (some && enough) result |= bit(output);
  });
  return result;
}

void RouterGroups::allocate_vcs_by_parts(GroupRef group, unsigned number) {
  const NodeId node = group.node(number);
  const RouterBlock router = this->router(node);
  RouterBlock::Header& header = router.header();
  header.awaited = 0;
  parts_->routers[node].asked = header.asking;
  parts_->routers[node].able = 0;
  if (header.asking == 0) return;
  const std::uint64_t eligible = this->eligible(group, number);
  const std::uint64_t hopeful = selector_ ? select_candidates(group, number, VcSet(eligible)).word(0) : 0;
  std::array<VcRequest, kMaxInputVcsOfParts> requests;
  std::size_t count = 0;
  for_each_bit(header.asking, [&](unsigned vc) {
    const Front& front = router.front(vc);
    const bool link = front.group < link_ports();
    const std::uint64_t admissible = first_choice(front.choice);
    const std::uint64_t possible = admissible & eligible;
    requests[count++] = {
        .input = static_cast<std::uint8_t>(vc),
        .group = static_cast<std::uint8_t>(front.group),
        .vc_class = static_cast<std::uint8_t>(
            link ? front.choice - link_choice(front.group, 0, messages_[front.message].message_class) : 0),
        .admissible = admissible,
        .held = admissible & header.holds,
        .eligible = requires_room_by_head() ? with_required_slots(group, number, vc, VcSet(possible)).word(0)
                                            : possible,
        .priority = priority_of(vc),
    };
  });
  const std::span<VcRequest> all(requests.data(), count);
  if (parts_->options.arbiter == Arbiter::age) {
    std::array<std::uint8_t, kMaxInputVcsOfParts> ranks;
    find_ranks(node, header.asking, ranks);
    for (VcRequest& request : all) request.rank = ranks[request.input];
  }
  if (observed_flits_ != nullptr) {
    for (const VcRequest& request : all) {
      const Front& front = router.front(request.input);
      if (front.since == now_) note_routed(node, request.input, request.group, front.message);
    }
  }
  parts_->vc_allocator->allocate(parts_->vc_state(node), all);
  bool granted = false;
  for (const VcRequest& request : all) {
    if (request.output == VcRequest::kNoVc) continue;
    grant_by_parts(group, number, request);
    granted = true;
  }
  for (const VcRequest& request : all) {
    if (parts_->allocates_late() && request.eligible != 0) {
      parts_->routers[node].able |= bit(request.input);
      header.awaited |= request.admissible;
    } else if (request.output == VcRequest::kNoVc) {
      refuse_by_parts(group, number, request);
    }
  }
  if (header.asking == 0) return;
  if (selector_) header.awaited = ~std::uint64_t{0};
  const Plane plane = Plane{1} << number;
  if (selector_ && needs_packet_space_) parts_->groups[group.number].lacking |= plane;
  // Heads that speculate ask for the switch in every cycle; a grant can change why others wait.
  if (parts_->options.speculates() || (hopeful & header.asking) != 0 || (requires_room_by_head() && granted))
    *group.planes(layout_.retry) |= plane;
}

void RouterGroups::grant_by_parts(GroupRef group, unsigned number, const VcRequest& request) {
  const NodeId node = group.node(number);
  const unsigned vc = request.input;
  RouterBlock::Header& header = router(node).header();
  Front& front = this->front(node, vc);
  if (front.since < now_) count_stall_since(group, node, vc, now_);
  if (observed_stalls_ != nullptr) observed_stalls_->end(node, vc, now_);
  header.asking &= ~bit(vc);
  header.holds |= bit(request.output);
  const std::uint32_t counted = std::min(front.flits, kMostLeft);
  front.output = request.output;
  front.more = front.flits - counted;
  if (selector_ && front.output < first_injection_vc()) {
    selector_->note_grant(row(node, vc), port_of_vc(front.output));
  }
  note_granted(node, vc, front.output, front.message);
  const Plane plane = Plane{1} << number;
  group.planes(layout_.head)[vc] |= plane;
  sliced::set(group.planes(layout_.left) + vc, layout_.vc_words, plane, counted);
  if (parts_->options.speculates()) {
    router(node).granted().add(vc);
    parts_->routers[node].fresh |= bit(vc);
  } else if (vc_delay_ != 0) {
    router(node).granted().add(vc);
    post(after_grant_, group, Event::hold, vc, plane);
  } else {
    hold(group, number, vc, request.output, layout_);
  }
}

void RouterGroups::refuse_by_parts(GroupRef group, unsigned number, const VcRequest& request) {
  const NodeId node = group.node(number);
  const unsigned vc = request.input;
  const Plane plane = Plane{1} << number;
  router(node).header().awaited |= request.admissible;
  if (request.eligible != 0) *group.planes(layout_.retry) |= plane;
  if (request.without_slots != 0) parts_->groups[group.number].lacking |= plane;
  fail_request(group, node, vc, VcSet(request.taken), VcSet(request.without_slots));
}

// --- Stage 5: switch allocation ----------------------------------------------------------------------------

/// Whether a head that is granted an output VC now can leave by it now.
bool RouterGroups::has_slot(GroupRef group, unsigned number, unsigned output) const {
  if (is_busy(group, number, port_of_vc(output))) return false;
  const bool link = output < first_injection_vc();
  if (link && parts_->options.early_credits)
    return (parts_->routers[group.node(number)].with_slot & bit(output)) != 0;
  return (group.planes(layout_.room)[output] >> number & 1) != 0;
}

/// Allocates the switch of each router with candidates or with heads that speculate. Returns whether there
/// are flits that take part and have an output VC now.
bool RouterGroups::allocate_switch_by_parts(GroupRef group) {
  const Plane* const candidates = candidates_.planes();
  Plane any = 0;
  for (unsigned vc = 0; vc < input_vcs(); ++vc) any |= candidates[vc];
  std::fill_n(picked_.planes(), input_vcs(), 0);
  std::fill_n(sent_.planes(), input_vcs(), 0);
  const Plane askers = parts_->options.speculates() ? parts_->groups[group.number].askers : 0;
  Plane arriving = 0;  // such flits may take the bypass, or end its use
  for (unsigned vc = 0; parts_->options.bypass && vc < input_vcs(); ++vc) arriving |= parts_->arriving[vc];
  bool some = any != 0;
  for_each_bit(any | askers | arriving, [&](unsigned number) {
    const NodeId node = group.node(number);
    const RouterBlock router = this->router(node);
    GroupParts::Router& known = parts_->routers[node];
    const Plane plane = Plane{1} << number;
    std::array<std::uint8_t, kMaxInputVcsOfParts> ports;
    std::array<std::uint8_t, kMaxInputVcsOfParts> ranks;
    SwitchRequests requests{.ports = ports, .ranks = ranks, .priorities = find_priorities(group, number)};
    for (unsigned vc = 0; vc < input_vcs(); ++vc) {
      if ((candidates[vc] & plane) == 0) continue;
      requests.flits |= bit(vc);
      ports[vc] = static_cast<std::uint8_t>(port_of_vc(router.front(vc).output));
    }
    if ((askers & plane) != 0) requests.speculative = known.asked;
    for_each_bit(requests.speculative, [&](unsigned vc) {
      const Front& front = router.front(vc);
      const bool granted = (known.fresh & bit(vc)) != 0;
      if (granted && has_slot(group, number, front.output)) requests.valid |= bit(vc);
      ports[vc] = static_cast<std::uint8_t>(
          port_of_vc(granted ? front.output : lowest_bit(first_choice(front.choice))));
    });
    if (parts_->options.arbiter == Arbiter::age)
      find_ranks(node, requests.flits | requests.speculative, ranks);
    const SwitchGrants grants = parts_->allocates_late() ? allocate_late(group, number, requests, ports)
                                                         : match_switch(group, number, requests);
    if (parts_->options.hold) {
      known.kept = 0;
      known.kept_in = now_ + 1;
      for_each_bit(grants.moved, [&](unsigned vc) {
        if (flits_left(group, node, vc) != 1) known.kept |= bit(vc);
      });
    }
    for_each_bit(grants.picked, [&](unsigned vc) { picked_.planes()[vc] |= plane; });
    some |= known.fresh != 0;
    hold_fresh(group, number);
    if (parts_->has_queues()) enter_queues(group, number, grants.moved);
    for_each_bit(grants.moved, [&](unsigned vc) {
      const unsigned output = router.front(vc).output;
      moved_.planes()[vc] |= plane;
      sent_.planes()[output] |= plane;
      if ((group.planes(layout_.room)[output] & plane) == 0) use_coming_credit(group, number, output);
    });
  });
  if (parts_->options.limits_room()) note_sent_flits(group);
  if (parts_->options.early_credits) post_early_credits(group);
  return some;
}

/// Allocates the switch; VCs that keep it win (RouterParts::hold).
SwitchGrants RouterGroups::match_switch(GroupRef group, unsigned number, SwitchRequests requests) {
  const NodeId node = group.node(number);
  const GroupParts::Router& known = parts_->routers[node];
  std::array<std::uint8_t, kMaxInputVcsOfParts> outputs_of_switch;
  if (parts_->shape.output_speedup != 1) {
    for_each_bit(requests.flits | requests.speculative, [&](unsigned vc) {
      outputs_of_switch[vc] = static_cast<std::uint8_t>(parts_->shape.output_of(requests.ports[vc], vc));
    });
    requests.ports = outputs_of_switch;
  }
  const std::uint64_t kept = known.kept_in == now_ ? known.kept & requests.flits : 0;
  if (kept != 0) {
    std::uint64_t outputs = 0;
    std::uint64_t blocked = 0;
    for_each_bit(kept, [&](unsigned vc) {
      outputs |= bit(requests.ports[vc]);
      blocked |= parts_->sharing_input(vc);
    });
    for_each_bit(requests.flits | requests.speculative, [&](unsigned vc) {
      if ((outputs & bit(requests.ports[vc])) != 0) blocked |= bit(vc);
    });
    requests.flits &= ~blocked;
    requests.speculative &= ~blocked;
    requests.valid &= ~blocked;
  }
  SwitchGrants grants = parts_->switch_allocator->allocate(parts_->switch_state(node), requests);
  grants.moved |= kept;
  grants.picked |= kept;
  return grants;
}

/// Of messages at the front of some input VCs, how many of these are older.
void RouterGroups::find_ranks(NodeId node, std::uint64_t vcs, std::span<std::uint8_t> ranks) const {
  const auto age = [&](unsigned vc) {
    const MessageRecord& message = messages_[front(node, vc).message];
    return std::pair(message.ready, message.id);
  };
  for_each_bit(vcs, [&](unsigned vc) {
    unsigned older = 0;
    for_each_bit(vcs, [&](unsigned other) { older += age(other) < age(vc) ? 1 : 0; });
    ranks[vc] = static_cast<std::uint8_t>(older);
  });
}

/// Allocates the switch, and output VCs to heads that win it (VcAllocator::switch_winner).
SwitchGrants RouterGroups::allocate_late(GroupRef group, unsigned number, SwitchRequests requests,
                                         std::span<std::uint8_t> ports) {
  const NodeId node = group.node(number);
  requests.valid = requests.speculative & parts_->routers[node].able;
  const std::uint64_t eligible = this->eligible(group, number);
  for_each_bit(requests.valid, [&](unsigned vc) {
    ports[vc] =
        static_cast<std::uint8_t>(port_of_vc(lowest_bit(first_choice(front(node, vc).choice) & eligible)));
  });
  const std::uint64_t able = requests.valid;
  for_each_bit(able, [&](unsigned vc) {
    if (is_busy(group, number, ports[vc])) requests.valid &= ~bit(vc);
  });
  if (!parts_->heads_come_last()) {
    requests.flits |= requests.valid;
    requests.speculative = 0;
  }
  std::uint64_t arriving = 0;
  for (unsigned vc = 0; parts_->options.bypass && vc < input_vcs(); ++vc) {
    if ((parts_->arriving[vc] >> number & 1) != 0) arriving |= bit(vc);
  }
  SwitchRequests buffered = requests;
  buffered.flits &= ~arriving;
  buffered.speculative &= ~arriving;
  SwitchGrants grants = match_switch(group, number, buffered);
  for_each_bit(grants.moved & requests.valid,
               [&](unsigned vc) { grant_to_winner(group, number, vc, ports[vc]); });
  if (arriving != 0) {
    requests.flits &= arriving;
    requests.speculative &= arriving;
    grants.moved |=
        take_bypass(group, number, requests, buffered.flits | buffered.speculative, grants.outputs);
  }
  for_each_bit(able & ~grants.moved, [&](unsigned vc) {
    wait_because(group, node, vc, StallCause::switch_lost);
    if (shape().priorities && (requests.valid & bit(vc)) != 0) count_loss_for_rank(group, number, vc);
    if (observed_stalls_ == nullptr) return;
    if (parts_->heads_come_last() || (requests.valid & bit(vc)) != 0)
      return note_losing_head(node, vc, ports[vc], grants);
    begin_stall(node, vc, busy_port(node, ports[vc]), now_);
  });
  return grants;
}

/// A head that has won the switch is granted an output VC of a port.
void RouterGroups::grant_to_winner(GroupRef group, unsigned number, unsigned vc, unsigned port) {
  const NodeId node = group.node(number);
  const std::uint64_t eligible = this->eligible(group, number) & first_choice(front(node, vc).choice);
  const unsigned output = parts_->winner_vcs.grant(parts_->winner_state(node), port, eligible);
  grant_by_parts(group, number,
                 {.input = static_cast<std::uint8_t>(vc), .output = static_cast<std::uint8_t>(output)});
}

/// The flits that are usable for the first time, alone in their buffer.
void RouterGroups::find_arriving(GroupRef group) {
  const Plane* const arrivals = group.words + events_now() + numbers_.of(Event::arrival);
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    parts_->arriving[vc] = arrivals[vc] & ~group.planes(layout_.ready)[vc];
  }
}

/// Arriving flits leave by the bypass, of `fast`, through output ports at which no other has won. The input
/// VCs `slow` take part in switch allocation. Returns those that leave.
std::uint64_t RouterGroups::take_bypass(GroupRef group, unsigned number, const SwitchRequests& fast,
                                        std::uint64_t slow, std::uint64_t taken_outputs) {
  const NodeId node = group.node(number);
  const auto is_arriving = [&](unsigned vc) { return (parts_->arriving[vc] >> number & 1) != 0; };
  const auto bits_of_port = [&](unsigned vc) {
    return lowest_bits(vc_info(vc).vcs_of_port) << vc_info(vc).first;
  };
  std::uint64_t& bypass = parts_->routers[node].bypass;
  std::uint64_t asking = 0;
  std::uint64_t once = 0;  // output ports
  std::uint64_t twice = 0;
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    if (!is_arriving(vc) || (slow & bits_of_port(vc)) != 0) continue;
    const bool goes_on = (bypass & bits_of_port(vc)) != 0;
    if (((goes_on ? bypass & fast.flits : fast.speculative) & bit(vc)) == 0) continue;
    asking |= bit(vc);
    twice |= once & bit(fast.ports[vc]);
    once |= bit(fast.ports[vc]);
  }
  std::uint64_t moved = 0;
  for_each_bit(asking & (fast.flits | fast.valid), [&](unsigned vc) {
    if (((twice | taken_outputs) >> fast.ports[vc] & 1) != 0) return;
    if ((fast.valid & bit(vc)) != 0) grant_to_winner(group, number, vc, fast.ports[vc]);
    moved |= bit(vc);
  });
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    if (!is_arriving(vc) || (bypass & bits_of_port(vc) & ~bit(vc)) != 0) continue;
    bypass &= ~bit(vc);
    if ((moved & bit(vc)) != 0 && flits_left(group, node, vc) != 1) bypass |= bit(vc);
  }
  return moved;
}

/// A head that could be granted an output VC of port `requested` has lost the switch.
void RouterGroups::note_losing_head(NodeId node, unsigned vc, unsigned requested,
                                    const SwitchGrants& grants) {
  std::uint64_t winner = grants.picked & parts_->sharing_input(vc) & ~bit(vc);
  if (winner == 0) {
    for_each_bit(grants.moved & ~bit(vc), [&](unsigned other) {
      if (!parts_->shape.share_outputs(vc, other)) return;
      if (port_of_vc(front(node, other).output) == requested) winner = bit(other);
    });
  }
  std::optional<std::uint64_t> culprit;
  if (winner != 0) culprit = messages_[front(node, lowest_bit(winner)).message].id;
  begin_stall(node, vc, {.cause = StallCause::switch_lost, .culprit = culprit}, now_);
}

/// Heads that were granted an output VC in this cycle have it, and took part in switch allocation.
void RouterGroups::hold_fresh(GroupRef group, unsigned number) {
  const NodeId node = group.node(number);
  const RouterBlock router = this->router(node);
  const Plane plane = Plane{1} << number;
  for_each_bit(std::exchange(parts_->routers[node].fresh, 0), [&](unsigned vc) {
    router.granted().remove(vc);
    hold(group, number, vc, router.front(vc).output, layout_);
    candidates_.planes()[vc] |= plane;
  });
}

}  // namespace flitscope
