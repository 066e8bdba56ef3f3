// Allocation by parts, router by router (docs/timing.md, "Router parts").
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>

#include "model/bits.h"
#include "routers/engine/router_groups.h"

namespace flitscope {

// --- Stage 4: VC allocation --------------------------------------------------------------------------------

void RouterGroups::request_after(GroupRef group, unsigned number, unsigned vc, Cycle delay) {
  parts_->routers[group.node(number)].routing.add(vc);
  post(in(delay), group, Event::route, vc, Plane{1} << number);
}

/// Routers with heads that lack slots, or whose RouterParts::routing_delay is over.
Plane RouterGroups::take_askers(GroupRef group) {
  Plane askers = std::exchange(parts_->groups[group.number].lacking, 0);
  if (parts_->options.routing_delay == 0) return askers;
  for_each_event(group, Event::route, [&](unsigned number, unsigned vc) {
    const NodeId node = group.node(number);
    askers |= Plane{1} << number;
    parts_->routers[node].routing.remove(vc);
    router(node).asking().add(vc);
    front(node, vc).since = now_;
  });
  return askers;
}

/// A router whose sets have no more words.
template <typename Vcs>
RouterBlock RouterGroups::router_of(NodeId node) const {
  const RouterBlock router = this->router(node);
  return {router.block, router.layout, Vcs::kWords == 1 ? 1 : router.words};
}

/// The output VCs that a head requests.
template <typename Vcs>
Vcs RouterGroups::first_choice(unsigned number) const {
  return choice<Vcs>(number, Vcs::kWords == 1 ? 1 : block_.words);
}

/// Output VCs that can be granted.
template <typename Vcs>
Vcs RouterGroups::eligible(GroupRef group, unsigned number) const {
  const GroupParts::Router& known = parts_->routers[group.node(number)];
  Vcs free = ~Vcs(router_of<Vcs>(group.node(number)).holds());
  if (!parts_->needs_slots()) return free;
  if (parts_->allocates_late()) {  // a flit leaves with the grant
    for (unsigned output = first_injection_vc(); output < input_vcs(); ++output) {
      if ((group.planes(layout_.room)[output] >> number & 1) == 0) free.remove(output);
    }
  }
  const bool atomic = parts_->vc_allocation == VcAllocation::atomic;
  if (parts_->options.early_credits) return free & Vcs(atomic ? known.empty : known.with_slot);
  for_each_bit(free & Vcs::range(0, first_injection_vc()), [&](unsigned output) {
    const bool some = (group.planes(layout_.room)[output] >> number & 1) != 0;
    const bool enough = !atomic || usable_slots(group, number, output) == link_buffer();
    if (!some || !enough) free.remove(output);
  });
  return free;
}

void RouterGroups::allocate_vcs_by_parts(GroupRef group, unsigned number) {
  parts_->wide ? allocate_vcs<VcSet>(group, number) : allocate_vcs<VcSetOf<1>>(group, number);
}

template <typename Vcs>
void RouterGroups::allocate_vcs(GroupRef group, unsigned number) {
  using Request = VcRequest<Vcs>;
  const NodeId node = group.node(number);
  const RouterBlock router = router_of<Vcs>(node);
  router.awaited().clear();
  const Vcs asking = router.asking();
  const Vcs holds = router.holds();
  parts_->routers[node].asked = VcSet(asking);
  parts_->routers[node].able = VcSet();
  if (!asking.any()) return;
  const Vcs eligible = this->eligible<Vcs>(group, number);
  const Vcs hopeful = selector_ ? Vcs(select_candidates(group, number, VcSet(eligible))) : Vcs();
  constexpr std::size_t kMost = std::size_t{64} * Vcs::kWords;
  alignas(Request) std::array<std::byte, kMost * sizeof(Request)> memory;
  auto* const requests = reinterpret_cast<Request*>(memory.data());
  std::size_t count = 0;
  for (Vcs left = asking; left.any(); left.remove(lowest_bit(left))) {
    const unsigned vc = lowest_bit(left);
    const Front& front = router.front(vc);
    const bool link = front.group < link_ports();
    const Vcs admissible = first_choice<Vcs>(front.choice);
    const Vcs possible = admissible & eligible;
    std::construct_at(
        &requests[count++],
        Request{
            .input = static_cast<std::uint8_t>(vc),
            .group = static_cast<std::uint8_t>(front.group),
            .vc_class = static_cast<std::uint8_t>(
                link ? front.choice - link_choice(front.group, 0, messages_[front.message].message_class)
                     : 0),
            .admissible = admissible,
            .held = admissible & holds,
            .eligible = requires_room_by_head() ? Vcs(with_required_slots(group, number, vc, VcSet(possible)))
                                                : possible,
            .priority = priority_of(vc),
        });
  }
  const std::span<Request> all(requests, count);
  if (parts_->options.arbiter == Arbiter::age) {
    std::array<std::uint8_t, kMost> ranks;
    find_ranks(node, asking, ranks);
    for (Request& request : all) request.rank = ranks[request.input];
  }
  if (observed_flits_ != nullptr) {
    for (const Request& request : all) {
      const Front& front = router.front(request.input);
      if (front.since == now_) note_routed(node, request.input, request.group, front.message);
    }
  }
  parts_->vc_matcher<Vcs>().allocate(parts_->vc_state(node), all);
  bool granted = false;
  for (const Request& request : all) {
    if (request.output == Request::kNoVc) continue;
    grant_by_parts<Vcs>(group, number, request.input, request.output);
    granted = true;
  }
  for (const Request& request : all) {
    if (parts_->allocates_late() && request.eligible.any()) {
      parts_->routers[node].able.add(request.input);
      router.awaited().add(request.admissible);
    } else if (request.output == Request::kNoVc) {
      refuse_by_parts(group, number, request);
    }
  }
  const Vcs waiting = router.asking();
  if (!waiting.any()) return;
  if (selector_) router.awaited().add(~Vcs());
  const Plane plane = Plane{1} << number;
  if (selector_ && needs_packet_space_) parts_->groups[group.number].lacking |= plane;
  // Heads that speculate ask for the switch in every cycle; a grant can change why others wait.
  if (parts_->options.speculates() || (hopeful & waiting).any() || (requires_room_by_head() && granted))
    *group.planes(layout_.retry) |= plane;
}

template <typename Vcs>
void RouterGroups::grant_by_parts(GroupRef group, unsigned number, unsigned vc, unsigned output) {
  const NodeId node = group.node(number);
  const RouterBlock router = router_of<Vcs>(node);
  Front& front = router.front(vc);
  if (front.since < now_) count_stall_since(group, node, vc, now_);
  if (observed_stalls_ != nullptr) observed_stalls_->end(node, vc, now_);
  router.asking().remove(vc);
  router.holds().add(output);
  const std::uint32_t counted = std::min(front.flits, kMostLeft);
  front.output = static_cast<std::uint8_t>(output);
  front.more = front.flits - counted;
  if (selector_ && front.output < first_injection_vc()) {
    selector_->note_grant(row(node, vc), port_of_vc(front.output));
  }
  note_granted(node, vc, front.output, front.message);
  const Plane plane = Plane{1} << number;
  group.planes(layout_.head)[vc] |= plane;
  sliced::set(group.planes(layout_.left) + vc, layout_.vc_words, plane, counted);
  if (parts_->options.speculates()) {
    router.granted().add(vc);
    parts_->routers[node].fresh.add(vc);
  } else if (vc_delay_ != 0) {
    router.granted().add(vc);
    post(after_grant_, group, Event::hold, vc, plane);
  } else {
    hold(group, number, vc, output, layout_);
  }
}

template <typename Vcs>
void RouterGroups::refuse_by_parts(GroupRef group, unsigned number, const VcRequest<Vcs>& request) {
  const NodeId node = group.node(number);
  const unsigned vc = request.input;
  const Plane plane = Plane{1} << number;
  router_of<Vcs>(node).awaited().add(request.admissible);
  if (request.eligible.any()) *group.planes(layout_.retry) |= plane;
  if (request.without_slots.any()) parts_->groups[group.number].lacking |= plane;
  fail_request(group, node, vc, VcSet(request.taken), VcSet(request.without_slots));
}

// --- Stage 5: switch allocation ----------------------------------------------------------------------------

/// Whether a head that is granted an output VC now can leave by it now.
bool RouterGroups::has_slot(GroupRef group, unsigned number, unsigned output) const {
  if (is_busy(group, number, port_of_vc(output))) return false;
  const bool link = output < first_injection_vc();
  if (link && parts_->options.early_credits) return parts_->routers[group.node(number)].with_slot.has(output);
  return (group.planes(layout_.room)[output] >> number & 1) != 0;
}

/// Allocates the switch of each router with candidates or with heads that speculate. Returns whether there
/// are flits that take part and have an output VC now.
bool RouterGroups::allocate_switch_by_parts(GroupRef group) {
  return parts_->wide ? allocate_switch<VcSet>(group) : allocate_switch<VcSetOf<1>>(group);
}

template <typename Vcs>
bool RouterGroups::allocate_switch(GroupRef group) {
  const Plane* const candidates = candidates_.planes();
  Plane any = 0;
  for (unsigned vc = 0; vc < input_vcs(); ++vc) any |= candidates[vc];
  std::fill_n(picked_.planes(), input_vcs(), 0);
  std::fill_n(sent_.planes(), input_vcs(), 0);
  const Plane askers = parts_->options.speculates() ? parts_->groups[group.number].askers : 0;
  Plane arriving = 0;  // such flits may take the bypass, or end its use
  for (unsigned vc = 0; parts_->options.bypass && vc < input_vcs(); ++vc) arriving |= parts_->arriving[vc];
  bool some = any != 0;
  for (Plane left = any | askers | arriving; left != 0; left &= left - 1) {
    const unsigned number = lowest_bit(left);
    const NodeId node = group.node(number);
    const RouterBlock router = router_of<Vcs>(node);
    GroupParts::Router& known = parts_->routers[node];
    const Plane plane = Plane{1} << number;
    std::array<std::uint8_t, std::size_t{64} * Vcs::kWords> ports;
    std::array<std::uint8_t, ports.size()> ranks;
    SwitchRequests<Vcs> requests{
        .ports = ports, .ranks = ranks, .priorities = find_priorities(group, number)};
    for (unsigned vc = 0; vc < input_vcs(); ++vc) {
      if ((candidates[vc] & plane) == 0) continue;
      requests.flits.add(vc);
      ports[vc] = static_cast<std::uint8_t>(port_of_vc(router.front(vc).output));
    }
    if ((askers & plane) != 0) requests.speculative = Vcs(known.asked);
    for_each_bit(requests.speculative, [&](unsigned vc) {
      const Front& front = router.front(vc);
      const bool granted = known.fresh.has(vc);
      if (granted && has_slot(group, number, front.output)) requests.valid.add(vc);
      ports[vc] = static_cast<std::uint8_t>(
          port_of_vc(granted ? front.output : lowest_bit(first_choice<Vcs>(front.choice))));
    });
    if (parts_->options.arbiter == Arbiter::age)
      find_ranks(node, requests.flits | requests.speculative, ranks);
    const SwitchGrants<Vcs> grants = parts_->allocates_late()
                                         ? allocate_late<Vcs>(group, number, requests, ports)
                                         : match_switch<Vcs>(group, number, requests);
    if (parts_->options.hold) {
      known.kept = VcSet();
      known.kept_in = now_ + 1;
      for_each_bit(grants.moved, [&](unsigned vc) {
        if (flits_left(group, node, vc) != 1) known.kept.add(vc);
      });
    }
    for_each_bit(grants.picked, [&](unsigned vc) { picked_.planes()[vc] |= plane; });
    some |= Vcs(known.fresh).any();
    hold_fresh<Vcs>(group, number);
    if (parts_->has_queues()) enter_queues(group, number, VcSet(grants.moved));
    for_each_bit(grants.moved, [&](unsigned vc) {
      const unsigned output = router.front(vc).output;
      moved_.planes()[vc] |= plane;
      sent_.planes()[output] |= plane;
      if ((group.planes(layout_.room)[output] & plane) == 0) use_coming_credit(group, number, output);
    });
  }
  if (parts_->options.limits_room()) note_sent_flits(group);
  if (parts_->options.early_credits) post_early_credits(group);
  return some;
}

/// Allocates the switch; VCs that keep it win (RouterParts::hold).
template <typename Vcs>
SwitchGrants<Vcs> RouterGroups::match_switch(GroupRef group, unsigned number, SwitchRequests<Vcs> requests) {
  const NodeId node = group.node(number);
  const GroupParts::Router& known = parts_->routers[node];
  std::array<std::uint8_t, std::size_t{64} * Vcs::kWords> outputs_of_switch;
  if (parts_->shape.output_speedup != 1) {
    for_each_bit(requests.flits | requests.speculative, [&](unsigned vc) {
      outputs_of_switch[vc] = static_cast<std::uint8_t>(parts_->shape.output_of(requests.ports[vc], vc));
    });
    requests.ports = outputs_of_switch;
  }
  const Vcs kept = known.kept_in == now_ ? Vcs(known.kept) & requests.flits : Vcs();
  if (kept.any()) {
    Vcs outputs;
    Vcs blocked;
    for_each_bit(kept, [&](unsigned vc) {
      outputs.add(requests.ports[vc]);
      blocked |= parts_->sharing_input<Vcs>(vc);
    });
    for_each_bit(requests.flits | requests.speculative, [&](unsigned vc) {
      if (outputs.has(requests.ports[vc])) blocked.add(vc);
    });
    requests.flits &= ~blocked;
    requests.speculative &= ~blocked;
    requests.valid &= ~blocked;
  }
  SwitchGrants<Vcs> grants = parts_->switch_matcher<Vcs>().allocate(parts_->switch_state(node), requests);
  grants.moved |= kept;
  grants.picked |= kept;
  return grants;
}

/// Of messages at the front of some input VCs, how many of these are older.
template <typename Vcs>
void RouterGroups::find_ranks(NodeId node, const Vcs& vcs, std::span<std::uint8_t> ranks) const {
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
template <typename Vcs>
SwitchGrants<Vcs> RouterGroups::allocate_late(GroupRef group, unsigned number, SwitchRequests<Vcs> requests,
                                              std::span<std::uint8_t> ports) {
  const NodeId node = group.node(number);
  requests.valid = requests.speculative & Vcs(parts_->routers[node].able);
  const Vcs eligible = this->eligible<Vcs>(group, number);
  for_each_bit(requests.valid, [&](unsigned vc) {
    ports[vc] = static_cast<std::uint8_t>(
        port_of_vc(lowest_bit(first_choice<Vcs>(front(node, vc).choice) & eligible)));
  });
  const Vcs able = requests.valid;
  for_each_bit(able, [&](unsigned vc) {
    if (is_busy(group, number, ports[vc])) requests.valid.remove(vc);
  });
  if (!parts_->heads_come_last()) {
    requests.flits |= requests.valid;
    requests.speculative = Vcs();
  }
  Vcs arriving;
  for (unsigned vc = 0; parts_->options.bypass && vc < input_vcs(); ++vc) {
    if ((parts_->arriving[vc] >> number & 1) != 0) arriving.add(vc);
  }
  SwitchRequests<Vcs> buffered = requests;
  buffered.flits &= ~arriving;
  buffered.speculative &= ~arriving;
  SwitchGrants<Vcs> grants = match_switch(group, number, buffered);
  for_each_bit(grants.moved & requests.valid,
               [&](unsigned vc) { grant_to_winner<Vcs>(group, number, vc, ports[vc]); });
  if (arriving.any()) {
    requests.flits &= arriving;
    requests.speculative &= arriving;
    grants.moved |=
        take_bypass<Vcs>(group, number, requests, buffered.flits | buffered.speculative, grants.outputs);
  }
  for_each_bit(able & ~grants.moved, [&](unsigned vc) {
    wait_because(group, node, vc, StallCause::switch_lost);
    if (shape().priorities && requests.valid.has(vc)) count_loss_for_rank(group, number, vc);
    if (observed_stalls_ == nullptr) return;
    if (parts_->heads_come_last() || requests.valid.has(vc))
      return note_losing_head(node, vc, ports[vc], grants);
    begin_stall(node, vc, busy_port(node, ports[vc]), now_);
  });
  return grants;
}

/// A head that has won the switch is granted an output VC of a port.
template <typename Vcs>
void RouterGroups::grant_to_winner(GroupRef group, unsigned number, unsigned vc, unsigned port) {
  const NodeId node = group.node(number);
  const Vcs eligible = this->eligible<Vcs>(group, number) & first_choice<Vcs>(front(node, vc).choice);
  grant_by_parts<Vcs>(group, number, vc,
                      parts_->winner_vcs.grant(parts_->winner_state(node), port, eligible));
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
template <typename Vcs>
Vcs RouterGroups::take_bypass(GroupRef group, unsigned number, const SwitchRequests<Vcs>& fast,
                              const Vcs& slow, const Vcs& taken_outputs) {
  const NodeId node = group.node(number);
  const auto is_arriving = [&](unsigned vc) { return (parts_->arriving[vc] >> number & 1) != 0; };
  const auto of_port = [&](unsigned vc) { return Vcs::range(vc_info(vc).first, vc_info(vc).vcs_of_port); };
  VcSet& known = parts_->routers[node].bypass;
  Vcs bypass(known);
  Vcs asking;
  Vcs once;  // output ports
  Vcs twice;
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    if (!is_arriving(vc) || (slow & of_port(vc)).any()) continue;
    const bool goes_on = (bypass & of_port(vc)).any();
    if (!(goes_on ? bypass & fast.flits : fast.speculative).has(vc)) continue;
    asking.add(vc);
    (once.has(fast.ports[vc]) ? twice : once).add(fast.ports[vc]);
  }
  Vcs moved;
  for_each_bit(asking & (fast.flits | fast.valid), [&](unsigned vc) {
    if ((twice | taken_outputs).has(fast.ports[vc])) return;
    if (fast.valid.has(vc)) grant_to_winner<Vcs>(group, number, vc, fast.ports[vc]);
    moved.add(vc);
  });
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    if (!is_arriving(vc) || (bypass & of_port(vc) & ~Vcs::of(vc)).any()) continue;
    bypass.remove(vc);
    if (moved.has(vc) && flits_left(group, node, vc) != 1) bypass.add(vc);
  }
  known = VcSet(bypass);
  return moved;
}

/// A head that could be granted an output VC of port `requested` has lost the switch.
template <typename Vcs>
void RouterGroups::note_losing_head(NodeId node, unsigned vc, unsigned requested,
                                    const SwitchGrants<Vcs>& grants) {
  Vcs winner = grants.picked & parts_->sharing_input<Vcs>(vc) & ~Vcs::of(vc);
  if (!winner.any()) {
    for_each_bit(grants.moved & ~Vcs::of(vc), [&](unsigned other) {
      if (!parts_->shape.share_outputs(vc, other)) return;
      if (port_of_vc(front(node, other).output) == requested) winner = Vcs::of(other);
    });
  }
  std::optional<std::uint64_t> culprit;
  if (winner.any()) culprit = messages_[front(node, lowest_bit(winner)).message].id;
  begin_stall(node, vc, {.cause = StallCause::switch_lost, .culprit = culprit}, now_);
}

/// Heads that were granted an output VC in this cycle have it, and took part in switch allocation.
template <typename Vcs>
void RouterGroups::hold_fresh(GroupRef group, unsigned number) {
  const NodeId node = group.node(number);
  const RouterBlock router = router_of<Vcs>(node);
  const Plane plane = Plane{1} << number;
  for_each_bit(Vcs(std::exchange(parts_->routers[node].fresh, VcSet())), [&](unsigned vc) {
    router.granted().remove(vc);
    hold(group, number, vc, router.front(vc).output, layout_);
    candidates_.planes()[vc] |= plane;
  });
}

}  // namespace flitscope
