// One router for one cycle: arrivals, routing and VC allocation, switch allocation, traversal
// (stages 2 to 6 of docs/timing.md). This is the engine's inner loop.
#include "routers/router_pool.h"

namespace flitscope {

[[gnu::flatten]] void RouterPool::step(NodeId node, Cycle now) {
  const Here here = at(node, now);
  RouterHeader& state = here.state;
  Mailbox& mail = here.mail[agenda_.slot(now)];
  if (mail.arrivals != 0) take_arrivals(here, std::exchange(mail.arrivals, 0));
  if (mail.credits != 0) take_credits(here, std::exchange(mail.credits, 0));
  if ((state.ready & ~state.active & ~state.no_vc) != 0) allocate_vcs(here);
  if ((state.ready & state.active & ~state.no_room) != 0) allocate_switch(here);
  // no_room holds active VCs only and no_vc inactive ones only.
  if ((state.ready & ~state.no_room & ~state.no_vc) != 0) agenda_.wake(node, now + 1);
}

inline void RouterPool::take_arrivals(const Here& here, std::uint64_t arrivals) {
  if (switching_ == Switching::store_and_forward) return take_complete_messages(here, arrivals);
  here.state.ready |= arrivals;
  for_each_bit(arrivals, [&](unsigned vc) { ++here.input[vc].usable; });
}

void RouterPool::take_complete_messages(const Here& here, std::uint64_t arrivals) {
  for_each_bit(arrivals, [&](unsigned vc) {
    InputVc& input = here.input[vc];
    const std::uint64_t last = std::uint64_t{input.front} + input.usable + input.gathering++;
    if (!input.fifo[last % buffer_].tail()) return;
    input.usable += std::exchange(input.gathering, 0);
    here.state.ready |= bit(vc);
  });
}

// --- Stage 4: routing and VC allocation ------------------------------------------------------------------

inline void RouterPool::route(const Here& here, unsigned vc) {
  InputVc& input = here.input[vc];
  input.message = input.fifo[input.front].message();
  const RoutingDecision decision =
      routing_->decide(&coordinates_[std::size_t{here.node} * dimensions_], messages_[input.message].head);
  input.group = static_cast<std::uint8_t>(std::min(decision.port, link_ports_));
  input.channel_class = static_cast<std::uint8_t>(decision.channel_class);
  here.state.routed |= bit(vc);
}

inline std::uint64_t RouterPool::admissible_in_group(unsigned group, unsigned vc, const InputVc& input) const {
  if (group < link_ports_) return class_masks_[input.channel_class];
  // An all-port node ejects what came in through link port p by ejection channel p.
  return all_port_ ? bit(port_of_[vc]) : bit(channels_) - 1;
}

std::uint64_t RouterPool::admissible(NodeId node, unsigned vc) const {
  const InputVc& waiting = input(node, vc);
  return admissible_in_group(waiting.group, vc, waiting) << first_vc(waiting.group);
}

/// One request. Returns whether it was granted; the caller moves the request pointer.
inline bool RouterPool::grant_vc(const Here& here, Port& group, unsigned number, unsigned vc) {
  RouterHeader& state = here.state;
  InputVc& input = here.input[vc];
  const unsigned first = first_vc_of_[number];
  const bool link = number < link_ports_;
  std::uint64_t free = admissible_in_group(number, vc, input) & ~(state.held >> first);
  const bool taken = free == 0;
  if (switching_ != Switching::wormhole && link && !taken) {
    free = with_room_for(here, number, free, input.message);
  }
  if (free == 0) {
    state.no_vc |= bit(vc);
    begin_stall(here, vc,
                !link   ? StallCause::ejection_busy
                : taken ? StallCause::vc_taken
                        : StallCause::no_credit);
    return false;
  }
  const unsigned granted = first_from(free, group.next_vc);
  const unsigned output = first + granted;
  group.next_vc = static_cast<std::uint8_t>(granted + 1 == (link ? vcs_ : channels_) ? 0 : granted + 1);
  state.held |= bit(output);
  state.active |= bit(vc);
  here.output[output].owner = static_cast<std::uint8_t>(vc);
  input.output = static_cast<std::uint8_t>(output);
  return true;
}

void RouterPool::allocate_vcs(const Here& here) {
  // Room for a whole message changes with every grant, so these heads are all asked again together.
  if (switching_ != Switching::wormhole) retry_heads(here, here.now);
  const std::uint64_t waiting = here.state.ready & ~here.state.active & ~here.state.no_vc;
  std::uint64_t groups = 0;
  std::array<std::uint64_t, kMostPorts> requests;
  for_each_bit(waiting, [&](unsigned vc) {
    if ((here.state.routed & bit(vc)) == 0) route(here, vc);
    const unsigned group = here.input[vc].group;
    if ((groups & bit(group)) == 0) requests[group] = 0;
    groups |= bit(group);
    requests[group] |= bit(vc);
  });
  for_each_bit(groups, [&](unsigned group) { grant_vcs(here, group, requests[group]); });
}

inline void RouterPool::grant_vcs(const Here& here, unsigned group, std::uint64_t requests) {
  Port& port = here.port[group];
  const std::uint64_t from_pointer = requests >> port.next_request << port.next_request;
  bool granted = false;
  for (std::uint64_t pass : {from_pointer, requests & ~from_pointer}) {
    for_each_bit(pass, [&](unsigned vc) {
      if (!grant_vc(here, port, group, vc)) return;
      granted = true;
      port.next_request = static_cast<std::uint8_t>(vc + 1 == input_vcs_ ? 0 : vc + 1);
    });
  }
  // A grant turns "no room for the whole message" into "taken" for the heads that were asked before it.
  if (granted && switching_ != Switching::wormhole) retry_group(here, group, here.now + 1);
}

std::uint64_t RouterPool::with_room_for(const Here& here, unsigned group, std::uint64_t vcs,
                                        MessageSlot message) {
  const std::uint32_t last = messages_[message].flits - 1;
  std::uint64_t result = 0;
  for_each_bit(vcs, [&](unsigned vc) {
    const unsigned output = first_vc_of_[group] + vc;
    const OutputVc& target = here.output[output];
    const Slot slot = target.fifo[(std::uint64_t{target.back} + last) % target.length];
    if (slot.usable(here.now)) {
      result |= bit(vc);
    } else {
      expect_credit(here, output, slot);
    }
  });
  return result;
}

void RouterPool::retry_heads(const Here& here, Cycle from) {
  for_each_bit(std::exchange(here.state.no_vc, 0), [&](unsigned vc) { end_stall(here, vc, from); });
}

void RouterPool::retry_group(const Here& here, unsigned group, Cycle from) {
  for_each_bit(here.state.no_vc, [&](unsigned vc) {
    if (here.input[vc].group != group) return;
    here.state.no_vc &= ~bit(vc);
    end_stall(here, vc, from);
  });
}

// --- Stage 5: switch allocation --------------------------------------------------------------------------

void RouterPool::expect_credit(const Here& here, unsigned output, Slot slot) {
  if (!slot.occupied()) {  // the credit is on its way
    announce_credit(here.node, output, slot.free_from());
  } else if (const NodeId receiver = here.port[port_of_[output]].receiver; receiver != kNoNode) {
    state_of(receiver).awaited |= bit(output);
  }
}

inline std::uint64_t RouterPool::with_credit(const Here& here, std::uint64_t vcs) {
  std::uint64_t result = vcs;
  for_each_bit(vcs, [&](unsigned vc) {
    const unsigned output = here.input[vc].output;
    const Slot slot = here.output[output].next();
    if (slot.usable(here.now)) return;
    result &= ~bit(vc);
    here.state.no_room |= bit(vc);
    begin_stall(here, vc,
                port_of_[output] < link_ports_ ? StallCause::no_credit : StallCause::ejection_busy);
    expect_credit(here, output, slot);
  });
  return result;
}

void RouterPool::allocate_switch(const Here& here) {
  const std::uint64_t candidates =
      with_credit(here, here.state.ready & here.state.active & ~here.state.no_room);
  if (candidates == 0) return;
  if ((candidates & (candidates - 1)) == 0) {
    const unsigned vc = lowest_bit(candidates);
    win(here, vc, port_of_[vc], port_of_[here.input[vc].output]);
  } else {
    arbitrate(here, candidates);
  }
}

void RouterPool::arbitrate(const Here& here, std::uint64_t candidates) {
  // Input stage: every input port picks one of its VCs.
  std::uint64_t wanted = 0;                           // output ports
  std::array<std::uint64_t, kMostPorts> competitors;  // per wanted output port: input ports
  std::array<std::uint8_t, kMostPorts> pick;          // per input port: VC
  for (std::uint64_t left = candidates; left != 0;) {
    const unsigned number = port_of_[lowest_bit(left)];
    const unsigned first = first_vc_of_[number];
    const std::uint64_t of_port = left & vcs_of_port_[number];
    const unsigned vc = first + first_from(of_port >> first, here.port[number].next_input);
    const unsigned output = port_of_[here.input[vc].output];
    if ((wanted & bit(output)) == 0) competitors[output] = 0;
    wanted |= bit(output);
    competitors[output] |= bit(number);
    pick[number] = static_cast<std::uint8_t>(vc);
    left &= ~of_port;
  }
  // Output stage: every output port picks one of the input ports.
  std::uint64_t losers = candidates;
  for_each_bit(wanted, [&](unsigned output) {
    const unsigned winner = first_from(competitors[output], here.port[output].next_output);
    losers &= ~bit(pick[winner]);
    win(here, pick[winner], winner, output);
  });
  for_each_bit(losers, [&](unsigned vc) { count_stall(here, vc, StallCause::switch_lost, 1); });
}

inline void RouterPool::win(const Here& here, unsigned vc, unsigned from, unsigned to) {
  const unsigned next = vc - first_vc_of_[from] + 1;
  here.port[from].next_input = static_cast<std::uint8_t>(from >= link_ports_ || next == vcs_ ? 0 : next);
  here.port[to].next_output = static_cast<std::uint8_t>(from + 1 == ports() ? 0 : from + 1);
  traverse(here, vc, from, to);
}

// --- Stage 6: traversal ----------------------------------------------------------------------------------

inline void RouterPool::traverse(const Here& here, unsigned vc, unsigned from, unsigned to) {
  RouterHeader& state = here.state;
  InputVc& input = here.input[vc];
  Slot& slot = input.fifo[input.front];
  const Slot flit = slot;
  slot = Slot::free_from(here.now + (from < link_ports_ ? link_delay_ : 1));
  input.front = behind(input.front);
  if (--input.usable == 0) state.ready &= ~bit(vc);
  if ((state.awaited & bit(vc)) != 0) return_slot(here, vc, from);

  const unsigned output = input.output;
  OutputVc& target = here.output[output];
  Port& port = here.port[to];
  ++port.flits;
  if (observer_ != nullptr) {
    observer_->moved(here.now, here.node, to, output - first_vc_of_[to], messages_[flit.message()].id,
                     flit.index());
  }
  if (port.foreign) {
    send_to_foreign(here, to, output, flit);
  } else if (to < link_ports_) {
    target.next() = flit;
    target.back = behind(target.back);
    announce_arrival(port.receiver, output, here.now + link_delay_ + router_delay_);
    ++flit_hops_;
  } else {
    target.next() = Slot::free_from(here.now + slowdown_);
    eject(flit, here.now);
  }
  if (flit.tail()) {
    ++port.messages;
    release(here, vc, output);
  }
}

void RouterPool::eject(Slot flit, Cycle now) {
  const Cycle arrival = now + link_delay_;
  if (flit.head()) messages_[flit.message()].head_arrived = arrival;
  if (flit.tail()) sink_.arrives(flit.message(), arrival);
}

void RouterPool::send_to_foreign(const Here& here, unsigned number, unsigned output, Slot flit) {
  const auto link = std::ranges::find_if(foreign_links_, [&](const auto& candidate) {
    return candidate->node == here.node && candidate->port == number;
  });
  OutputVc& target = here.output[output];
  target.next() = flit;
  target.back = target.back + 1 == target.length ? 0 : target.back + 1;
  const MessageRecord& message = messages_[flit.message()];
  (*link)->receiver.put(output - first_vc_of_[number],
                        {flit.message(), flit.index(), flit.head(), flit.tail(), message.id, message.source,
                         message.head.destination});
  eject(flit, here.now);
}

inline void RouterPool::release(const Here& here, unsigned vc, unsigned output) {
  RouterHeader& state = here.state;
  state.active &= ~bit(vc);
  state.routed &= ~bit(vc);
  state.held &= ~bit(output);
  // Heads that wait for this group try again in the next cycle; this one is lost to them.
  if (state.no_vc != 0) retry_group(here, std::min<unsigned>(port_of_[output], link_ports_), here.now + 1);
}

}  // namespace flitscope
