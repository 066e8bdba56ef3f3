// Construction and wiring of the routers, and what crosses their borders: arrivals, credits, injection.
#include "routers/router_pool.h"

#include <algorithm>
#include <stdexcept>

namespace flitscope {

namespace {

constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

Cycle longest_delay(const MachineConfig& machine) {
  return std::max<Cycle>(Cycle{machine.router_delay} + machine.link_delay, machine.slowdown);
}

}  // namespace

RouterPool::RouterPool(const Topology& topology, const MachineConfig& machine, MessageTable& messages,
                       Agenda& agenda, EjectionSink& sink, Clock& clock)
    : messages_(messages),
      agenda_(agenda),
      sink_(sink),
      clock_(clock),
      routing_(RoutingRegistry::find(machine.routing)->make(topology)),
      nodes_(topology.nodes()),
      dimensions_(topology.dimensions()),
      link_ports_(topology.link_ports()),
      channels_(node_channels(topology, machine)),
      vcs_(machine.virtual_channels),
      input_vcs_(link_ports_ * vcs_ + channels_),
      buffer_(machine.buffer),
      all_port_(machine.ports == 0),
      switching_(machine.switching),
      router_delay_(machine.router_delay),
      link_delay_(machine.link_delay),
      slowdown_(machine.slowdown),
      class_masks_(class_masks(routing_->classes(), vcs_)) {
  if (agenda.wheel() <= longest_delay(machine)) throw std::logic_error("agenda too short for the delays");
  for (unsigned number = 0; number < ports(); ++number) {
    first_vc_of_[number] = static_cast<std::uint8_t>(first_vc(number));
    const unsigned width = number < link_ports_ ? vcs_ : 1;
    for (unsigned vc = first_vc(number); vc < first_vc(number) + width; ++vc) {
      port_of_[vc] = static_cast<std::uint8_t>(number);
      vcs_of_port_[number] |= bit(vc);
    }
  }

  inputs_offset_ = aligned(sizeof(RouterHeader) + agenda.wheel() * sizeof(Mailbox), alignof(InputVc));
  outputs_offset_ = inputs_offset_ + input_vcs_ * sizeof(InputVc);
  ports_offset_ = aligned(outputs_offset_ + input_vcs_ * sizeof(OutputVc), alignof(Port));
  stride_ = aligned(ports_offset_ + ports() * sizeof(Port), kAlignment);
  blocks_.reset(static_cast<std::byte*>(::operator new[](nodes_ * stride_, std::align_val_t{kAlignment})));

  const std::uint64_t fifos = std::uint64_t{nodes_} * input_vcs_ * buffer_;
  slots_.resize(fifos + std::uint64_t{nodes_} * channels_);
  coordinates_.resize(std::size_t{nodes_} * dimensions_);
  for (NodeId node = 0; node < nodes_; ++node) {
    std::byte* const router = block(node);
    new (router) RouterHeader();
    std::uninitialized_value_construct_n(reinterpret_cast<Mailbox*>(router + sizeof(RouterHeader)),
                                         agenda.wheel());
    std::uninitialized_value_construct_n(inputs(router), input_vcs_);
    std::uninitialized_value_construct_n(outputs(router), input_vcs_);
    std::uninitialized_value_construct_n(port_table(router), ports());
    for (unsigned channel = 0; channel < channels_; ++channel) {
      port_table(router)[link_ports_ + channel].fifo = fifos + std::uint64_t{node} * channels_ + channel;
    }
    for (unsigned dimension = 0; dimension < dimensions_; ++dimension) {
      coordinates_[std::size_t{node} * dimensions_ + dimension] = topology.coordinate(node, dimension);
    }
  }
}

void RouterPool::connect(NodeId node, unsigned port, NodeId receiver) {
  Port& output = port_table(block(node))[port];
  output.receiver = receiver;
  output.fifo = fifo_of(receiver, first_vc(port));
  port_table(block(receiver))[port].sender = node;
}

void RouterPool::connect_foreign(NodeId node, unsigned port, flit_if& receiver) {
  auto& link = *foreign_links_.emplace_back(std::make_unique<ForeignLink>(*this, node, port, receiver));
  const unsigned vcs = port < link_ports_ ? vcs_ : 1;
  link.length = std::min(receiver.attach(link), buffer_);
  if (link.length == 0) throw std::logic_error("a receiver must have room for at least one flit");
  link.front.resize(vcs);
  Port& output = port_table(block(node))[port];
  output.foreign = 1;
  output.receiver = kNoNode;
  output.fifo = slots_.size();
  slots_.resize(slots_.size() + std::uint64_t{vcs} * buffer_);
}

std::uint32_t RouterPool::attach_foreign_sender(NodeId node, unsigned port, credit_if& sender) {
  foreign_senders_.push_back({node, port, &sender});
  state_of(node).awaited |= vcs_of_port_[port];
  return buffer_;
}

void RouterPool::ForeignLink::credit(unsigned vc) {
  const Cycle now = pool.clock_.now();
  const Port& output = pool.port_table(pool.block(node))[port];
  const std::uint64_t first = output.fifo + std::uint64_t{vc} * pool.buffer_;
  Slot& slot = pool.slots_[first + front[vc]];
  if (!slot.occupied()) throw std::logic_error("a credit for a flit that was never put");
  slot = Slot::free_from(now + pool.link_delay_);
  front[vc] = front[vc] + 1 == length ? 0 : front[vc] + 1;
  pool.mailbox(pool.block(node), now + pool.link_delay_).credits |= bit(pool.first_vc(port) + vc);
  pool.agenda_.wake(node, now + pool.link_delay_);
  pool.clock_.tick_at(now + pool.link_delay_);
}

Slot RouterPool::next_slot(NodeId node, unsigned vc, std::uint32_t ahead) const {
  const unsigned number = port_of_[vc];
  const Port& state = port(node, number);
  OutputVc at = output(node, vc);
  at.back = (at.back + ahead) % receiver_length(node, number, state);
  return slots_[next_slot_index(state, number, vc, at)];
}

std::uint32_t RouterPool::receiver_length(NodeId node, unsigned number, const Port& state) const {
  if (state.foreign == 0) return number < link_ports_ ? buffer_ : 1;
  const auto at = std::ranges::find_if(
      foreign_links_, [&](const auto& link) { return link->node == node && link->port == number; });
  return (*at)->length;
}

void RouterPool::step(NodeId node, Cycle now) {
  std::byte* const router = block(node);
  RouterHeader& state = state_of(node);
  Mailbox& mail = mailbox(router, now);
  if (mail.arrivals != 0) take_arrivals(router, node, std::exchange(mail.arrivals, 0));
  if (mail.credits != 0) take_credits(router, node, std::exchange(mail.credits, 0), now);
  if ((state.ready & ~state.active & ~state.no_vc) != 0) allocate_vcs(router, node, now);
  if ((state.ready & state.active & ~state.no_room) != 0) allocate_switch(router, node, now);
  if (((state.ready & state.active & ~state.no_room) | (state.ready & ~state.active & ~state.no_vc)) != 0) {
    agenda_.wake(node, now + 1);
  }
}

void RouterPool::take_arrivals(std::byte* router, NodeId node, std::uint64_t arrivals) {
  RouterHeader& state = state_of(node);
  InputVc* const input = inputs(router);
  if (switching_ != Switching::store_and_forward) {
    state.ready |= arrivals;
    for_each_bit(arrivals, [&](unsigned vc) { ++input[vc].usable; });
    return;
  }
  for_each_bit(arrivals, [&](unsigned vc) {
    const std::uint32_t here = input[vc].usable + input[vc].gathering++;
    const std::uint64_t position = (std::uint64_t{input[vc].front} + here) % buffer_;
    if (!slots_[fifo_of(node, vc) + position].tail()) return;
    input[vc].usable += std::exchange(input[vc].gathering, 0);
    state.ready |= bit(vc);
  });
}

void RouterPool::take_credits(std::byte* router, NodeId node, std::uint64_t credits, Cycle now) {
  RouterHeader& state = state_of(node);
  for_each_bit(credits & state.held, [&](unsigned output) {
    const unsigned vc = outputs(router)[output].owner;
    if ((state.no_room & bit(vc)) == 0) return;
    state.no_room &= ~bit(vc);
    end_stall(router, node, vc, now);
  });
  // A slot behind a VC that nobody holds: some head waits for room for its whole message.
  if ((credits & ~state.held) != 0) retry_heads(router, node, now);
}

void RouterPool::retry_heads(std::byte* router, NodeId node, Cycle from) {
  for_each_bit(std::exchange(state_of(node).no_vc, 0), [&](unsigned vc) { end_stall(router, node, vc, from); });
}

bool RouterPool::inject(NodeId node, unsigned channel, std::uint32_t& back, MessageSlot message,
                        std::uint32_t index, bool tail, Cycle now) {
  const unsigned vc = first_vc(link_ports_ + channel);
  Slot& slot = slots_[fifo_of(node, vc) + back];
  RouterHeader& state = state_of(node);
  if (!slot.usable(now)) {
    if (slot.occupied()) {
      state.awaited |= bit(vc);
      state.injecting &= ~bit(channel);
    } else {
      agenda_.wake(node, slot.free_from());
    }
    return false;
  }
  slot = Slot::flit(message, index, index == 0, tail);
  back = behind(back);
  mailbox(block(node), now + router_delay_).arrivals |= bit(vc);
  agenda_.wake(node, now + router_delay_);
  if (observer_ != nullptr) observer_->injected(now, node, channel, messages_[message].id, index);
  return true;
}

void RouterPool::put_foreign(NodeId node, unsigned port, unsigned vc, const LinkFlit& flit) {
  std::byte* const router = block(node);
  const unsigned input_vc = first_vc(port) + vc;
  const InputVc& input = inputs(router)[input_vc];
  // The sender keeps no position here: the first slot behind the flits that are in the FIFO is next.
  std::uint32_t position = input.front;
  for (std::uint32_t looked_at = 0; slots_[fifo_of(node, input_vc) + position].occupied(); ++looked_at) {
    if (looked_at == buffer_) throw std::logic_error("a module put a flit without a credit");
    position = behind(position);
  }
  slots_[fifo_of(node, input_vc) + position] = Slot::flit(flit.message, flit.index, flit.head, flit.tail);
  const Cycle usable = clock_.now() + (port < link_ports_ ? link_delay_ : 0) + router_delay_;
  mailbox(router, usable).arrivals |= bit(input_vc);
  agenda_.wake(node, usable);
  clock_.tick_at(usable);
}

void RouterPool::return_slot(NodeId node, unsigned vc, const Port& port, unsigned number, Cycle now) {
  RouterHeader& state = state_of(node);
  state.awaited &= ~bit(vc);
  if (port.sender != kNoNode) {
    mailbox(block(port.sender), now + link_delay_).credits |= bit(vc);
    agenda_.wake(port.sender, now + link_delay_);
    return;
  }
  const auto foreign = std::ranges::find_if(foreign_senders_, [&](const ForeignSender& sender) {
    return sender.node == node && sender.port == number;
  });
  if (foreign != foreign_senders_.end()) {
    state.awaited |= bit(vc);
    foreign->sender->credit(vc - first_vc(number));
  } else {
    state.injecting |= bit(number - link_ports_);
    agenda_.wake(node, now + 1);
  }
}

void RouterPool::count_stall(std::byte* router, NodeId node, unsigned vc, StallCause cause, Cycle cycles) {
  const InputVc& input = inputs(router)[vc];
  stalls_[static_cast<unsigned>(cause)] += cycles;
  const bool active = (state_of(node).active & bit(vc)) != 0;
  port_table(router)[active ? port_of_[input.output] : input.group].stalled += cycles;
  if (slots_[fifo_of(node, vc) + input.front].head()) {
    messages_[input.message].head_stalls[static_cast<unsigned>(cause)] += cycles;
  }
}

void RouterPool::end_stall(std::byte* router, NodeId node, unsigned vc, Cycle now) {
  const InputVc& input = inputs(router)[vc];
  count_stall(router, node, vc, static_cast<StallCause>(input.cause), now - input.blocked_since);
}

void RouterPool::settle_stalls(Cycle now) {
  for (NodeId node = 0; node < nodes_; ++node) {
    for_each_bit(state_of(node).no_room | state_of(node).no_vc, [&](unsigned vc) {
      end_stall(block(node), node, vc, now);
      inputs(block(node))[vc].blocked_since = now;
    });
  }
}

}  // namespace flitscope
