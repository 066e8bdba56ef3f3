// Stages 5 and 6: switch allocation, and what a flit does that has won.
#include "routers/router_pool.h"

namespace flitscope {

void RouterPool::expect_credit(std::byte* router, NodeId node, unsigned output, unsigned number,
                               std::uint64_t index) {
  const Slot slot = slots_[index];
  if (!slot.occupied()) {  // the credit is on its way
    mailbox(router, slot.free_from()).credits |= bit(output);
    agenda_.wake(node, slot.free_from());
  } else if (const NodeId receiver = port_table(router)[number].receiver; receiver != kNoNode) {
    state_of(receiver).awaited |= bit(output);
  }
}

std::uint64_t RouterPool::with_credit(std::byte* router, NodeId node, std::uint64_t vcs, Cycle now) {
  InputVc* const input = inputs(router);
  std::uint64_t result = vcs;
  for_each_bit(vcs, [&](unsigned vc) {
    const unsigned output = input[vc].output;
    const unsigned number = port_of_[output];
    const std::uint64_t index =
        next_slot_index(port_table(router)[number], number, output, outputs(router)[output]);
    if (slots_[index].usable(now)) return;
    result &= ~bit(vc);
    state_of(node).no_room |= bit(vc);
    begin_stall(input[vc], number < link_ports_ ? StallCause::no_credit : StallCause::ejection_busy, now);
    expect_credit(router, node, output, number, index);
  });
  return result;
}

void RouterPool::allocate_switch(std::byte* router, NodeId node, Cycle now) {
  RouterHeader& state = state_of(node);
  InputVc* const input = inputs(router);
  Port* const ports_here = port_table(router);
  const std::uint64_t candidates =
      with_credit(router, node, state.ready & state.active & ~state.no_room, now);
  if (candidates == 0) return;

  // Input stage: every input port picks one of its VCs.
  std::uint64_t wanted = 0;                           // output ports
  std::array<std::uint64_t, kMostPorts> competitors;  // per wanted output port: input ports
  std::array<std::uint8_t, kMostPorts> pick;          // per input port: VC
  for (std::uint64_t left = candidates; left != 0;) {
    const unsigned number = port_of_[static_cast<unsigned>(std::countr_zero(left))];
    const unsigned first = first_vc_of_[number];
    const std::uint64_t here = left & vcs_of_port_[number];
    const unsigned vc = first + first_from(here >> first, ports_here[number].next_input);
    const unsigned output = port_of_[input[vc].output];
    if ((wanted & bit(output)) == 0) competitors[output] = 0;
    wanted |= bit(output);
    competitors[output] |= bit(number);
    pick[number] = static_cast<std::uint8_t>(vc);
    left &= ~here;
  }

  // Output stage: every output port picks one of the input ports.
  std::uint64_t losers = candidates;
  for_each_bit(wanted, [&](unsigned output) {
    const unsigned winner = first_from(competitors[output], ports_here[output].next_output);
    const unsigned vc = pick[winner];
    const unsigned width = winner < link_ports_ ? vcs_ : 1;
    const unsigned next = vc - first_vc_of_[winner] + 1;
    ports_here[winner].next_input = static_cast<std::uint8_t>(next == width ? 0 : next);
    ports_here[output].next_output = static_cast<std::uint8_t>(winner + 1 == ports() ? 0 : winner + 1);
    losers &= ~bit(vc);
    traverse(router, node, vc, now);
  });
  for_each_bit(losers, [&](unsigned vc) { count_stall(router, node, vc, StallCause::switch_lost, 1); });
}

void RouterPool::traverse(std::byte* router, NodeId node, unsigned vc, Cycle now) {
  RouterHeader& state = state_of(node);
  InputVc& input = inputs(router)[vc];
  const unsigned from = port_of_[vc];
  Port* const ports_here = port_table(router);

  Slot& slot = slots_[fifo_of(node, vc) + input.front];
  const Slot flit = slot;
  slot = Slot::free_from(now + (from < link_ports_ ? link_delay_ : 1));
  input.front = behind(input.front);
  if (--input.usable == 0) state.ready &= ~bit(vc);
  if ((state.awaited & bit(vc)) != 0) return_slot(node, vc, ports_here[from], from, now);

  const unsigned output = input.output;
  const unsigned number = port_of_[output];
  Port& port = ports_here[number];
  ++port.flits;
  if (observer_ != nullptr) {
    observer_->moved(now, node, number, output - first_vc_of_[number], messages_[flit.message()].id,
                     flit.index());
  }
  if (port.foreign != 0) {
    send_to_foreign(router, node, number, output, flit, now);
  } else if (number < link_ports_) {
    OutputVc& target = outputs(router)[output];
    slots_[next_slot_index(port, number, output, target)] = flit;
    target.back = behind(target.back);
    const Cycle usable = now + link_delay_ + router_delay_;
    mailbox(block(port.receiver), usable).arrivals |= bit(output);
    agenda_.wake(port.receiver, usable);
    ++flit_hops_;
  } else {
    slots_[port.fifo] = Slot::free_from(now + slowdown_);
    eject(flit, now);
  }
  if (flit.tail()) release(router, node, vc, output, now);
}

void RouterPool::eject(Slot flit, Cycle now) {
  const Cycle arrival = now + link_delay_;
  if (flit.head()) messages_[flit.message()].head_arrived = arrival;
  if (flit.tail()) sink_.arrives(flit.message(), arrival);
}

void RouterPool::send_to_foreign(std::byte* router, NodeId node, unsigned number, unsigned output, Slot flit,
                                 Cycle now) {
  const auto link = std::ranges::find_if(
      foreign_links_, [&](const auto& candidate) { return candidate->node == node && candidate->port == number; });
  OutputVc& target = outputs(router)[output];
  slots_[next_slot_index(port_table(router)[number], number, output, target)] = flit;
  target.back = target.back + 1 == (*link)->length ? 0 : target.back + 1;
  const MessageRecord& message = messages_[flit.message()];
  (*link)->receiver.put(output - first_vc_of_[number],
                        {flit.message(), flit.index(), flit.head(), flit.tail(), message.id, message.source,
                         message.head.destination});
  eject(flit, now);
}

void RouterPool::release(std::byte* router, NodeId node, unsigned vc, unsigned output, Cycle now) {
  RouterHeader& state = state_of(node);
  state.active &= ~bit(vc);
  state.routed &= ~bit(vc);
  state.held &= ~bit(output);
  // Heads that wait for this group try again in the next cycle; this one is lost to them.
  retry_group(router, node, std::min<unsigned>(port_of_[output], link_ports_), now + 1);
}

}  // namespace flitscope
