#include "routers/engine/stall_account.h"

#include <utility>

namespace flitscope {

void StallAccount::observe(StallObserver* observer) {
  observer_ = observer;
  culprits_.resize(since_.size());
}

void StallAccount::count(const Here here, unsigned vc, StallCause cause, Cycle cycles) {
  const InputVc& input = here.input(vc);
  totals_[static_cast<unsigned>(cause)] += cycles;
  const bool active = (here.state().active & bit(vc)) != 0;
  here.port[active ? routers_.port_of_vc(input.output) : input.group].stalled += cycles;
  if (input.fifo[input.front].head()) {
    messages_[input.message].head_stalls[static_cast<unsigned>(cause)] += cycles;
  }
}

void StallAccount::end(const Here here, unsigned vc, Cycle end) {
  InputVc& input = here.input(vc);
  const Cycle from = std::exchange(input.blocked_since, end);
  if (from == end) return;
  count(here, vc, input.cause, end - from);
  if (observer_ == nullptr) return;
  report(here, vc, input.cause, from, end - from, culprit(here.state().node, vc));
}

void StallAccount::lose_switch(const Here here, unsigned vc, unsigned winner, Cycle now) {
  count(here, vc, StallCause::switch_lost, 1);
  if (observer_ == nullptr) return;
  report(here, vc, StallCause::switch_lost, now, 1, messages_[here.input(winner).message].id);
}

void StallAccount::settle(Cycle now) {
  for (NodeId node = 0; node < routers_.nodes(); ++node) {
    const Here here = routers_.at(node);
    for_each_bit(here.state().no_room | here.state().no_vc, [&](unsigned vc) { end(here, vc, now); });
  }
}

MessageSlot StallAccount::culprit_of(const Here here, unsigned vc, StallCause cause) const {
  const InputVc& input = here.input(vc);
  const auto in_the_slot = [](Slot slot) { return slot.occupied() ? slot.message() : kNoMessage; };
  const std::uint64_t held = here.state().held;
  if ((here.state().active & bit(vc)) != 0) {
    // On an ejection channel nothing is lacking but time.
    const bool link = input.output < routers_.first_injection_vc();
    return link ? in_the_slot(here.output(input.output).next()) : kNoMessage;
  }
  const std::uint64_t choices = routers_.choice(input.choice);
  if (cause != StallCause::no_credit) {
    const unsigned holder = here.output(lowest_bit(choices & held)).owner;
    return here.input(holder).message;
  }
  // Free VCs without room for the whole message.
  const OutputVc& target = here.output(lowest_bit(choices & ~held));
  const std::uint64_t last = std::uint64_t{target.back} + messages_[input.message].flits - 1;
  return in_the_slot(target.fifo[last % target.length]);
}

void StallAccount::note_culprit(const Here here, unsigned vc, StallCause cause) {
  const MessageSlot slot = culprit_of(here, vc, cause);
  auto& culprit = culprits_[routers_.row(here.state().node, vc)];
  culprit.reset();
  if (slot != kNoMessage) culprit = messages_[slot].id;
}

void StallAccount::report(const Here here, unsigned vc, StallCause cause, Cycle from, Cycle cycles,
                          std::optional<std::uint64_t> culprit) const {
  const InputVc& input = here.input(vc);
  const Slot flit = input.fifo[input.front];
  FlitStall stall{.from = from,
                  .cycles = cycles,
                  .node = here.state().node,
                  .input_vc = vc,
                  .cause = cause,
                  .port = input.group,
                  .vc = {},
                  .message = messages_[flit.message()].id,
                  .index = flit.index(),
                  .culprit = culprit};
  if ((here.state().active & bit(vc)) != 0) {
    stall.port = routers_.port_of_vc(input.output);
    stall.vc = input.output - routers_.first_vc(stall.port);
  }
  observer_->stalled(stall);
}

}  // namespace flitscope
