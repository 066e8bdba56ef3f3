// Construction and wiring of the routers, and what crosses their borders: arrivals, credits, injection.
#include "routers/engine/router_pool.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>

namespace flitscope {

namespace {

constexpr std::size_t kAlignment = 64;

Cycle longest_delay(const MachineConfig& machine) {
  return std::max<Cycle>(Cycle{machine.router_delay} + machine.link_delay, machine.slowdown);
}

}  // namespace

RouterPool::RouterPool(const Topology& topology, const MachineConfig& machine, MessageTable& messages,
                       Agenda& agenda, ArrivingMessages& arriving, Clock& clock)
    : messages_(messages),
      agenda_(agenda),
      arriving_(arriving),
      clock_(clock),
      routing_(RoutingRegistry::find(machine.routing)->make(topology)),
      nodes_(topology.nodes()),
      dimensions_(topology.dimensions()),
      link_ports_(topology.link_ports()),
      channels_(node_channels(topology, machine)),
      vcs_(machine.virtual_channels),
      input_vcs_(link_ports_ * vcs_ + channels_),
      buffer_(machine.buffer),
      all_port_(!machine.ports.has_value()),
      switching_(machine.switching),
      router_delay_(machine.router_delay),
      link_delay_(machine.link_delay),
      slowdown_(machine.slowdown),
      first_injection_vc_(link_ports_ * vcs_),
      classes_(routing_->classes()),
      coordinates_row_((dimensions_ + kCoordinatesStep - 1) / kCoordinatesStep * kCoordinatesStep),
      mail_(agenda.wheel() * nodes_) {
  if (agenda.wheel() <= longest_delay(machine)) throw std::logic_error("agenda too short for the delays");
  number_ports();

  ports_offset_ = sizeof(RouterHeader) + input_vcs_ * sizeof(VirtualChannel);
  stride_ = ports_offset_ + ports() * sizeof(Port);
  blocks_.reset(static_cast<std::byte*>(::operator new[](nodes_* stride_, std::align_val_t{kAlignment})));
  slots_.reset(static_cast<Slot*>(std::calloc(std::size_t{nodes_} * input_vcs_ * buffer_, sizeof(Slot))));
  if (slots_ == nullptr) throw std::bad_alloc();
  stalled_since_.resize(std::size_t{nodes_} * input_vcs_);
  coordinates_.resize(std::size_t{nodes_} * coordinates_row_);
  Slot* fifo = slots_.get();
  for (NodeId node = 0; node < nodes_; ++node) {
    const Here here = at(node);
    (new (&here.state()) RouterHeader())->node = node;
    std::uninitialized_value_construct_n(here.vcs, input_vcs_);
    std::uninitialized_value_construct_n(here.port, ports());
    for (unsigned vc = 0; vc < input_vcs_; ++vc, fifo += buffer_) here.input(vc).fifo = fifo;
    for (unsigned number = link_ports_; number < ports(); ++number) {
      OutputVc& ejection = here.output(first_vc(number));
      ejection.fifo = &here.port[number].rate;
      ejection.length = 1;
    }
    for (unsigned dimension = 0; dimension < dimensions_; ++dimension) {
      coordinates_[std::size_t{node} * coordinates_row_ + dimension] = topology.coordinate(node, dimension);
    }
  }
  begin_cycle(0);
}

void RouterPool::number_ports() {
  const auto narrow = [](unsigned number) { return static_cast<std::uint8_t>(number); };
  const std::vector<std::uint64_t> masks = class_masks(classes_, vcs_);
  for (unsigned number = 0; number < ports(); ++number) {
    const bool link = number < link_ports_;
    const unsigned first = first_vc(number);
    const unsigned end = first + (link ? vcs_ : 1);
    for (unsigned vc = first; vc < end; ++vc) {
      const unsigned next = vc + 1 == input_vcs_ ? 0 : vc + 1;
      const unsigned next_of_port = vc + 1 == end ? first : vc + 1;
      const unsigned next_ejection = next == 0 ? first_injection_vc_ : next;
      VcPlace& place = place_[vc];
      place.bit = bit(vc);
      place.of_port = (bit(end - first) - 1) << first;
      place.slot_delay = link ? link_delay_ : 1;
      place.port = narrow(number);
      place.next_port = narrow(number + 1 == ports() ? 0 : number + 1);
      place.claim = bit(link || all_port_ ? number : link_ports_);
      place.next = narrow(next);
      place.next_of_port = narrow(next_of_port);
      place.next_of_group = narrow(link ? next_of_port : next_ejection);
    }
    if (!link) continue;
    for (const std::uint64_t vcs : masks) choices_.push_back(vcs << first);
  }
  first_ejection_choice_ = static_cast<unsigned>(choices_.size());
  for (unsigned vc = 0; vc < input_vcs_; ++vc) {
    // An all-port node ejects what came in through link port p by ejection channel p.
    const std::uint64_t channels = all_port_ ? bit(place_[vc].port % link_ports_) : bit(channels_) - 1;
    choices_.push_back(channels << first_injection_vc_);
  }
}

void RouterPool::begin_cycle(Cycle now) {
  now_ = now;
  this_cycle_ = day(now);
  next_cycle_ = day(now + 1);
  after_injection_ = day(now + router_delay_);
  after_hop_ = day(now + link_delay_ + router_delay_);
  after_credit_ = day(now + link_delay_);
}

void RouterPool::connect(NodeId node, unsigned port, NodeId receiver) {
  require_no_sender(receiver, port);
  const Here here = at(node);
  here.port[port].receiver = receiver;
  here.port[port].receiver_place = Agenda::place(receiver);
  for_each_bit(place_[first_vc(port)].of_port, [&](unsigned vc) {
    here.output(vc).fifo = input(receiver, vc).fifo;
    here.output(vc).length = buffer_;
  });
  at(receiver).port[port].sender = node;
}

void RouterPool::connect_external(NodeId node, unsigned port, FlitReceiver& receiver) {
  auto& link = *external_links_.emplace_back(std::make_unique<ExternalLink>(*this, node, port, receiver));
  const std::uint32_t length = std::min(receiver.attach(link), buffer_);
  if (length == 0) throw std::logic_error("a receiver must have room for at least one flit");
  const Here here = at(node);
  here.port[port].external = true;
  for_each_bit(place_[first_vc(port)].of_port, [&](unsigned vc) {
    here.output(vc).fifo = link.fifos.emplace_back(length).data();
    here.output(vc).length = length;
    here.output(vc).back = 0;
    link.front.push_back(0);
  });
}

std::uint32_t RouterPool::attach_external_sender(NodeId node, unsigned port, credit_if& sender) {
  require_no_sender(node, port);
  external_senders_.push_back({node, port, &sender});
  state_of(node).awaited |= place_[first_vc(port)].of_port;
  return buffer_;
}

bool RouterPool::has_external_sender(NodeId node, unsigned port) const {
  return std::ranges::any_of(external_senders_, [&](const ExternalSender& sender) {
    return sender.node == node && sender.port == port;
  });
}

void RouterPool::require_no_sender(NodeId node, unsigned port) const {
  if (this->port(node, port).sender == kNoNode && !has_external_sender(node, port)) return;
  throw std::logic_error("input port " + std::to_string(port) + " of node " + std::to_string(node) +
                         " has two senders");
}

void RouterPool::ExternalLink::credit(unsigned vc) {
  const Cycle usable = pool.clock_.now() + pool.link_delay_;
  if (vc >= fifos.size() || !fifos[vc][front[vc]].occupied()) {
    throw std::logic_error("a credit for a flit that was never put");
  }
  Slot& slot = fifos[vc][front[vc]];
  slot = Slot::free_from(usable);
  front[vc] = front[vc] + 1 == fifos[vc].size() ? 0 : front[vc] + 1;
  pool.day(usable).credit(node, bit(pool.first_vc(port) + vc));
  pool.clock_.tick_at(usable);
}

void RouterPool::take_credits(const Here here, std::uint64_t credits) {
  for_each_bit(credits & here.state().held, [&](unsigned output) {
    const unsigned vc = here.output(output).owner;
    if ((here.state().no_room & bit(vc)) == 0) return;
    here.state().no_room &= ~bit(vc);
    end_stall(here, vc, now_);
  });
  // A slot behind a VC that nobody holds: some head waits for room for its whole message.
  if ((credits & ~here.state().held) != 0) retry_heads(here, now_);
}

void RouterPool::await_injection_slot(NodeId node, unsigned channel, Slot slot) {
  if (!slot.occupied()) return agenda_.wake(node, slot.free_from());
  state_of(node).awaited |= bit(first_injection_vc_ + channel);
  state_of(node).injecting &= ~(1U << channel);
}

void RouterPool::put_external(NodeId node, unsigned port, unsigned vc, const LinkFlit& flit) {
  const bool link = port < link_ports_;
  if (vc >= (link ? vcs_ : 1)) throw std::logic_error("a module put a flit into a VC that is not there");
  if (flit.message == kNoMessage || flit.head != (flit.index == 0) ||
      flit.tail != (flit.index + 1 == messages_[flit.message].flits)) {
    throw std::logic_error("a module put a flit that its message does not have");
  }
  const Cycle now = clock_.now();
  const DueCycle arrival = day(now + (link ? link_delay_ : 0) + router_delay_);
  const unsigned input_vc = first_vc(port) + vc;
  if ((arrival.mail[node].arrivals & place_[input_vc].of_port) != 0) {
    throw std::logic_error("a module put two flits in one cycle");
  }
  const InputVc& input = at(node).input(input_vc);
  // The sender keeps no position here: the first slot behind the flits that are in the FIFO is next.
  std::uint32_t position = input.front;
  for (std::uint32_t flits = 0; flits < buffer_ && input.fifo[position].occupied(); ++flits) {
    position = behind(position);
  }
  if (!input.fifo[position].usable(now)) throw std::logic_error("a module put a flit without a credit");
  input.fifo[position] = Slot::flit(flit.message, flit.index, flit.head, flit.tail);
  arrival.arrive(node, bit(input_vc));
  clock_.tick_at(now + (link ? link_delay_ : 0) + router_delay_);
  if (link) return;
  if (flit.head) messages_[flit.message].head_entered = now;
  if (FlitObserver* const watcher = observer(node); watcher != nullptr) {
    watcher->injected(now, node, port - link_ports_, messages_[flit.message].id, flit.index, flit.tail);
  }
}

void RouterPool::return_slot(const Here here, unsigned vc, unsigned number) {
  here.state().awaited &= ~bit(vc);
  if (here.port[number].sender != kNoNode) return after_credit_.credit(here.port[number].sender, bit(vc));
  const auto external = std::ranges::find_if(external_senders_, [&](const ExternalSender& sender) {
    return sender.node == here.state().node && sender.port == number;
  });
  if (external != external_senders_.end()) {
    here.state().awaited |= bit(vc);
    external->sender->credit(vc - first_vc(number));
  } else {
    here.state().injecting |= 1U << (number - link_ports_);
    next_cycle_.awake.wake(here.state().node);
  }
}

void RouterPool::count_stall(const Here here, unsigned vc, StallCause cause, Cycle cycles) {
  const InputVc& input = here.input(vc);
  stalls_[static_cast<unsigned>(cause)] += cycles;
  const bool active = (here.state().active & bit(vc)) != 0;
  here.port[active ? place_[input.output].port : input.group].stalled += cycles;
  if (input.fifo[input.front].head()) {
    messages_[input.message].head_stalls[static_cast<unsigned>(cause)] += cycles;
  }
}

void RouterPool::end_stall(const Here here, unsigned vc, Cycle end) {
  InputVc& input = here.input(vc);
  const Cycle from = std::exchange(input.blocked_since, end);
  if (from == end) return;
  count_stall(here, vc, input.cause, end - from);
  if (stall_observer_ == nullptr) return;
  const auto& culprit = culprits_[std::size_t{here.state().node} * input_vcs_ + vc];
  report_stall(here, vc, input.cause, from, end - from, culprit);
}

void RouterPool::settle_stalls(Cycle now) {
  for (NodeId node = 0; node < nodes_; ++node) {
    const Here here = at(node);
    for_each_bit(here.state().no_room | here.state().no_vc, [&](unsigned vc) { end_stall(here, vc, now); });
  }
}

}  // namespace flitscope
