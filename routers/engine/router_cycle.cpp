// One router for one cycle: arrivals, routing and VC allocation, switch allocation, traversal
// (stages 2 to 6 of docs/timing.md). This is the engine's inner loop.
//
// Mostly no two flits in a router want the same, and each goes through stages 4 to 6 for itself: pass(). The
// stages as docs/timing.md has them are arbitrate(). It is kept out of line, and so is what happens only when
// somebody has to wait.
#include "routers/engine/router_pool.h"

namespace flitscope {

bool RouterPool::can_divide() const {
  return observer_ == nullptr && external_.empty() && !standing_.anybody();
}

void RouterPool::step_awake(InjectionSide& interfaces) {
  const bool looks_ahead = flit_hops_ - hops_before_ >= look_ahead_from_;
  fetches_heads_ = !looks_ahead && outgrows_cache_;
  if (!expected_.empty()) fetch_expected();
  if (looks_ahead) return step_looking_ahead(interfaces);
  hops_before_ = flit_hops_;
  if (observer_ != nullptr || stalls_.observed())
    return agenda_.visit(now_, [&](NodeId node) { step(node, interfaces); });
  if (uncontended_fast_path_ && switching_ != Switching::store_and_forward && !standing_.concerns_anybody() &&
      !fetches_heads_) {
    return agenda_.visit(now_, [&](NodeId node) { step_router<Step::plain>(node, interfaces); });
  }
  agenda_.visit(now_, [&](NodeId node) { step_router<Step::any>(node, interfaces); });
}

void RouterPool::step(NodeId node, InjectionSide& interfaces) {
  if (observer(node) != nullptr) return step_watched(node, interfaces);
  step_unwatched(node, interfaces);
  stalls_.report(node, now_);
}

[[gnu::noinline]] void RouterPool::step_unwatched(NodeId node, InjectionSide& interfaces) {
  step_router<Step::any>(node, interfaces);
}

[[gnu::noinline]] std::uint32_t RouterPool::step_noting_moves(NodeId node, InjectionSide& interfaces) {
  return step_router<Step::watched>(node, interfaces);
}

template <RouterPool::Step step>
[[gnu::always_inline]] inline std::uint32_t RouterPool::step_router(NodeId node, InjectionSide& interfaces) {
  if (step == Step::any && standing_.concerns(node)) return step_beside_standing(node, interfaces);
  const Here here = at(node);
  if (move_flits<step>(here, node)) next_cycle_.awake.wake(node);
  return step_interface(here, node, interfaces);
}

/// A router in which somebody stands, or before it.
[[gnu::noinline]] std::uint32_t RouterPool::step_beside_standing(NodeId node, InjectionSide& interfaces) {
  const Here here = at(node);
  standing_.before_step(node, now_, interfaces);
  take_mail<Step::any>(here, node);
  standing_.resume_conflicting(node, now_);
  move_flits<Step::any>(here, node);  // takes what arrives where somebody made way
  const std::uint32_t put = step_interface(here, node, interfaces);
  standing_.after_step(node, now_, interfaces);
  if ((here.state().ready & ~here.state().blocked) != 0) next_cycle_.awake.wake(node);
  return put;
}

/// `node` is that of `here`: known before its memory is there.
template <RouterPool::Step step>
[[gnu::always_inline]] inline void RouterPool::take_mail(const Here here, NodeId node) {
  PendingEvents& mail = this_cycle_.mail[node];
  if (mail.arrivals != 0) take_arrivals<step>(here, std::exchange(mail.arrivals, 0));
  if (mail.credits != 0) take_credits(here, std::exchange(mail.credits, 0));
}

/// Returns whether any flit could move in the next cycle.
template <RouterPool::Step step>
[[gnu::always_inline]] inline bool RouterPool::move_flits(const Here here, NodeId node) {
  RouterHeader& state = here.state();
  take_mail<step>(here, node);
  const std::uint64_t able = state.ready & ~state.blocked;
  if (able == 0) return false;
  if (is_single(able) && (step == Step::plain || uncontended_fast_path_)) {
    pass<step>(here, lowest_bit(able));
  } else if ((able & ~state.streaming) == 0) {
    // Not for_each_bit(): what is as large as this the compiler would call.
    for (std::uint64_t left = able; left != 0; left &= left - 1) stream<step>(here, lowest_bit(left));
  } else {
    pass_or_compete<step>(here, able);
  }
  return (state.ready & ~state.blocked) != 0;
}

/// Returns the injection channels that put a flit.
inline std::uint32_t RouterPool::step_interface(const Here here, NodeId node, InjectionSide& interfaces) {
  std::uint32_t& injecting = here.state().injecting;
  if (injecting == 0) return 0;
  const std::uint32_t put = interfaces.step(node, injecting, now_);
  if (put != 0) inject(node, put);
  return put;
}

template <RouterPool::Step step>
[[gnu::always_inline]] inline void RouterPool::take_arrivals(const Here here, std::uint64_t arrivals) {
  if (step != Step::plain && switching_ == Switching::store_and_forward)
    return take_complete_messages(here, arrivals);
  for_each_bit(arrivals & here.state().ready, [&](unsigned vc) { ++here.input(vc).queued_flits; });
  here.state().ready |= arrivals;
}

void RouterPool::take_complete_messages(const Here here, std::uint64_t arrivals) {
  for_each_bit(arrivals, [&](unsigned vc) {
    InputVc& input = here.input(vc);
    const std::uint32_t usable = (here.state().ready & bit(vc)) != 0 ? input.queued_flits + 1 : 0;
    const std::uint64_t last = std::uint64_t{input.front} + usable + input.partial_packet_flits++;
    if (!input.fifo[last % buffer()].tail()) return;
    input.queued_flits = usable + std::exchange(input.partial_packet_flits, 0) - 1;
    here.state().ready |= bit(vc);
  });
}

// --- Routing, and stages 4 to 6 for flits that do not arbitrate
// ----------------------------------------------

inline void RouterPool::route(const Here here, unsigned vc) {
  InputVc& input = here.input(vc);
  const MessageSlot message = input.fifo[input.front].message();
  const MessageRecord& record = messages_[message];
  const NodeId node = here.state().node;
  input.message = message;
  if (record.head.destination == node) {
    ask_for_ejection(input, vc);
  } else if (vc >= first_injection_vc()) {
    ask_for(input, record.first);
  } else {
    ask_for(input, routing_->first_candidate(node, vc_place(vc).arrival, record.head));
  }
  here.state().routed |= vc_place(vc).bit;
}

void RouterPool::route_ahead(const Here here, unsigned vc) {
  route(here, vc);
}

/// Routes new heads. Returns those of these flits that could hinder each other: they come in through the same
/// port or go out through the same, or one asks for a VC that could be the other's.
inline std::uint64_t RouterPool::find_conflicts(const Here here, std::uint64_t able) {
  const RouterHeader& state = here.state();
  for_each_bit(able & ~(state.active | state.routed), [&](unsigned vc) { route(here, vc); });
  std::uint64_t inputs = 0;  // VCs of the ports by which they come in
  std::uint64_t claims = 0;  // what they want
  std::uint64_t shared_inputs = 0;
  std::uint64_t shared_claims = 0;
  for_each_bit(able, [&](unsigned vc) {
    const VcPlace& place = vc_place(vc);
    const std::uint64_t claim = bit(here.input(vc).claim);
    shared_inputs |= inputs & place.of_port;
    shared_claims |= claims & claim;
    inputs |= place.of_port;
    claims |= claim;
  });
  std::uint64_t contenders = able & shared_inputs;
  if (shared_claims == 0) return contenders;
  for_each_bit(able & ~contenders, [&](unsigned vc) {
    if ((shared_claims & bit(here.input(vc).claim)) != 0) contenders |= bit(vc);
  });
  return contenders;
}

template <RouterPool::Step step>
[[gnu::noinline]] void RouterPool::pass_or_compete(const Here here, std::uint64_t able) {
  if (adaptive_) route_adaptively(here, able);
  std::uint64_t contenders = find_conflicts(here, able);
  const bool apart = contenders == 0;
  if (!uncontended_fast_path_) contenders = ~std::uint64_t{0};
  // Winners have what they need and nobody beside them any more.
  if (contenders != 0) able = (able & ~contenders) | arbitrate(here, contenders);
  for (std::uint64_t left = able; left != 0; left &= left - 1) pass<step>(here, lowest_bit(left));
  // Those that hold an output VC now go on like this until their tails have left.
  if (apart && streams_) here.state().streaming = able & here.state().active;
}

/// For a flit behind its head, where nobody competes with it.
template <RouterPool::Step step>
[[gnu::always_inline]] inline void RouterPool::stream(const Here here, unsigned vc) {
  const unsigned output = here.input(vc).output;
  if (!has_room(here, output)) return block_for_room(here, vc);
  traverse<step>(here, vc, output);
}

/// For a flit that nobody competes with any more.
template <RouterPool::Step step>
[[gnu::always_inline]] inline void RouterPool::pass(const Here here, unsigned vc) {
  RouterHeader& state = here.state();
  const InputVc& input = here.input(vc);
  unsigned output = input.output;
  if ((state.active & vc_place(vc).bit) == 0) {
    if ((state.routed & vc_place(vc).bit) == 0) route(here, vc);
    const std::uint64_t free = choice(input.choice) & ~state.held;
    if (free == 0) return fail_vc_allocation(here, vc);
    output = choose_vc(here, vc, free);
    if (step != Step::plain && fetches_heads_) fetch_head_behind(here, vc, output);
    const bool room = has_room(here, output);
    // A message of one flit that leaves at once need not hold the VC.
    if (!room || !input.fifo[input.front].tail()) hold_vc(here, vc, output);
    if (!room) return block_for_room(here, vc);
  } else if (!has_room(here, output)) {
    return block_for_room(here, vc);
  }
  traverse<step>(here, vc, output);
}

// --- Stages 4 to 6 as they stand in docs/timing.md ---

/// Stages 4 and 5 for the input VCs `contenders`. Returns those that go on to stage 6.
[[gnu::noinline]] std::uint64_t RouterPool::arbitrate(const Here here, std::uint64_t contenders) {
  const RouterHeader& state = here.state();
  const std::uint64_t asking = contenders & state.ready & ~(state.active | state.blocked);
  if (asking != 0) allocate_vcs(here, asking);
  const std::uint64_t moving = contenders & state.ready & state.active & ~state.blocked;
  return paced() ? allocate_paced(here, moving) : allocate_switch(here, moving);
}

// --- Stage 4: VC allocation --------------------------------------------------------------------------------

/// Returns whether the VC was granted.
inline bool RouterPool::request_vc(const Here here, unsigned vc) {
  const InputVc& input = here.input(vc);
  std::uint64_t free = choice(input.choice) & ~here.state().held;
  if (needs_packet_space()) free = with_room_first(here, vc, free, input.message);
  if (free == 0) {
    fail_vc_allocation(here, vc);
    return false;
  }
  const unsigned output = choose_vc(here, vc, free);
  hold_vc(here, vc, output);
  if (fetches_heads_) fetch_head_behind(here, vc, output);
  if (vc_delay_ != 0) delay_switch_request(here, vc);
  if (adaptive_ && input.group < link_ports()) selector_.note_grant(row(here.state().node, vc), input.group);
  return true;
}

/// One of the output VCs `free`.
inline unsigned RouterPool::choose_vc(const Here here, unsigned vc, std::uint64_t free) {
  RoundRobin& group = here.port(here.input(vc).group).next;
  const unsigned output = first_from(free, group.vc);
  group.vc = vc_place(output).next_of_group;
  group.request = vc_place(vc).next;
  return output;
}

inline void RouterPool::hold_vc(const Here here, unsigned vc, unsigned output) {
  RouterHeader& state = here.state();
  state.held |= vc_place(output).bit;
  state.active |= vc_place(vc).bit;
  here.output(output).owner = static_cast<std::uint8_t>(vc);
  here.input(vc).output = static_cast<std::uint8_t>(output);
  here.input(vc).claim = vc_place(output).claim;
}

/// A head that has been granted a VC takes part in switch allocation later. Until then it waits, and is not
/// stalled.
[[gnu::noinline]] void RouterPool::delay_switch_request(const Here here, unsigned vc) {
  here.state().blocked |= bit(vc);
  stalls_.begin_later(here, vc, now_ + vc_delay_);
  post(now_ + vc_delay_, here.state().node, {0, bit(here.input(vc).output)}, now_);
}

void RouterPool::fail_vc_allocation(const Here here, unsigned vc) {
  const InputVc& input = here.input(vc);
  const bool taken = (choice(input.choice) & ~here.state().held) == 0;
  here.state().blocked |= bit(vc);
  stalls_.begin_without_vc(here, vc,
                           input.group == link_ports() ? StallCause::ejection_busy
                           : taken                     ? StallCause::vc_taken
                                                       : StallCause::no_credit,
                           now_);
}

inline void RouterPool::allocate_vcs(const Here here, std::uint64_t asking) {
  // Room beyond the next slot changes with every grant, so heads that wait for it are all asked again
  // together.
  if (needs_packet_space()) {
    asking |= here.state().no_vc();
    retry_heads(here, now_);
  }
  const std::uint64_t hopeful = adaptive_ ? select_candidates(here, asking) : 0;
  std::uint64_t groups = 0;
  std::array<std::uint64_t, kMaxPorts> requests;
  for_each_bit(asking, [&](unsigned vc) {
    const unsigned group = here.input(vc).group;
    requests[group] = ((groups & bit(group)) != 0 ? requests[group] : 0) | bit(vc);
    groups |= bit(group);
  });
  for_each_bit(groups, [&](unsigned number) {
    const unsigned first = here.port(number).next.request;
    bool granted = false;
    for (std::uint64_t left = requests[number]; left != 0;) {
      const unsigned vc = first_from(left, first);
      left &= ~bit(vc);
      if (request_vc(here, vc)) granted = true;
    }
    // A grant turns "no room" into "taken" for the heads that were asked before it.
    if (granted && needs_packet_space()) retry_group(here, number, now_ + 1);
  });
  if (hopeful != 0) ask_again(here, hopeful);
}

/// Those of the output VCs of a link that have the room they must have first; all of ejection channels.
std::uint64_t RouterPool::with_room_first(const Here here, unsigned vc, std::uint64_t outputs,
                                          MessageSlot message) {
  std::uint64_t result = outputs;
  for_each_bit(outputs & (bit(first_injection_vc()) - 1), [&](unsigned output) {
    const OutputVc& target = here.output(output);
    const std::uint32_t last = room_first(vc, output, messages_[message].flits) - 1;
    Slot& slot = target.fifo[(std::uint64_t{target.back} + last) % target.length];
    if (slot.seen().usable(now_)) return;
    result &= ~bit(output);
    expect_credit(here, output, slot);
  });
  return result;
}

void RouterPool::retry_heads(const Here here, Cycle from) {
  const std::uint64_t heads = here.state().no_vc();
  here.state().blocked &= ~heads;
  for_each_bit(heads, [&](unsigned vc) { stalls_.end(here, vc, from); });
}

void RouterPool::retry_group(const Here here, unsigned group, Cycle from) {
  for_each_bit(here.state().no_vc(), [&](unsigned vc) {
    if (here.input(vc).group != group) return;
    here.state().blocked &= ~bit(vc);
    stalls_.end(here, vc, from);
  });
}

// --- Stage 5: switch allocation --------------------------------------------------------------------------

[[gnu::always_inline]] inline bool RouterPool::has_room(const Here here, unsigned output) const {
  return here.output(output).next().seen().usable(now_);
}

void RouterPool::block_for_room(const Here here, unsigned vc) {
  const unsigned output = here.input(vc).output;
  here.state().blocked |= bit(vc);
  stalls_.begin_with_vc(
      here, vc, output < first_injection_vc() ? StallCause::no_credit : StallCause::ejection_busy, now_);
  expect_credit(here, output, here.output(output).next());
}

void RouterPool::expect_credit(const Here here, unsigned output, Slot& slot) {
  if (const Slot seen = slot.seen(); !seen.occupied()) {  // the credit is on its way
    return post(seen.free_from(), here.state().node, {0, bit(output)}, now_);
  }
  const NodeId receiver = here.output(output).receiver;
  if (receiver == kNoNode) return;
  if (!range_.contains(receiver)) return for_others_.credits.push_back({here, output, &slot});
  state_of(receiver).awaited |= bit(output);
}

/// Returns the winners.
inline std::uint64_t RouterPool::allocate_switch(const Here here, std::uint64_t moving) {
  std::uint64_t candidates = moving;
  for_each_bit(moving, [&](unsigned vc) {
    if (has_room(here, here.input(vc).output)) return;
    candidates &= ~bit(vc);
    block_for_room(here, vc);
  });
  if (is_single(candidates)) return candidates;
  const std::uint64_t others = candidates & (candidates - 1);
  if (is_single(others)) return choose_of_two(here, lowest_bit(candidates), lowest_bit(others));
  return choose(here, candidates);
}

/// Both stages for two flits.
inline std::uint64_t RouterPool::choose_of_two(const Here here, unsigned one, unsigned other) {
  const std::uint64_t both = bit(one) | bit(other);
  const VcPlace& input = vc_place(one);
  const VcPlace& output = vc_place(here.input(one).output);
  unsigned first = 0;
  if ((input.of_port & both) == both) {
    first = here.port(input).next.input;
  } else if ((output.of_port & bit(here.input(other).output)) != 0) {
    first = here.port(output).next.output;
  } else {
    return both;
  }
  const unsigned winner = first_from(both, first);
  stalls_.lose_switch(here, one ^ other ^ winner, winner, now_);
  return bit(winner);
}

/// Both stages for any number of flits.
[[gnu::noinline]] std::uint64_t RouterPool::choose(const Here here, std::uint64_t candidates) {
  // Input stage: every input port picks one of its VCs.
  std::uint64_t picks = 0;
  std::uint64_t wanted = 0;                     // output ports
  std::array<std::uint64_t, kMaxPorts> picked;  // for each of these: VCs
  for (std::uint64_t left = candidates; left != 0;) {
    const VcPlace& place = vc_place(lowest_bit(left));
    const unsigned vc = first_from(left & place.of_port, here.port(place).next.input);
    const unsigned output = vc_place(here.input(vc).output).port;
    picked[output] = ((wanted & bit(output)) != 0 ? picked[output] : 0) | bit(vc);
    wanted |= bit(output);
    picks |= bit(vc);
    left &= ~place.of_port;
  }
  // Output stage: every output port picks one of the input ports.
  std::uint64_t winners = 0;
  for_each_bit(wanted, [&](unsigned output) {
    winners |= bit(first_from(picked[output], here.port(output).next.output));
  });
  for_each_bit(candidates & ~winners, [&](unsigned vc) {
    // To whoever was picked at the same input port, or else won the output port.
    std::uint64_t winner = picks & vc_place(vc).of_port;
    if (winner == bit(vc)) winner = winners & picked[vc_place(here.input(vc).output).port];
    stalls_.lose_switch(here, vc, lowest_bit(winner), now_);
  });
  return winners;
}

/// The same where links have paces: those that take no flit yet are left out.
std::uint64_t RouterPool::allocate_paced(const Here here, std::uint64_t moving) {
  const NodeId node = here.state().node;
  std::uint64_t candidates = moving;
  for_each_bit(moving, [&](unsigned vc) {
    const unsigned output = here.input(vc).output;
    if (output >= first_injection_vc() || !has_room(here, output)) return;
    const Cycle free_from = pace(node, vc_place(output).port).free_from;
    if (free_from <= now_) return;
    candidates &= ~bit(vc);
    wait_for_link(here, vc, free_from);
  });
  const std::uint64_t winners = allocate_switch(here, candidates);
  for_each_bit(winners, [&](unsigned vc) {
    const InputVc& input = here.input(vc);
    if (input.output >= first_injection_vc()) return;
    LinkInterval& link = pace(node, vc_place(input.output).port);
    link.free_from = now_ + link.cycles;
    link.last_message = messages_[input.message].id;
  });
  return winners;
}

void RouterPool::wait_for_link(const Here here, unsigned vc, Cycle free_from) {
  here.state().blocked |= bit(vc);
  stalls_.begin_with_vc(here, vc, StallCause::switch_lost, now_);
  post(free_from, here.state().node, {0, bit(here.input(vc).output)}, now_);
}

// --- Stage 6: traversal ----------------------------------------------------------------------------------

template <RouterPool::Step step>
[[gnu::always_inline]] inline void RouterPool::traverse(const Here here, unsigned vc, unsigned output) {
  InputVc& input = here.input(vc);
  OutputVc& target = here.output(output);
  const VcPlace& from = vc_place(vc);
  const VcPlace& to = vc_place(output);
  here.port(from).next.input = from.next_of_port;
  here.port(to).next.output = from.next_input;

  const Slot flit = input.fifo[input.front].take(now_ + input.slot_delay);
  input.front = behind(input.front);
  if (input.queued_flits == 0) {
    here.state().ready &= ~from.bit;
  } else {
    --input.queued_flits;
  }
  if ((here.state().awaited & from.bit) != 0) return_slot(here, vc, from.port);

  ++target.flits;
  if constexpr (step == Step::watched) moves_.push_back({vc, output, flit});
  if (target.leads == OutputTarget::to_router) {
    target.next() = flit;
    target.back = behind(target.back);
    after_hop_.arrive(target.receiver, to.bit);
    ++flit_hops_;
  } else if (target.leads == OutputTarget::out) {
    target.next() = Slot::free_from(now_ + ejection_pace_);
    eject(flit);
  } else {
    leave_far(here, output, flit);
  }
  if (flit.tail()) {
    ++here.port(to).messages;
    here.state().routed &= ~from.bit;
    if ((here.state().active & from.bit) != 0) release(here, vc, output);
  }
}

[[gnu::noinline]] void RouterPool::release(const Here here, unsigned vc, unsigned output) {
  RouterHeader& state = here.state();
  state.active &= ~vc_place(vc).bit;
  state.streaming &= ~vc_place(vc).bit;
  if (vc_reallocation_delay_ > 1 && output < first_injection_vc()) return rest(here, output);
  state.held &= ~vc_place(output).bit;
  // Heads that wait for this group try again in the next cycle; this one is lost to them.
  if (state.no_vc() == 0) return;
  if (adaptive_) return retry_heads(here, now_ + 1);
  retry_group(here, std::min<unsigned>(vc_place(output).port, link_ports()), now_ + 1);
}

/// The VC stays taken, by nobody. Heads that wait for it ask again: whom they wait for has changed.
[[gnu::noinline]] void RouterPool::rest(const Here here, unsigned output) {
  here.output(output).owner = kNoOwner;
  rests_.push_back({now_ + vc_reallocation_delay_, here.state().node, output});
  agenda_.wake_at(here.state().node, now_ + vc_reallocation_delay_, now_);
  retry_heads(here, now_ + 1);
}

/// The cycle has begun: VCs whose rest is over can be granted in it.
void RouterPool::release_due_vcs() {
  for (; !rests_.empty() && rests_.front().until <= now_; rests_.pop_front()) {
    const Here here = at(rests_.front().node);
    here.state().held &= ~bit(rests_.front().output);
    retry_heads(here, now_);
  }
}

[[gnu::noinline]] void RouterPool::eject(Slot flit) {
  const Cycle arrival = now_ + link_delay_;
  if (flit.head()) messages_[flit.message()].head_arrived = arrival;
  if (flit.tail()) arriving_.add(flit.message(), arrival, now_);
}

/// By a link whose delay is not the usual one, or to a module that is not ours.
[[gnu::noinline]] void RouterPool::leave_far(const Here here, unsigned output, Slot flit) {
  OutputVc& target = here.output(output);
  if (target.leads == OutputTarget::to_module)
    return send_to_external(here, vc_place(output).port, output, flit);
  target.next() = flit;
  target.back = behind(target.back);
  post(now_ + target.delay + router_delay_, target.receiver, {bit(output), 0}, now_);
  ++flit_hops_;
  if (!flit.head()) return;
  messages_[flit.message()].link_excess +=
      std::int64_t{target.delay} - static_cast<std::int64_t>(link_delay_);
}

void RouterPool::send_to_external(const Here here, unsigned number, unsigned output, Slot flit) {
  OutputVc& target = here.output(output);
  target.next() = flit;
  target.back = target.back + 1 == target.length ? 0 : target.back + 1;
  const MessageRecord& message = messages_[flit.message()];
  external_.at(here.state().node, number)
      .put(output - first_vc(number), {flit.message(), flit.index(), flit.head(), flit.tail(), message.id,
                                       message.source, message.head.destination});
  if (number >= link_ports()) return eject(flit);
  // The module passes the message on to some router, which will write this anew, or keeps it.
  if (flit.head()) messages_[flit.message()].head_arrived = now_ + target.delay;
  ++flit_hops_;
}

}  // namespace flitscope
