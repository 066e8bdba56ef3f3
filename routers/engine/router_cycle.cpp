// One router for one cycle: arrivals, routing and VC allocation, switch allocation, traversal
// (stages 2 to 6 of docs/timing.md). This is the engine's inner loop.
//
// Flits in a router without a conflict pass stages 4 to 6 independently: pass(). The stages of docs/timing.md
// are in arbitrate(), out of line like all code of waiting flits.
#include "routers/engine/router_pool.h"

namespace flitscope {

bool RouterPool::can_divide() const {
  return observer_ == nullptr && external_.empty() && !standing_.any_standing();
}

void RouterPool::step_awake(InjectionSide& interfaces) {
  const bool looks_ahead = flit_hops_ - hops_before_ >= look_ahead_from_;
  fetches_heads_ = !looks_ahead && outgrows_cache_;
  if (!expected_.empty()) fetch_expected();
  if (looks_ahead) return step_looking_ahead(interfaces);
  hops_before_ = flit_hops_;
  if (observer_ != nullptr || stalls_.observed())
    return agenda_.visit(now_, [&](NodeId node) { step(node, interfaces); });
  if (uncontended_fast_path_ && switching_ != Switching::store_and_forward && !standing_.concerns_any() &&
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
  const RouterRef router = at(node);
  if (move_flits<step>(router, node)) next_cycle_.awake.wake(node);
  return step_interface(router, node, interfaces);
}

/// Steps a router with a standing VC in it or before it.
[[gnu::noinline]] std::uint32_t RouterPool::step_beside_standing(NodeId node, InjectionSide& interfaces) {
  const RouterRef router = at(node);
  standing_.before_step(node, now_, interfaces);
  take_events<Step::any>(router, node);
  standing_.resume_conflicting(node, now_);
  move_flits<Step::any>(router, node);  // takes arrivals of resumed VCs
  const std::uint32_t put = step_interface(router, node, interfaces);
  standing_.after_step(node, now_, interfaces);
  if ((router.state().ready & ~router.state().blocked) != 0) next_cycle_.awake.wake(node);
  return put;
}

/// `node` is that of `router`, known before its memory is loaded.
template <RouterPool::Step step>
[[gnu::always_inline]] inline void RouterPool::take_events(const RouterRef router, NodeId node) {
  PendingEvents& events = this_cycle_.events[node];
  if (events.arrivals != 0) take_arrivals<step>(router, std::exchange(events.arrivals, 0));
  if (events.credits != 0) take_credits(router, std::exchange(events.credits, 0));
}

/// Returns whether any flit could move in the next cycle.
template <RouterPool::Step step>
[[gnu::always_inline]] inline bool RouterPool::move_flits(const RouterRef router, NodeId node) {
  RouterHeader& state = router.state();
  take_events<step>(router, node);
  const std::uint64_t able = state.ready & ~state.blocked;
  if (able == 0) return false;
  if (is_single(able) && (step == Step::plain || uncontended_fast_path_)) {
    pass<step>(router, lowest_bit(able));
  } else if ((able & ~state.streaming) == 0) {
    // Not for_each_bit(): the compiler would not inline a body of this size.
    for (std::uint64_t left = able; left != 0; left &= left - 1) stream<step>(router, lowest_bit(left));
  } else {
    pass_or_arbitrate<step>(router, able);
  }
  return (state.ready & ~state.blocked) != 0;
}

/// Returns the injection channels that put a flit.
inline std::uint32_t RouterPool::step_interface(const RouterRef router, NodeId node,
                                                InjectionSide& interfaces) {
  std::uint32_t& injecting = router.state().injecting;
  if (injecting == 0) return 0;
  const std::uint32_t put = interfaces.step(node, injecting, now_);
  if (put != 0) inject(node, put);
  return put;
}

template <RouterPool::Step step>
[[gnu::always_inline]] inline void RouterPool::take_arrivals(const RouterRef router, std::uint64_t arrivals) {
  if (step != Step::plain && switching_ == Switching::store_and_forward)
    return take_complete_messages(router, arrivals);
  for_each_bit(arrivals & router.state().ready, [&](unsigned vc) { ++router.input(vc).queued_flits; });
  router.state().ready |= arrivals;
}

void RouterPool::take_complete_messages(const RouterRef router, std::uint64_t arrivals) {
  for_each_bit(arrivals, [&](unsigned vc) {
    InputVc& input = router.input(vc);
    const std::uint32_t usable = (router.state().ready & bit(vc)) != 0 ? input.queued_flits + 1 : 0;
    const std::uint64_t last = std::uint64_t{input.front} + usable + input.partial_packet_flits++;
    if (!input.fifo[last % buffer()].tail()) return;
    input.queued_flits = usable + std::exchange(input.partial_packet_flits, 0) - 1;
    router.state().ready |= bit(vc);
  });
}

// --- Routing, and stages 4 to 6 for flits without a conflict -----------------------------------------------

inline void RouterPool::route(const RouterRef router, unsigned vc) {
  InputVc& input = router.input(vc);
  const MessageSlot message = input.fifo[input.front].message();
  const MessageRecord& record = messages_[message];
  const NodeId node = router.state().node;
  input.message = message;
  if (record.head.destination == node) {
    ask_for_ejection(input, vc);
  } else if (vc >= first_injection_vc()) {
    ask_for(input, record.first);
  } else {
    ask_for(input, routing_->first_candidate(node, vc_info(vc).arrival, record.head));
  }
  router.state().routed |= vc_info(vc).bit;
}

void RouterPool::route_ahead(const RouterRef router, unsigned vc) {
  route(router, vc);
}

/// Routes new heads. Returns the flits with a conflict: with a shared input or output port, or a request for
/// the same VC.
inline std::uint64_t RouterPool::find_conflicts(const RouterRef router, std::uint64_t able) {
  const RouterHeader& state = router.state();
  for_each_bit(able & ~(state.active | state.routed), [&](unsigned vc) { route(router, vc); });
  std::uint64_t inputs = 0;  // VCs of their input ports
  std::uint64_t claims = 0;  // their requests
  std::uint64_t shared_inputs = 0;
  std::uint64_t shared_claims = 0;
  for_each_bit(able, [&](unsigned vc) {
    const VcInfo& place = vc_info(vc);
    const std::uint64_t claim = bit(router.input(vc).claim);
    shared_inputs |= inputs & place.of_port;
    shared_claims |= claims & claim;
    inputs |= place.of_port;
    claims |= claim;
  });
  std::uint64_t contenders = able & shared_inputs;
  if (shared_claims == 0) return contenders;
  for_each_bit(able & ~contenders, [&](unsigned vc) {
    if ((shared_claims & bit(router.input(vc).claim)) != 0) contenders |= bit(vc);
  });
  return contenders;
}

template <RouterPool::Step step>
[[gnu::noinline]] void RouterPool::pass_or_arbitrate(const RouterRef router, std::uint64_t able) {
  if (adaptive_) route_adaptively(router, able);
  std::uint64_t contenders = find_conflicts(router, able);
  const bool apart = contenders == 0;
  if (!uncontended_fast_path_) contenders = ~std::uint64_t{0};
  // Winners have their resources and no more conflicts.
  if (contenders != 0) able = (able & ~contenders) | arbitrate(router, contenders);
  for (std::uint64_t left = able; left != 0; left &= left - 1) pass<step>(router, lowest_bit(left));
  // Flits that hold an output VC now stream until their tails have left.
  if (apart && streams_) router.state().streaming = able & router.state().active;
}

/// For a flit behind its head, without a conflict.
template <RouterPool::Step step>
[[gnu::always_inline]] inline void RouterPool::stream(const RouterRef router, unsigned vc) {
  const unsigned output = router.input(vc).output;
  if (!has_room(router, output)) return block_for_room(router, vc);
  traverse<step>(router, vc, output);
}

/// For a flit without a conflict.
template <RouterPool::Step step>
[[gnu::always_inline]] inline void RouterPool::pass(const RouterRef router, unsigned vc) {
  RouterHeader& state = router.state();
  const InputVc& input = router.input(vc);
  unsigned output = input.output;
  if ((state.active & vc_info(vc).bit) == 0) {
    if ((state.routed & vc_info(vc).bit) == 0) route(router, vc);
    const std::uint64_t free = choice(input.choice) & ~state.held;
    if (free == 0) return fail_vc_allocation(router, vc);
    output = choose_vc(router, vc, free);
    if (step != Step::plain && fetches_heads_) fetch_head_behind(router, vc, output);
    const bool room = has_room(router, output);
    // A message of one flit that leaves at once does not hold the VC.
    if (!room || !input.fifo[input.front].tail()) hold_vc(router, vc, output);
    if (!room) return block_for_room(router, vc);
  } else if (!has_room(router, output)) {
    return block_for_room(router, vc);
  }
  traverse<step>(router, vc, output);
}

// --- Stages 4 to 6 as in docs/timing.md --------------------------------------------------------------------

/// Stages 4 and 5 for the input VCs `contenders`. Returns those that go on to stage 6.
[[gnu::noinline]] std::uint64_t RouterPool::arbitrate(const RouterRef router, std::uint64_t contenders) {
  const RouterHeader& state = router.state();
  const std::uint64_t asking = contenders & state.ready & ~(state.active | state.blocked);
  if (asking != 0) allocate_vcs(router, asking);
  const std::uint64_t moving = contenders & state.ready & state.active & ~state.blocked;
  return has_link_intervals() ? allocate_with_intervals(router, moving) : allocate_switch(router, moving);
}

// --- Stage 4: VC allocation --------------------------------------------------------------------------------

/// Returns whether the VC was granted.
inline bool RouterPool::request_vc(const RouterRef router, unsigned vc) {
  const InputVc& input = router.input(vc);
  std::uint64_t free = choice(input.choice) & ~router.state().held;
  if (needs_packet_space()) free = with_required_slots(router, vc, free, input.message);
  if (free == 0) {
    fail_vc_allocation(router, vc);
    return false;
  }
  const unsigned output = choose_vc(router, vc, free);
  hold_vc(router, vc, output);
  if (fetches_heads_) fetch_head_behind(router, vc, output);
  if (vc_delay_ != 0) delay_switch_request(router, vc);
  if (adaptive_ && input.group < link_ports())
    selector_.note_grant(row(router.state().node, vc), input.group);
  return true;
}

/// One of the output VCs `free`.
inline unsigned RouterPool::choose_vc(const RouterRef router, unsigned vc, std::uint64_t free) {
  RoundRobin& group = router.port(router.input(vc).group).next;
  const unsigned output = first_from(free, group.vc);
  group.vc = vc_info(output).next_of_group;
  group.request = vc_info(vc).next;
  return output;
}

inline void RouterPool::hold_vc(const RouterRef router, unsigned vc, unsigned output) {
  RouterHeader& state = router.state();
  state.held |= vc_info(output).bit;
  state.active |= vc_info(vc).bit;
  router.output(output).owner = static_cast<std::uint8_t>(vc);
  router.input(vc).output = static_cast<std::uint8_t>(output);
  router.input(vc).claim = vc_info(output).claim;
}

/// A head with a new VC takes part in switch allocation later; until then it waits without a stall.
[[gnu::noinline]] void RouterPool::delay_switch_request(const RouterRef router, unsigned vc) {
  router.state().blocked |= bit(vc);
  stalls_.begin_later(router, vc, now_ + vc_delay_);
  post(now_ + vc_delay_, router.state().node, {0, bit(router.input(vc).output)}, now_);
}

void RouterPool::fail_vc_allocation(const RouterRef router, unsigned vc) {
  const InputVc& input = router.input(vc);
  const bool taken = (choice(input.choice) & ~router.state().held) == 0;
  router.state().blocked |= bit(vc);
  stalls_.begin_without_vc(router, vc,
                           input.group == link_ports() ? StallCause::ejection_busy
                           : taken                     ? StallCause::vc_taken
                                                       : StallCause::no_credit,
                           now_);
}

inline void RouterPool::allocate_vcs(const RouterRef router, std::uint64_t asking) {
  // Slots beyond the next one change with every grant, so all heads that wait for them request again
  // together.
  if (needs_packet_space()) {
    asking |= router.state().no_vc();
    retry_heads(router, now_);
  }
  const std::uint64_t hopeful = adaptive_ ? select_candidates(router, asking) : 0;
  std::uint64_t groups = 0;
  std::array<std::uint64_t, kMaxPorts> requests;
  for_each_bit(asking, [&](unsigned vc) {
    const unsigned group = router.input(vc).group;
    requests[group] = ((groups & bit(group)) != 0 ? requests[group] : 0) | bit(vc);
    groups |= bit(group);
  });
  for_each_bit(groups, [&](unsigned number) {
    const unsigned first = router.port(number).next.request;
    bool granted = false;
    for (std::uint64_t left = requests[number]; left != 0;) {
      const unsigned vc = first_from(left, first);
      left &= ~bit(vc);
      if (request_vc(router, vc)) granted = true;
    }
    // A grant changes the cause of earlier heads from no_credit to vc_taken.
    if (granted && needs_packet_space()) retry_group(router, number, now_ + 1);
  });
  if (hopeful != 0) ask_again(router, hopeful);
}

/// The output VCs of a link with the required slots; all of ejection channels.
std::uint64_t RouterPool::with_required_slots(const RouterRef router, unsigned vc, std::uint64_t outputs,
                                              MessageSlot message) {
  std::uint64_t result = outputs;
  for_each_bit(outputs & (bit(first_injection_vc()) - 1), [&](unsigned output) {
    const OutputVc& target = router.output(output);
    const std::uint32_t last = required_slots(vc, output, messages_[message].flits) - 1;
    Slot& slot = target.fifo[(std::uint64_t{target.back} + last) % target.length];
    if (slot.seen().usable(now_)) return;
    result &= ~bit(output);
    expect_credit(router, output, slot);
  });
  return result;
}

void RouterPool::retry_heads(const RouterRef router, Cycle from) {
  const std::uint64_t heads = router.state().no_vc();
  router.state().blocked &= ~heads;
  for_each_bit(heads, [&](unsigned vc) { stalls_.end(router, vc, from); });
}

void RouterPool::retry_group(const RouterRef router, unsigned group, Cycle from) {
  for_each_bit(router.state().no_vc(), [&](unsigned vc) {
    if (router.input(vc).group != group) return;
    router.state().blocked &= ~bit(vc);
    stalls_.end(router, vc, from);
  });
}

// --- Stage 5: switch allocation --------------------------------------------------------------------------

[[gnu::always_inline]] inline bool RouterPool::has_room(const RouterRef router, unsigned output) const {
  return router.output(output).next().seen().usable(now_);
}

void RouterPool::block_for_room(const RouterRef router, unsigned vc) {
  const unsigned output = router.input(vc).output;
  router.state().blocked |= bit(vc);
  stalls_.begin_with_vc(
      router, vc, output < first_injection_vc() ? StallCause::no_credit : StallCause::ejection_busy, now_);
  expect_credit(router, output, router.output(output).next());
}

void RouterPool::expect_credit(const RouterRef router, unsigned output, Slot& slot) {
  if (const Slot seen = slot.seen(); !seen.occupied()) {  // the credit is in flight
    return post(seen.free_from(), router.state().node, {0, bit(output)}, now_);
  }
  const NodeId receiver = router.output(output).receiver;
  if (receiver == kNoNode) return;
  if (!range_.contains(receiver)) return beyond_range_.credits.push_back({router, output, &slot});
  state_of(receiver).awaited |= bit(output);
}

/// Returns the winners.
inline std::uint64_t RouterPool::allocate_switch(const RouterRef router, std::uint64_t moving) {
  std::uint64_t candidates = moving;
  for_each_bit(moving, [&](unsigned vc) {
    if (has_room(router, router.input(vc).output)) return;
    candidates &= ~bit(vc);
    block_for_room(router, vc);
  });
  if (is_single(candidates)) return candidates;
  const std::uint64_t others = candidates & (candidates - 1);
  if (is_single(others)) return choose_of_two(router, lowest_bit(candidates), lowest_bit(others));
  return choose(router, candidates);
}

/// Both stages for two flits.
inline std::uint64_t RouterPool::choose_of_two(const RouterRef router, unsigned one, unsigned other) {
  const std::uint64_t both = bit(one) | bit(other);
  const VcInfo& input = vc_info(one);
  const VcInfo& output = vc_info(router.input(one).output);
  unsigned first = 0;
  if ((input.of_port & both) == both) {
    first = router.port(input).next.input;
  } else if ((output.of_port & bit(router.input(other).output)) != 0) {
    first = router.port(output).next.output;
  } else {
    return both;
  }
  const unsigned winner = first_from(both, first);
  stalls_.lose_switch(router, one ^ other ^ winner, winner, now_);
  return bit(winner);
}

/// Both stages for any number of flits.
[[gnu::noinline]] std::uint64_t RouterPool::choose(const RouterRef router, std::uint64_t candidates) {
  // Input stage: every input port picks one of its VCs.
  std::uint64_t picks = 0;
  std::uint64_t wanted = 0;                     // output ports
  std::array<std::uint64_t, kMaxPorts> picked;  // for each of these: VCs
  for (std::uint64_t left = candidates; left != 0;) {
    const VcInfo& place = vc_info(lowest_bit(left));
    const unsigned vc = first_from(left & place.of_port, router.port(place).next.input);
    const unsigned output = vc_info(router.input(vc).output).port;
    picked[output] = ((wanted & bit(output)) != 0 ? picked[output] : 0) | bit(vc);
    wanted |= bit(output);
    picks |= bit(vc);
    left &= ~place.of_port;
  }
  // Output stage: every output port picks one of the input ports.
  std::uint64_t winners = 0;
  for_each_bit(wanted, [&](unsigned output) {
    winners |= bit(first_from(picked[output], router.port(output).next.output));
  });
  for_each_bit(candidates & ~winners, [&](unsigned vc) {
    // The culprit is the pick at the same input port, or else the winner of the output port.
    std::uint64_t winner = picks & vc_info(vc).of_port;
    if (winner == bit(vc)) winner = winners & picked[vc_info(router.input(vc).output).port];
    stalls_.lose_switch(router, vc, lowest_bit(winner), now_);
  });
  return winners;
}

/// As allocate_switch() where links have intervals: flits for busy links wait.
std::uint64_t RouterPool::allocate_with_intervals(const RouterRef router, std::uint64_t moving) {
  const NodeId node = router.state().node;
  std::uint64_t candidates = moving;
  for_each_bit(moving, [&](unsigned vc) {
    const unsigned output = router.input(vc).output;
    if (output >= first_injection_vc() || !has_room(router, output)) return;
    const Cycle free_from = link_interval(node, vc_info(output).port).free_from;
    if (free_from <= now_) return;
    candidates &= ~bit(vc);
    wait_for_link(router, vc, free_from);
  });
  const std::uint64_t winners = allocate_switch(router, candidates);
  for_each_bit(winners, [&](unsigned vc) {
    const InputVc& input = router.input(vc);
    if (input.output >= first_injection_vc()) return;
    link_interval(node, vc_info(input.output).port).take(now_, messages_[input.message].id);
  });
  return winners;
}

void RouterPool::wait_for_link(const RouterRef router, unsigned vc, Cycle free_from) {
  router.state().blocked |= bit(vc);
  stalls_.begin_with_vc(router, vc, StallCause::switch_lost, now_);
  post(free_from, router.state().node, {0, bit(router.input(vc).output)}, now_);
}

// --- Stage 6: traversal ----------------------------------------------------------------------------------

template <RouterPool::Step step>
[[gnu::always_inline]] inline void RouterPool::traverse(const RouterRef router, unsigned vc,
                                                        unsigned output) {
  InputVc& input = router.input(vc);
  OutputVc& target = router.output(output);
  const VcInfo& from = vc_info(vc);
  const VcInfo& to = vc_info(output);
  router.port(from).next.input = from.next_of_port;
  router.port(to).next.output = from.next_input;

  const Slot flit = input.fifo[input.front].take(now_ + input.slot_delay);
  input.front = behind(input.front);
  if (input.queued_flits == 0) {
    router.state().ready &= ~from.bit;
  } else {
    --input.queued_flits;
  }
  if ((router.state().awaited & from.bit) != 0) return_slot(router, vc, from.port);

  ++target.flits;
  if constexpr (step == Step::watched) moves_.push_back({vc, output, flit});
  if (target.leads == OutputTarget::to_router) {
    target.next() = flit;
    target.back = behind(target.back);
    after_hop_.arrive(target.receiver, to.bit);
    ++flit_hops_;
  } else if (target.leads == OutputTarget::out) {
    target.next() = Slot::free_from(now_ + ejection_interval_);
    eject(flit);
  } else {
    send_far(router, output, flit);
  }
  if (flit.tail()) {
    ++router.port(to).messages;
    router.state().routed &= ~from.bit;
    if ((router.state().active & from.bit) != 0) release(router, vc, output);
  }
}

[[gnu::noinline]] void RouterPool::release(const RouterRef router, unsigned vc, unsigned output) {
  RouterHeader& state = router.state();
  state.active &= ~vc_info(vc).bit;
  state.streaming &= ~vc_info(vc).bit;
  if (vc_reallocation_delay_ > 1 && output < first_injection_vc()) return start_vc_cooldown(router, output);
  state.held &= ~vc_info(output).bit;
  // Heads that wait for this group request again in the next cycle.
  if (state.no_vc() == 0) return;
  if (adaptive_) return retry_heads(router, now_ + 1);
  retry_group(router, std::min<unsigned>(vc_info(output).port, link_ports()), now_ + 1);
}

/// The VC stays taken without an owner until the end of its cooldown. Heads that wait for it request again,
/// since the culprit has changed.
[[gnu::noinline]] void RouterPool::start_vc_cooldown(const RouterRef router, unsigned output) {
  router.output(output).owner = kNoOwner;
  cooldowns_.push_back({now_ + vc_reallocation_delay_, router.state().node, output});
  agenda_.wake_at(router.state().node, now_ + vc_reallocation_delay_, now_);
  retry_heads(router, now_ + 1);
}

/// Releases VCs at the end of their cooldown, at the beginning of a cycle.
void RouterPool::release_due_vcs() {
  for (; !cooldowns_.empty() && cooldowns_.front().until <= now_; cooldowns_.pop_front()) {
    const RouterRef router = at(cooldowns_.front().node);
    router.state().held &= ~bit(cooldowns_.front().output);
    retry_heads(router, now_);
  }
}

[[gnu::noinline]] void RouterPool::eject(Slot flit) {
  const Cycle arrival = now_ + link_delay_;
  if (flit.head()) messages_[flit.message()].head_arrived = arrival;
  if (flit.tail()) arriving_.add(flit.message(), arrival, now_);
}

/// Sends a flit over a link with a delay of its own, or to an external module.
[[gnu::noinline]] void RouterPool::send_far(const RouterRef router, unsigned output, Slot flit) {
  OutputVc& target = router.output(output);
  if (target.leads == OutputTarget::to_module)
    return send_to_external(router, vc_info(output).port, output, flit);
  target.next() = flit;
  target.back = behind(target.back);
  post(now_ + target.delay + router_delay_, target.receiver, {bit(output), 0}, now_);
  ++flit_hops_;
  if (!flit.head()) return;
  messages_[flit.message()].link_excess +=
      std::int64_t{target.delay} - static_cast<std::int64_t>(link_delay_);
}

void RouterPool::send_to_external(const RouterRef router, unsigned number, unsigned output, Slot flit) {
  OutputVc& target = router.output(output);
  target.next() = flit;
  target.back = target.back + 1 == target.length ? 0 : target.back + 1;
  const MessageRecord& message = messages_[flit.message()];
  external_.at(router.state().node, number)
      .put(output - first_vc(number), {flit.message(), flit.index(), flit.head(), flit.tail(), message.id,
                                       message.source, message.head.destination});
  if (number >= link_ports()) return eject(flit);
  // A router behind the module writes this again; a module that keeps the message does not.
  if (flit.head()) messages_[flit.message()].head_arrived = now_ + target.delay;
  ++flit_hops_;
}

}  // namespace flitscope
