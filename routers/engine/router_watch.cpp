// What routers tell those who watch them. Nothing of this is called while nobody does.
#include <utility>

#include "routers/engine/router_pool.h"

namespace flitscope {

void RouterPool::observe(FlitObserver* observer, std::span<const NodeId> nodes) {
  observer_ = observer;
  watched_.assign(nodes_, nodes.empty() ? 1 : 0);
  for (const NodeId node : nodes) watched_[node] = 1;
}

void RouterPool::observe_stalls(StallObserver* observer) {
  stall_observer_ = observer;
  culprits_.resize(std::size_t{nodes_} * input_vcs_);
}

void RouterPool::note_move(const Here here, unsigned vc, unsigned output, Slot flit) {
  if (watched_[here.state().node] != 0) moves_.push_back({vc, output, flit});
}

/// What happened in between is read off the state before and after, so that the stages need not tell. In one
/// cycle an input VC loses one flit at most, and a head that comes to the front by it is not routed yet.
void RouterPool::step_watched(NodeId node, InjectionSide& interfaces) {
  const Here here = at(node);
  const RouterHeader before = here.state();
  moves_.clear();
  step_unwatched(node, interfaces);
  std::uint64_t routed = here.state().routed;
  std::uint64_t granted = here.state().active;
  std::array<std::uint8_t, kMaxVirtualChannels> output;
  for_each_bit(granted, [&](unsigned vc) { output[vc] = here.input(vc).output; });
  for (const Move& move : moves_) {
    if (!move.flit.head()) continue;
    routed |= bit(move.input_vc);
    granted |= bit(move.input_vc);
    output[move.input_vc] = static_cast<std::uint8_t>(move.output_vc);
  }
  for_each_bit(routed & ~before.routed, [&](unsigned vc) {
    const InputVc& input = here.input(vc);
    observer_->routed(now_, node, vc, input.group, messages_[input.message].id);
  });
  for_each_bit(granted & ~before.active, [&](unsigned vc) {
    const unsigned port = place_[output[vc]].port;
    observer_->granted(now_, node, vc, port, output[vc] - first_vc(port),
                       messages_[here.input(vc).message].id);
  });
  for (const Move& move : moves_) {
    const unsigned port = place_[move.output_vc].port;
    observer_->moved(now_, node, port, move.output_vc - first_vc(port), messages_[move.flit.message()].id,
                     move.flit.index(), move.flit.tail());
  }
}

MessageSlot RouterPool::culprit_of(const Here here, unsigned vc, StallCause cause) const {
  const InputVc& input = here.input(vc);
  const auto in_the_slot = [](Slot slot) { return slot.occupied() ? slot.message() : kNoMessage; };
  const std::uint64_t held = here.state().held;
  if ((here.state().active & bit(vc)) != 0) {
    // On an ejection channel nothing is lacking but time.
    const bool link = input.output < first_injection_vc_;
    return link ? in_the_slot(here.output(input.output).next()) : kNoMessage;
  }
  const std::uint64_t choices = choices_[input.choice];
  if (cause != StallCause::no_credit) {
    const unsigned holder = here.output(lowest_bit(choices & held)).owner;
    return here.input(holder).message;
  }
  // Free VCs without room for the whole message.
  const OutputVc& target = here.output(lowest_bit(choices & ~held));
  const std::uint64_t last = std::uint64_t{target.back} + messages_[input.message].flits - 1;
  return in_the_slot(target.fifo[last % target.length]);
}

void RouterPool::note_culprit(const Here here, unsigned vc, StallCause cause) {
  const MessageSlot slot = culprit_of(here, vc, cause);
  auto& culprit = culprits_[std::size_t{here.state().node} * input_vcs_ + vc];
  culprit.reset();
  if (slot != kNoMessage) culprit = messages_[slot].id;
}

void RouterPool::report_stall(const Here here, unsigned vc, StallCause cause, Cycle from, Cycle cycles,
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
    stall.port = place_[input.output].port;
    stall.vc = input.output - first_vc(stall.port);
  }
  stall_observer_->stalled(stall);
}

void RouterPool::report_switch_lost(const Here here, unsigned vc, unsigned winner) const {
  report_stall(here, vc, StallCause::switch_lost, now_, 1, messages_[here.input(winner).message].id);
}

}  // namespace flitscope
