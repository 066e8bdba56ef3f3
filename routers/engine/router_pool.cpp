// Construction and wiring of the routers; arrivals, credits and injection at their borders.
#include "routers/engine/router_pool.h"

#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

#include "routers/engine/horizon.h"

namespace flitscope {

RouterPool::RouterPool(const Topology& topology, const MachineConfig& machine, MessageTable& messages,
                       Agenda& agenda, ArrivingMessages& arriving, Clock& clock)
    : RouterPool(topology, machine, messages, agenda, arriving, clock, routing_of(topology, machine)) {}

RouterPool::RouterPool(const Topology& topology, const MachineConfig& machine, MessageTable& messages,
                       Agenda& agenda, ArrivingMessages& arriving, Clock& clock,
                       std::unique_ptr<RoutingFunction> routing)
    : RouterMemory(topology, machine, routing->classes()),
      messages_(messages),
      agenda_(agenda),
      arriving_(arriving),
      clock_(clock),
      routing_(std::move(routing)),
      adaptive_(!routing_->deterministic()),
      needs_packet_space_(flitscope::needs_packet_space(machine.switching, machine.vc_allocation)),
      // The port of an adaptive head may change; a slow link causes conflicts.
      streams_(!adaptive_ && !has_link_intervals()),
      uncontended_fast_path_(!adaptive_ && !needs_packet_space_ && machine.vc_reallocation_delay == 1 &&
                             machine.vc_delay == 0 && !has_link_intervals()),
      selector_(machine.selection, std::size_t{nodes()} * input_vcs()),
      switching_(machine.switching),
      vc_reallocation_delay_(machine.vc_reallocation_delay),
      vc_delay_(machine.vc_delay),
      credit_delay_(machine.credit_delay),
      router_delay_(machine.router_delay),
      link_delay_(machine.link_delay),
      ejection_interval_(machine.ejection_interval),
      single_vc_injection_(node_vcs() == 1 && machine.router_delay < agenda.wheel()),
      injection_vcs_(zeroed<std::uint8_t>(node_vcs() == 1 ? 0 : std::size_t{nodes()} * channels())),
      events_(zeroed<PendingEvents>(agenda.wheel() * nodes())),
      stalls_(*this, messages),
      standing_(*this, agenda) {
  if (agenda.wheel() < Agenda::wheel_for(horizon_of(machine))) {
    throw std::logic_error("agenda too short for the delays");
  }
  begin_cycle(0);
}

RouterPool::RouterPool(const RouterPool& whole, Agenda& agenda, ArrivingMessages& arriving, NodeRange range)
    : RouterMemory(whole),
      messages_(whole.messages_),
      agenda_(agenda),
      arriving_(arriving),
      clock_(whole.clock_),
      routing_(whole.routing_),
      adaptive_(whole.adaptive_),
      needs_packet_space_(whole.needs_packet_space_),
      streams_(whole.streams_),
      uncontended_fast_path_(whole.uncontended_fast_path_),
      look_ahead_from_(whole.look_ahead_from_),
      outgrows_cache_(whole.outgrows_cache_),
      selector_(whole.selector_),
      switching_(whole.switching_),
      vc_reallocation_delay_(whole.vc_reallocation_delay_),
      vc_delay_(whole.vc_delay_),
      credit_delay_(whole.credit_delay_),
      router_delay_(whole.router_delay_),
      link_delay_(whole.link_delay_),
      ejection_interval_(whole.ejection_interval_),
      single_vc_injection_(whole.single_vc_injection_),
      injection_vcs_(whole.injection_vcs_),
      events_(whole.events_),
      range_(range),
      stalls_(*this, whole.stalls_),
      standing_(*this, agenda) {}

void RouterPool::divide(std::span<const NodeRange> ranges) {
  for (const NodeRange range : ranges) {
    for (NodeId node = range.first; node < range.end; ++node) {
      for (unsigned vc = 0; vc < first_injection_vc(); ++vc) {
        OutputVc& output = at(node).output(vc);
        // These go through post().
        if (output.leads == OutputTarget::to_router && !range.contains(output.receiver)) {
          output.leads = OutputTarget::to_router_far;
        }
      }
    }
  }
}

void RouterPool::merge(RouterPool& part) {
  flit_hops_ += part.last_hops();
  stalls_.merge(part.stalls_);
  arriving_.merge(part.arriving_, now_ + link_delay_, now_);
  agenda_.merge(part.agenda_);
  cooldowns_.insert(cooldowns_.end(), part.cooldowns_.begin(), part.cooldowns_.end());
  part.cooldowns_.clear();
  for (const auto& [cycle, words] : part.deferred_events_) {
    std::vector<DeferredEvent>& then = deferred_events_[cycle];
    then.insert(then.end(), words.begin(), words.end());
  }
  part.deferred_events_.clear();
  for (const auto& [cycle, node, word] : part.beyond_range_.words) post(cycle, node, word, now_);
  // All routers have been stepped, so it is known whether the slot was freed in this cycle.
  for (const auto& [router, output, slot] : part.beyond_range_.credits) expect_credit(router, output, *slot);
  part.beyond_range_.words.clear();
  part.beyond_range_.credits.clear();
}

void RouterPool::begin_cycle(Cycle now) {
  advance_calendar(now);
  if (!deferred_events_.empty()) take_deferred_events();
  standing_.begin_cycle(now);
  if (!cooldowns_.empty()) release_due_vcs();
}

void RouterPool::begin_cycle_of_part(const RouterPool& whole) {
  advance_calendar(whole.now_);
  stalls_.begin_cycle_of_part(whole.stalls_);
}

void RouterPool::advance_calendar(Cycle now) {
  now_ = now;
  this_cycle_ = due(now);
  next_cycle_ = due(now + 1);
  // Delays beyond the wheel do not use these.
  after_injection_ = due(now + router_delay_);
  after_hop_ = due(now + link_delay_ + router_delay_);
}

bool RouterPool::can_stand() const {
  return uncontended_fast_path_ && node_vcs() == 1 && switching_ == Switching::wormhole &&
         observer_ == nullptr && external_.empty() && link_delay_ + router_delay_ + 1 < agenda_.wheel();
}

void RouterPool::post(Cycle cycle, NodeId node, PendingEvents word, Cycle now) {
  if (!range_.contains(node)) return beyond_range_.words.push_back({cycle, node, word});
  if (cycle - now >= agenda_.wheel()) {
    deferred_events_[cycle].push_back({node, word});
    return agenda_.wake_at(node, cycle, now);
  }
  const DueCycle then = due(cycle);
  then.events[node].arrivals |= word.arrivals;
  then.events[node].credits |= word.credits;
  then.awake.wake(node);
}

void RouterPool::inject_slow(NodeId node, std::uint32_t channels) {
  std::uint64_t vcs = 0;
  for_each_bit(channels, [&](unsigned channel) {
    vcs |= bit(first_vc(link_ports() + channel) + injection_vc(node, channel));
  });
  post(now_ + router_delay_, node, {vcs, 0}, now_);
}

/// Takes the deferred events of the present cycle.
void RouterPool::take_deferred_events() {
  const auto due_now = deferred_events_.find(now_);
  if (due_now == deferred_events_.end()) return;
  for (const auto& [node, word] : due_now->second) {
    this_cycle_.events[node].arrivals |= word.arrivals;
    this_cycle_.events[node].credits |= word.credits;
  }
  deferred_events_.erase(due_now);
}

void RouterPool::connect(NodeId node, unsigned port, NodeId receiver) {
  require_no_sender(receiver, port);
  for_each_bit(vc_info(first_vc(port)).of_port, [&](unsigned vc) {
    OutputVc& output = at(node).output(vc);
    const bool usual = output.delay == link_delay_ && link_delay_ + router_delay_ < agenda_.wheel();
    output.leads = usual ? OutputTarget::to_router : OutputTarget::to_router_far;
    output.receiver = receiver;
    output.fifo = input(receiver, vc).fifo;
    output.length = buffer();
  });
  at(receiver).port(port).sender = node;
}

void RouterPool::connect_external(NodeId node, unsigned port, FlitReceiver& receiver) {
  require_plain_links();
  const unsigned first = first_vc(port);
  auto& link = external_.add(node, port, std::make_unique<ExternalLink>(receiver, [=, this](unsigned vc) {
                               return take_external_credit(node, first + vc);
                             }));
  const std::uint64_t vcs = vc_info(first).of_port;
  auto& fifos = link.attach(static_cast<unsigned>(std::popcount(vcs)), buffer());
  for_each_bit(vcs, [&](unsigned vc) {
    std::vector<Slot>& fifo = fifos[vc - first];
    OutputVc& output = at(node).output(vc);
    output.leads = OutputTarget::to_module;
    output.fifo = fifo.data();
    output.length = static_cast<std::uint32_t>(fifo.size());
    output.back = 0;
  });
}

std::uint32_t RouterPool::attach_external_sender(NodeId node, unsigned port, credit_if& sender) {
  require_plain_links();
  require_no_sender(node, port);
  external_.add_sender(node, port, sender);
  state_of(node).awaited |= vc_info(first_vc(port)).of_port;
  return buffer();
}

void RouterPool::require_no_sender(NodeId node, unsigned port) const {
  if (this->port(node, port).sender == kNoNode && !has_external_sender(node, port)) return;
  throw std::logic_error("input port " + std::to_string(port) + " of node " + std::to_string(node) +
                         " has two senders");
}

void RouterPool::require_plain_links() const {
  if (node_vcs() == 1 && credit_delay_ == 0) return;
  throw std::logic_error("modules of your own need node.vcs: 1 and router.credit_delay: 0");
}

Cycle RouterPool::take_external_credit(NodeId node, unsigned output) {
  const Cycle now = clock_.now();
  const bool link = output < first_injection_vc();
  const Cycle usable = now + (link ? this->output(node, output).delay : link_delay_);
  post(usable, node, {0, bit(output)}, now);
  clock_.tick_at(usable);
  return usable;
}

/// The events of a router in a cycle, so far.
PendingEvents RouterPool::pending_events(Cycle cycle, NodeId node, Cycle now) {
  if (cycle - now < agenda_.wheel()) return due(cycle).events[node];
  PendingEvents all;
  for (const DeferredEvent& far : deferred_events_[cycle]) {
    if (far.node == node) all.arrivals |= far.word.arrivals;
  }
  return all;
}

void RouterPool::take_credits(const RouterRef router, std::uint64_t credits) {
  for_each_bit(credits & router.state().held, [&](unsigned output) {
    const unsigned vc = router.output(output).owner;
    if (vc == kNoOwner) return;
    if ((router.state().no_room() & bit(vc)) == 0 || stalls_.begins_later(router, vc, now_)) return;
    router.state().blocked &= ~bit(vc);
    stalls_.end(router, vc, now_);
  });
  // A slot behind a free VC: a head waits for the space of its packet.
  if ((credits & ~router.state().held) != 0) retry_heads(router, now_);
}

void RouterPool::await_injection_slot(NodeId node, unsigned channel, Slot slot) {
  if (!slot.occupied()) return agenda_.wake(node, slot.free_from());
  state_of(node).awaited |= bit(first_vc(link_ports() + channel) + injection_vc(node, channel));
  state_of(node).injecting &= ~(1U << channel);
}

void RouterPool::put_external(NodeId node, unsigned port, unsigned vc, const LinkFlit& flit) {
  const bool link = port < link_ports();
  if (vc >= vcs_of_port(port)) throw std::logic_error("a module put a flit into a VC that does not exist");
  if (flit.message == kNoMessage || flit.head != (flit.index == 0) ||
      flit.tail != (flit.index + 1 == messages_[flit.message].flits)) {
    throw std::logic_error("a module put a flit that its message does not have");
  }
  const Cycle now = clock_.now();
  const unsigned input_vc = first_vc(port) + vc;
  const InputVc& input = at(node).input(input_vc);
  const Cycle arrival = now + (link ? input.slot_delay : 0) + router_delay_;
  if ((pending_events(arrival, node, now).arrivals & vc_info(input_vc).of_port) != 0) {
    throw std::logic_error("a module put two flits in one cycle");
  }
  // The sender has no position here: the next slot is the first one behind the flits in the FIFO.
  std::uint32_t position = input.front;
  for (std::uint32_t flits = 0; flits < buffer() && input.fifo[position].occupied(); ++flits) {
    position = behind(position);
  }
  if (!input.fifo[position].usable(now)) throw std::logic_error("a module put a flit without a credit");
  input.fifo[position] = Slot::flit(flit.message, flit.index, flit.head, flit.tail);
  post(arrival, node, {bit(input_vc), 0}, now);
  clock_.tick_at(arrival);
  if (link) return;
  if (flit.head) messages_[flit.message].head_entered = now;
  if (FlitObserver* const watcher = observer(node); watcher != nullptr) {
    watcher->injected(now, node, port - link_ports(), messages_[flit.message].id, flit.index, flit.tail);
  }
}

void RouterPool::return_slot(const RouterRef router, unsigned vc, unsigned number) {
  router.state().awaited &= ~bit(vc);
  if (const NodeId sender = router.port(number).sender; sender != kNoNode) {
    return post(now_ + router.input(vc).slot_delay, sender, {0, bit(vc)}, now_);
  }
  if (credit_if* const sender = external_.sender(router.state().node, number); sender != nullptr) {
    router.state().awaited |= bit(vc);
    sender->credit(vc - first_vc(number));
  } else {
    router.state().injecting |= 1U << (number - link_ports());
    next_cycle_.awake.wake(router.state().node);
  }
}

}  // namespace flitscope
