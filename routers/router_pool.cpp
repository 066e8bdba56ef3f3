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

  slots_.resize(std::uint64_t{nodes_} * (std::uint64_t{input_vcs_} * buffer_ + channels_));
  coordinates_.resize(std::size_t{nodes_} * dimensions_);
  Slot* fifo = slots_.data();
  for (NodeId node = 0; node < nodes_; ++node) {
    const Here here = at(node, 0);
    new (&here.state) RouterHeader();
    std::uninitialized_value_construct_n(here.mail, agenda.wheel());
    std::uninitialized_value_construct_n(here.input, input_vcs_);
    std::uninitialized_value_construct_n(here.output, input_vcs_);
    std::uninitialized_value_construct_n(here.port, ports());
    for (unsigned vc = 0; vc < input_vcs_; ++vc, fifo += buffer_) here.input[vc].fifo = fifo;
    for (unsigned channel = 0; channel < channels_; ++channel, ++fifo) {
      OutputVc& ejection = here.output[first_vc(link_ports_ + channel)];
      ejection.fifo = fifo;
      ejection.length = 1;
    }
    for (unsigned dimension = 0; dimension < dimensions_; ++dimension) {
      coordinates_[std::size_t{node} * dimensions_ + dimension] = topology.coordinate(node, dimension);
    }
  }
}

void RouterPool::connect(NodeId node, unsigned port, NodeId receiver) {
  const Here here = at(node, 0);
  here.port[port].receiver = receiver;
  for_each_bit(vcs_of_port_[port], [&](unsigned vc) {
    here.output[vc].fifo = input(receiver, vc).fifo;
    here.output[vc].length = buffer_;
  });
  at(receiver, 0).port[port].sender = node;
}

void RouterPool::connect_foreign(NodeId node, unsigned port, flit_if& receiver) {
  auto& link = *foreign_links_.emplace_back(std::make_unique<ForeignLink>(*this, node, port, receiver));
  const std::uint32_t length = std::min(receiver.attach(link), buffer_);
  if (length == 0) throw std::logic_error("a receiver must have room for at least one flit");
  const Here here = at(node, 0);
  here.port[port].foreign = true;
  for_each_bit(vcs_of_port_[port], [&](unsigned vc) {
    here.output[vc].fifo = link.fifos.emplace_back(length).data();
    here.output[vc].length = length;
    here.output[vc].back = 0;
    link.front.push_back(0);
  });
}

std::uint32_t RouterPool::attach_foreign_sender(NodeId node, unsigned port, credit_if& sender) {
  foreign_senders_.push_back({node, port, &sender});
  state_of(node).awaited |= vcs_of_port_[port];
  return buffer_;
}

void RouterPool::ForeignLink::credit(unsigned vc) {
  const Cycle usable = pool.clock_.now() + pool.link_delay_;
  Slot& slot = fifos.at(vc)[front[vc]];
  if (!slot.occupied()) throw std::logic_error("a credit for a flit that was never put");
  slot = Slot::free_from(usable);
  front[vc] = front[vc] + 1 == fifos[vc].size() ? 0 : front[vc] + 1;
  pool.announce_credit(node, pool.first_vc(port) + vc, usable);
  pool.clock_.tick_at(usable);
}

void RouterPool::announce_arrival(NodeId node, unsigned vc, Cycle cycle) {
  at(node, 0).mail[agenda_.slot(cycle)].arrivals |= bit(vc);
  agenda_.wake(node, cycle);
}

void RouterPool::announce_credit(NodeId node, unsigned output, Cycle cycle) {
  at(node, 0).mail[agenda_.slot(cycle)].credits |= bit(output);
  agenda_.wake(node, cycle);
}

void RouterPool::take_credits(const Here& here, std::uint64_t credits) {
  for_each_bit(credits & here.state.held, [&](unsigned output) {
    const unsigned vc = here.output[output].owner;
    if ((here.state.no_room & bit(vc)) == 0) return;
    here.state.no_room &= ~bit(vc);
    end_stall(here, vc, here.now);
  });
  // A slot behind a VC that nobody holds: some head waits for room for its whole message.
  if ((credits & ~here.state.held) != 0) retry_heads(here, here.now);
}

bool RouterPool::inject(NodeId node, unsigned channel, std::uint32_t& back, MessageSlot message,
                        std::uint32_t index, bool tail, Cycle now) {
  const Here here = at(node, now);
  const unsigned vc = first_vc(link_ports_ + channel);
  Slot& slot = here.input[vc].fifo[back];
  if (!slot.usable(now)) {
    if (slot.occupied()) {
      here.state.awaited |= bit(vc);
      here.state.injecting &= ~bit(channel);
    } else {
      agenda_.wake(node, slot.free_from());
    }
    return false;
  }
  slot = Slot::flit(message, index, index == 0, tail);
  back = behind(back);
  announce_arrival(node, vc, now + router_delay_);
  if (observer_ != nullptr) observer_->injected(now, node, channel, messages_[message].id, index);
  return true;
}

void RouterPool::put_foreign(NodeId node, unsigned port, unsigned vc, const LinkFlit& flit) {
  const unsigned input_vc = first_vc(port) + vc;
  const InputVc& input = at(node, 0).input[input_vc];
  // The sender keeps no position here: the first slot behind the flits that are in the FIFO is next.
  std::uint32_t position = input.front;
  for (std::uint32_t looked_at = 0; input.fifo[position].occupied(); position = behind(position)) {
    if (++looked_at == buffer_) throw std::logic_error("a module put a flit without a credit");
  }
  input.fifo[position] = Slot::flit(flit.message, flit.index, flit.head, flit.tail);
  const Cycle usable = clock_.now() + (port < link_ports_ ? link_delay_ : 0) + router_delay_;
  announce_arrival(node, input_vc, usable);
  clock_.tick_at(usable);
}

void RouterPool::return_slot(const Here& here, unsigned vc, unsigned number) {
  here.state.awaited &= ~bit(vc);
  if (here.port[number].sender != kNoNode) {
    announce_credit(here.port[number].sender, vc, here.now + link_delay_);
    return;
  }
  const auto foreign = std::ranges::find_if(foreign_senders_, [&](const ForeignSender& sender) {
    return sender.node == here.node && sender.port == number;
  });
  if (foreign != foreign_senders_.end()) {
    here.state.awaited |= bit(vc);
    foreign->sender->credit(vc - first_vc(number));
  } else {
    here.state.injecting |= bit(number - link_ports_);
    agenda_.wake(here.node, here.now + 1);
  }
}

void RouterPool::count_stall(const Here& here, unsigned vc, StallCause cause, Cycle cycles) {
  const InputVc& input = here.input[vc];
  stalls_[static_cast<unsigned>(cause)] += cycles;
  const bool active = (here.state.active & bit(vc)) != 0;
  here.port[active ? port_of_[input.output] : input.group].stalled += cycles;
  if (input.fifo[input.front].head()) {
    messages_[input.message].head_stalls[static_cast<unsigned>(cause)] += cycles;
  }
}

void RouterPool::end_stall(const Here& here, unsigned vc, Cycle now) {
  count_stall(here, vc, here.input[vc].cause, now - here.input[vc].blocked_since);
}

void RouterPool::settle_stalls(Cycle now) {
  for (NodeId node = 0; node < nodes_; ++node) {
    const Here here = at(node, now);
    for_each_bit(here.state.no_room | here.state.no_vc, [&](unsigned vc) {
      end_stall(here, vc, now);
      here.input[vc].blocked_since = now;
    });
  }
}

}  // namespace flitscope
