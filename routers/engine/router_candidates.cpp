// Heads with several candidates: the selection of a candidate in each cycle (docs/timing.md, "Candidates").
#include <stdexcept>

#include "routers/engine/router_pool.h"

namespace flitscope {

/// What a router knows of queues; only its own here (see ClockDomain::steps_together_only).
class RouterPool::Queues final : public LinkQueues {
 public:
  Queues(const RouterPool& routers, const RouterRef router) : routers_(routers), router_(router) {}
  std::uint64_t queued(unsigned port) const override { return routers_.queued_flits(router_, port); }
  std::uint64_t queued_before(ChannelId /*link*/, Cycle /*ago*/) const override {
    throw std::logic_error("the queues of other routers are not kept");
  }
  Cycle delay(ChannelId /*link*/) const override { return 0; }
  std::uint64_t slots() const override { return 0; }

 private:
  const RouterPool& routers_;
  const RouterRef router_;
};

/// Routes new heads among these input VCs to ejection if they are at their destination.
void RouterPool::route_adaptively(const RouterRef router, std::uint64_t heads) {
  for_each_bit(heads & ~(router.state().active | router.state().routed), [&](unsigned vc) {
    InputVc& input = router.input(vc);
    input.message = input.fifo[input.front].message();
    input.group = input.claim = 0;  // until its request
    if (messages_[input.message].head.destination == router.state().node) ask_for_ejection(input, vc);
    router.state().routed |= bit(vc);
  });
}

/// Each of these heads requests one of its candidates. Returns those with an open candidate: if they get no
/// VC, they try again in the next cycle.
std::uint64_t RouterPool::select_candidates(const RouterRef router, std::uint64_t heads) {
  std::uint64_t hopeful = 0;
  for_each_bit(heads, [&](unsigned vc) {
    InputVc& input = router.input(vc);
    if (input.group == link_ports()) return;
    candidates_.clear();
    offers_.clear();
    routing_->add_candidates(router.state().node, vc_info(vc).arrival, messages_[input.message].head,
                             candidates_);
    if (candidates_.size() > 1 && routing_->weighs()) {
      ask_for(input, routing_->lightest(router.state().node, messages_[input.message].head, candidates_,
                                        Queues(*this, router)));
      hopeful |= bit(vc);
      return;
    }
    for (const Candidate& candidate : candidates_) {
      offers_.push_back(offer(router, vc, candidate));
    }
    const auto selected = selector_.select(row(router.state().node, vc), offers_);
    if (selected) hopeful |= bit(vc);
    ask_for(input, candidates_[selected.value_or(0)]);
  });
  return hopeful;
}

/// Slots behind the VCs of a link port that are not usable.
std::uint64_t RouterPool::queued_flits(const RouterRef router, unsigned port) const {
  std::uint64_t flits = 0;
  for (unsigned vc = 0; vc < virtual_channels(); ++vc) {
    const OutputVc& output = router.output(port * virtual_channels() + vc);
    flits += output.length - usable_slots(output);
  }
  return flits;
}

Offer RouterPool::offer(const RouterRef router, unsigned vc, Candidate candidate) {
  std::uint64_t open = choice(link_choice(candidate.port, candidate.channel_class)) & ~router.state().held;
  if (needs_packet_space()) open = with_required_slots(router, vc, open, router.input(vc).message);
  Offer offer{.candidate = candidate,
              .escape = (routing_->escape_classes() >> candidate.channel_class & 1) != 0,
              .open = open != 0};
  if (selector_.counts_credits()) {
    for_each_bit(open, [&](unsigned output) { offer.credits += usable_slots(router.output(output)); });
  }
  return offer;
}

/// Counts usable slots by bisection: slots get free in the order in which they are written.
std::uint32_t RouterPool::usable_slots(const OutputVc& target) const {
  std::uint32_t usable = 0;
  for (std::uint32_t beyond = target.length; usable < beyond;) {
    const std::uint32_t middle = usable + (beyond - usable) / 2;
    const bool free = target.fifo[(std::uint64_t{target.back} + middle) % target.length].seen().usable(now_);
    (free ? usable : beyond) = free ? middle + 1 : middle;
  }
  return usable;
}

/// Heads among these without a VC request again in the next cycle.
void RouterPool::ask_again(const RouterRef router, std::uint64_t heads) {
  for_each_bit(heads & router.state().no_vc(), [&](unsigned vc) {
    router.state().blocked &= ~bit(vc);
    stalls_.end(router, vc, now_ + 1);
  });
}

std::uint64_t RouterPool::admissible(NodeId node, unsigned vc) const {
  const InputVc& head = input(node, vc);
  if (!adaptive_ || head.group == link_ports()) return choice(head.choice);
  std::vector<Candidate> candidates;
  routing_->add_candidates(node, vc_info(vc).arrival, messages_[head.message].head, candidates);
  std::uint64_t outputs = 0;
  for (const Candidate& candidate : candidates) {
    outputs |= choice(link_choice(candidate.port, candidate.channel_class));
  }
  return outputs;
}

std::uint64_t RouterPool::waiting(NodeId node) const {
  const RouterHeader& state = header(node);
  // Not no_vc(): heads that will request a VC again in the next cycle are not in there.
  return state.ready & (state.no_room() | (state.routed & ~state.active));
}

RouterCore::Waiting RouterPool::waiting(NodeId node, unsigned vc) const {
  const InputVc& from = input(node, vc);
  Waiting waiting{.message = from.message, .since = stalled_since(node, vc)};
  if ((header(node).active & bit(vc)) != 0) {
    waiting.output = from.output;
  } else if (from.group < link_ports()) {
    waiting.admissible = admissible(node, vc);
  }
  return waiting;
}

std::optional<unsigned> RouterPool::holder(NodeId node, unsigned output) const {
  const unsigned owner = RouterMemory::output(node, output).owner;
  if ((header(node).held & bit(output)) == 0 || owner == kNoOwner) return std::nullopt;
  return owner;
}

std::uint64_t RouterPool::blocking_inputs(NodeId node, unsigned output, std::uint32_t flits) const {
  const OutputVc& target = RouterMemory::output(node, output);
  if (port_of_vc(output) >= link_ports() || target.receiver == kNoNode) return 0;
  const bool occupied = target.fifo[(std::uint64_t{target.back} + flits - 1) % target.length].occupied();
  return occupied ? bit(output) : 0;
}

RouterCore::InputState RouterPool::input_state(NodeId node, unsigned vc) const {
  const InputVc& from = input(node, vc);
  const Slot front = from.fifo[from.front];
  InputState state{.holds = (header(node).active & bit(vc)) != 0};
  for (std::uint32_t slot = 0; slot < buffer(); ++slot) state.flits += from.fifo[slot].occupied() ? 1 : 0;
  if (front.occupied()) {
    state.message = front.message();
    state.index = front.index();
  } else if (state.holds) {
    state.message = from.message;
  }
  if (state.holds) {
    state.port = port_of_vc(from.output);
  } else if ((header(node).routed & bit(vc)) != 0) {
    state.port = from.group;
  }
  return state;
}

std::uint32_t RouterPool::usable_slots(NodeId node, unsigned output, std::vector<Cycle>& returning) const {
  const OutputVc& target = RouterMemory::output(node, output);
  std::uint32_t usable = 0;
  returning.clear();
  for (std::uint32_t number = 0; number < target.length; ++number) {
    const Slot slot = target.fifo[number];
    if (slot.usable(now_)) {
      ++usable;
    } else if (!slot.occupied()) {
      returning.push_back(slot.free_from());
    }
  }
  return usable;
}

}  // namespace flitscope
