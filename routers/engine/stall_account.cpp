#include "routers/engine/stall_account.h"

#include <utility>

namespace flitscope {

void StallAccount::observe(StallObserver* observer) {
  spans_.reset();
  if (observer != nullptr) spans_ = std::make_shared<StallSpans>(routers_.nodes(), *observer);
}

void StallAccount::take_over(StallAccount& part) {
  for (unsigned cause = 0; cause < kStallCauses; ++cause) {
    totals_[cause] += std::exchange(part.totals_[cause], 0);
  }
  for (const FlitStall& stall : part.over_) spans_->tell(stall);
  part.over_.clear();
}

void StallAccount::count(const Here here, unsigned vc, StallCause cause, Cycle cycles) {
  const InputVc& input = here.input(vc);
  totals_[static_cast<unsigned>(cause)] += cycles;
  const bool active = (here.state().active & bit(vc)) != 0;
  here.port(active ? routers_.port_of_vc(input.output) : input.group).stalled += cycles;
  if (input.fifo[input.front].head()) {
    messages_[input.message].head_stalls[static_cast<unsigned>(cause)] += cycles;
  }
}

void StallAccount::end(const Here here, unsigned vc, Cycle end) {
  Blocked& blocked = blocked_[routers_.row(here.state().node, vc)];
  if (blocked.counted_to < end) {
    const Cycle from = std::exchange(blocked.counted_to, end);
    count(here, vc, here.input(vc).cause, end - from);
  }
  // Also if all of it has been counted: it is over.
  if (spans_ != nullptr) spans_->end(here.state().node, vc, end);
}

void StallAccount::lose_switch(const Here here, unsigned vc, unsigned winner, Cycle now) {
  count(here, vc, StallCause::switch_lost, 1);
  if (spans_ != nullptr) note_lost_switch(here, vc, winner, now);
}

void StallAccount::note_lost_switch(const Here here, unsigned vc, unsigned winner, Cycle now) {
  note(here, vc, StallCause::switch_lost, {id_of(here.input(winner).message), nullptr}, now);
  spans_->end(here.state().node, vc, now + 1);
}

void StallAccount::settle(Cycle now) {
  for (NodeId node = 0; node < routers_.nodes(); ++node) {
    const Here here = routers_.at(node);
    const std::uint64_t blocked = here.state().blocked;
    for_each_bit(blocked, [&](unsigned vc) { end(here, vc, now); });
    if (spans_ == nullptr) continue;
    spans_->report(node, now);
    for_each_bit(blocked, [&](unsigned vc) {
      if (since(node, vc) < now) note_begin(here, vc, here.input(vc).cause, now);
    });
  }
}

/// The message whose flit was, at the beginning of the cycle, in the slot that an output VC comes to after
/// `ahead` others. None if its credit was on its way.
StallAccount::Culprit StallAccount::occupant(const Here here, unsigned output, std::uint64_t ahead,
                                             Cycle now) const {
  const OutputVc& target = here.output(output);
  Slot& place = target.fifo[(target.back + ahead) % target.length];
  const Slot slot = place.seen();
  if (slot.occupied()) return {id_of(slot.message()), &place};
  // A receiver that has been looked at in this cycle already may have sent the flit on: one of the message
  // that it has routed last.
  if (target.receiver == kNoNode) return {std::nullopt, &place};
  const InputVc& behind = routers_.input(target.receiver, output);
  if (slot.free_from() != now + behind.slot_delay) return {std::nullopt, &place};
  return {id_of(behind.message), &place};
}

StallAccount::Culprit StallAccount::culprit_of(const Here here, unsigned vc, StallCause cause,
                                               Cycle now) const {
  const InputVc& input = here.input(vc);
  const std::uint64_t held = here.state().held;
  if ((here.state().active & bit(vc)) != 0) {
    // On an ejection channel nothing is lacking but time.
    if (input.output >= routers_.first_injection_vc()) return {};
    if (cause == StallCause::no_credit) return occupant(here, input.output, 0, now);
    return {routers_.pace(here.state().node, routers_.port_of_vc(input.output)).last_message, nullptr};
  }
  const std::uint64_t choices = routers_.choice(input.choice);
  if (cause != StallCause::no_credit) {
    const unsigned holder = here.output(lowest_bit(choices & held)).owner;
    if (holder == kNoOwner) return {};
    return {id_of(here.input(holder).message), nullptr};
  }
  // Free VCs without the room that they must have first.
  const unsigned output = lowest_bit(choices & ~held);
  return occupant(here, output, routers_.room_first(vc, output, messages_[input.message].flits) - 1, now);
}

void StallAccount::note_begin(const Here here, unsigned vc, StallCause cause, Cycle now) {
  note(here, vc, cause, culprit_of(here, vc, cause, now), now);
}

void StallAccount::note(const Here here, unsigned vc, StallCause cause, Culprit culprit, Cycle now) {
  const InputVc& input = here.input(vc);
  const Slot flit = input.fifo[input.front];
  FlitStall stall{.from = now,
                  .cycles = 0,
                  .node = here.state().node,
                  .input_vc = vc,
                  .cause = cause,
                  .port = input.group,
                  .vc = {},
                  .message = messages_[flit.message()].id,
                  .index = flit.index(),
                  .culprit = culprit.message};
  if ((here.state().active & bit(vc)) != 0) {
    stall.port = routers_.port_of_vc(input.output);
    stall.vc = input.output - routers_.first_vc(stall.port);
  }
  spans_->begin(stall, culprit.slot);
}

}  // namespace flitscope
