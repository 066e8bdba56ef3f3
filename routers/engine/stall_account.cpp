#include "routers/engine/stall_account.h"

#include <utility>

namespace flitscope {

void StallAccount::observe(StallObserver* observer) {
  spans_.reset();
  if (observer != nullptr) spans_ = std::make_shared<StallSpans>(routers_.nodes(), *observer);
}

void StallAccount::merge(StallAccount& part) {
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    totals_[cause] += std::exchange(part.totals_[cause], 0);
  }
  for (const FlitStall& stall : part.over_) spans_->report(stall);
  part.over_.clear();
}

void StallAccount::count(const RouterRef router, unsigned vc, StallCause cause, Cycle cycles) {
  const InputVc& input = router.input(vc);
  totals_[static_cast<unsigned>(cause)] += cycles;
  const bool active = (router.state().active & bit(vc)) != 0;
  router.port(active ? routers_.port_of_vc(input.output) : input.group).stalled += cycles;
  if (input.fifo[input.front].head()) {
    messages_[input.message].head_stalls[static_cast<unsigned>(cause)] += cycles;
  }
}

void StallAccount::end(const RouterRef router, unsigned vc, Cycle end) {
  Blocked& blocked = blocked_[routers_.row(router.state().node, vc)];
  if (blocked.counted_to < end) {
    const Cycle from = std::exchange(blocked.counted_to, end);
    count(router, vc, router.input(vc).cause, end - from);
  }
  // Also for a stall that is counted already.
  if (spans_ != nullptr) spans_->end(router.state().node, vc, end);
}

void StallAccount::lose_switch(const RouterRef router, unsigned vc, unsigned winner, Cycle now) {
  count(router, vc, StallCause::switch_lost, 1);
  if (spans_ != nullptr) note_lost_switch(router, vc, winner, now);
}

void StallAccount::note_lost_switch(const RouterRef router, unsigned vc, unsigned winner, Cycle now) {
  note(router, vc, StallCause::switch_lost, {id_of(router.input(winner).message), nullptr}, now);
  spans_->end(router.state().node, vc, now + 1);
}

void StallAccount::settle(Cycle now) {
  for (NodeId node = 0; node < routers_.nodes(); ++node) {
    const RouterRef router = routers_.at(node);
    const std::uint64_t blocked = router.state().blocked;
    for_each_bit(blocked, [&](unsigned vc) { end(router, vc, now); });
    if (spans_ == nullptr) continue;
    spans_->report(node, now);
    for_each_bit(blocked, [&](unsigned vc) {
      if (since(node, vc) < now) note_begin(router, vc, router.input(vc).cause, now);
    });
  }
}

/// The message whose flit was in a slot of an output VC, `ahead` behind the next, at the beginning of the
/// cycle. None if its credit was in flight.
StallAccount::Culprit StallAccount::occupant(const RouterRef router, unsigned output, std::uint64_t ahead,
                                             Cycle now) const {
  const OutputVc& target = router.output(output);
  Slot& place = target.fifo[(target.back + ahead) % target.length];
  const Slot slot = place.seen();
  if (slot.occupied()) return {id_of(slot.message()), &place};
  // A receiver stepped earlier in this cycle may have sent the flit on: it belongs to its last routed
  // message.
  if (target.receiver == kNoNode) return {std::nullopt, &place};
  const InputVc& behind = routers_.input(target.receiver, output);
  if (slot.free_from() != now + behind.slot_delay) return {std::nullopt, &place};
  return {id_of(behind.message), &place};
}

StallAccount::Culprit StallAccount::culprit_of(const RouterRef router, unsigned vc, StallCause cause,
                                               Cycle now) const {
  const InputVc& input = router.input(vc);
  const std::uint64_t held = router.state().held;
  if ((router.state().active & bit(vc)) != 0) {
    // An ejection channel lacks only time.
    if (input.output >= routers_.first_injection_vc()) return {};
    if (cause == StallCause::no_credit) return occupant(router, input.output, 0, now);
    return {routers_.link_interval(router.state().node, routers_.port_of_vc(input.output)).last_message,
            nullptr};
  }
  const std::uint64_t choices = routers_.choice(input.choice);
  if (cause != StallCause::no_credit) {
    const unsigned holder = router.output(lowest_bit(choices & held)).owner;
    if (holder == kNoOwner) return {};
    return {id_of(router.input(holder).message), nullptr};
  }
  // Free VCs without the required slots.
  const unsigned output = lowest_bit(choices & ~held);
  return occupant(router, output, routers_.required_slots(vc, output, messages_[input.message].flits) - 1,
                  now);
}

void StallAccount::note_begin(const RouterRef router, unsigned vc, StallCause cause, Cycle now) {
  note(router, vc, cause, culprit_of(router, vc, cause, now), now);
}

void StallAccount::note(const RouterRef router, unsigned vc, StallCause cause, Culprit culprit, Cycle now) {
  const InputVc& input = router.input(vc);
  const Slot flit = input.fifo[input.front];
  FlitStall stall{.from = now,
                  .cycles = 0,
                  .node = router.state().node,
                  .input_vc = vc,
                  .cause = cause,
                  .port = input.group,
                  .vc = {},
                  .message = messages_[flit.message()].id,
                  .index = flit.index(),
                  .culprit = culprit.message};
  if ((router.state().active & bit(vc)) != 0) {
    stall.port = routers_.port_of_vc(input.output);
    stall.vc = input.output - routers_.first_vc(stall.port);
  }
  spans_->begin(stall, reinterpret_cast<std::uintptr_t>(culprit.slot));
}

}  // namespace flitscope
