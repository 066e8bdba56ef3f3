#include "tests/reference/reference_network.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

namespace flitscope::reference {

namespace {

const Routing& registered(const std::string& name) {
  const Routing* const routing = RoutingRegistry::find(name);
  if (routing == nullptr) throw std::invalid_argument("there is no routing function " + name);
  return *routing;
}

}  // namespace

ReferenceNetwork::ReferenceNetwork(const Topology& topology, const MachineConfig& machine)
    : topology_(topology),
      machine_(machine),
      links_(topology.link_ports()),
      channels_(node_channels(topology, machine)),
      routing_(registered(machine.routing).make(topology.network(0))),
      routers_(topology.routers()),
      reads_past_queues_(!routing_->watched_links().empty()) {
  routing_->build_tables();
  for (unsigned network = 1; network < topology.networks(); ++network) {
    other_routing_.push_back(registered(machine.routing).make(topology.network(network)));
    other_routing_.back()->build_tables();
  }
  for (unsigned network = 0; network < topology.networks(); ++network) {
    classes_.push_back(registered(machine.routing).make(topology.network(network))->classes());
  }
  for (NodeId node = 0; node < topology.routers(); ++node) {
    Router& router = routers_[node];
    for (unsigned port = 0; port < links_; ++port) {
      router.links.push_back({machine.link(topology, topology.channel(node, port)), 0, 0});
    }
    router.inputs.resize(vcs());
    router.outputs.resize(vcs());
    router.groups.resize(links_ + topology.networks());
    router.input_pointers.resize(ports());
    router.output_pointers.resize(ports());
    router.channels.resize(channels_);
    router.ejected.resize(channels_);
    for (unsigned vc = 0; vc < vcs(); ++vc) {
      router.outputs[vc].slots.usable =
          is_link(port_of_vc(vc)) ? machine.link_buffer() : machine.ejection_buffer.value_or(0);
    }
    for (InjectionChannel& channel : router.channels) {
      channel.injectors.resize(machine.queues_of_node());
      channel.slots.resize(machine.channel_vcs());
      for (Slots& slots : channel.slots) slots.usable = machine.buffer;
      channel.trackers.resize(machine.channel_vcs());
    }
    prepare_parts(router);
  }
}

Outcome ReferenceNetwork::run(Driver& driver, Cycle limit) {
  begin(driver);
  while (!completed() && !stuck() && now_ < limit) step();
  return outcome();
}

void ReferenceNetwork::begin(Driver& driver) {
  driver_ = &driver;
  driver.start(*this);
}

void ReferenceNetwork::send(const Packet& packet) {
  MessageState& message = messages_[packet.id];
  message.packet = packet;
  message.delivery.id = packet.id;
  message.delivery.ready = now_;
  message.head.destination = packet.destination;
  message.head.route = packet.route;
  routing_of(packet.message_class).prepare(message.head, packet.source);
  // A message to its own node has no candidate; it enters by the first channel of its network.
  message.first_port = packet.source == packet.destination
                           ? topology_.first_port(machine_.network_of(packet.message_class))
                           : candidates(packet.source, first_vc_of_port(links_), message).front().port;
  routers_[packet.source].queue.push_back(&message);
}

bool ReferenceNetwork::can_send(NodeId node, std::uint32_t message_class) const {
  if (!machine_.injection_queue) return true;
  const auto waiting = std::ranges::count_if(routers_[node].queue, [&](const MessageState* message) {
    return queue_of(message->packet.message_class) == queue_of(message_class);
  });
  return static_cast<std::uint32_t>(waiting) < *machine_.injection_queue;
}

void ReferenceNetwork::take(std::uint64_t id) {
  for (Router& router : routers_) {
    for (OutputVc& output : router.outputs) {
      for (BufferedMessage& message : output.buffer) message.taken |= message.delivered && message.id == id;
    }
  }
}

void ReferenceNetwork::wait_to_send(std::uint64_t id, std::optional<std::uint32_t> reply) {
  if (reply) without_room_[id] = *reply;
  for (Router& router : routers_) {
    for (OutputVc& output : router.outputs) {
      for (BufferedMessage& message : output.buffer) {
        if (message.delivered && message.id == id) message.reply = reply;
      }
    }
  }
}

void ReferenceNetwork::step() {
  something_happened_ = false;
  deliver();
  if (const auto nodes = std::exchange(relieved_, {}); !nodes.empty()) {
    driver_->can_send_again(*this, std::vector(nodes.begin(), nodes.end()), now_);
  }
  if (driver_->next_event() == now_) {
    something_happened_ = true;
    driver_->at(*this, now_);
  }
  read_ejection_buffers();
  note_usable_fronts();
  return_slots();
  if (machine_.parts.early_credits) track();
  for (NodeId node = 0; node < topology_.routers(); ++node) allocate_vcs(node);
  for (NodeId node = 0; node < topology_.routers(); ++node) allocate_switch(node);
  for (NodeId node = 0; node < topology_.routers(); ++node) traverse(node);
  count_stalls();
  for (NodeId node = 0; node < topology_.routers(); ++node) inject(node);
  note_queues();
  ++now_;
}

// Stage 1.
void ReferenceNetwork::deliver() {
  std::vector<Delivery> tails;
  while (!arriving_.empty() && arriving_.front().cycle == now_) {
    MessageState& message = *arriving_.front().message;
    const std::uint32_t flit = arriving_.front().flit;
    arriving_.pop_front();
    if (flit == 0) message.delivery.head_arrived = now_;
    if (flit + 1 == message.packet.flits) {
      message.delivery.arrived = now_;
      tails.push_back(message.delivery);
    }
  }
  if (tails.empty()) return;

  std::ranges::sort(tails, {}, &Delivery::id);
  for (const Delivery& delivery : tails) {
    deliveries_.push_back(delivery);
    head_behind_others_.push_back(messages_.at(delivery.id).head_behind_others);
    messages_.erase(delivery.id);
    ++totals_.messages_delivered;
  }
  totals_.cycles = now_;
  something_happened_ = true;
  for (Router& router : routers_) {
    for (OutputVc& output : router.outputs) {
      for (BufferedMessage& message : output.buffer) {
        message.delivered |= std::ranges::count(tails, message.id, &Delivery::id) > 0;
        message.taken |= message.delivered && !driver_->holds_deliveries();
      }
    }
  }
  driver_->delivered(*this, tails, now_);
}

// Every node reads a flit of each buffer whose first message it has taken.
void ReferenceNetwork::read_ejection_buffers() {
  for (Router& router : routers_) {
    for (OutputVc& output : router.outputs) {
      if (output.buffer.empty() || !output.buffer.front().taken) continue;
      output.slots.returning.push_back(now_ + machine_.link_delay);
      if (--output.buffer.front().unread == 0) output.buffer.pop_front();
      something_happened_ = true;
    }
  }
}

// Stage 2.
void ReferenceNetwork::note_usable_fronts() {
  for (Router& router : routers_) {
    for (InputVc& input : router.inputs) {
      input.stall_before = std::exchange(input.stall, std::nullopt);
      input.output_vc_before = input.output_vc;
      input.front_usable = !input.fifo.empty() && usable(input.fifo, 0);
      if (input.front_usable && input.fifo.front().head() && !input.at_front) input.at_front = now_;
      for (std::size_t position = 1; position < input.fifo.size(); ++position) {
        const Flit& flit = input.fifo[position];
        if (flit.head() && usable(input.fifo, position)) ++flit.message->head_behind_others;
      }
    }
  }
}

bool ReferenceNetwork::usable(const std::deque<Flit>& fifo, std::size_t position) const {
  const Flit& flit = fifo[position];
  if (machine_.switching != Switching::store_and_forward || !flit.head()) return flit.arrival <= now_;
  return std::ranges::any_of(fifo, [&](const Flit& other) {
    return other.message == flit.message && other.tail() && other.arrival <= now_;
  });
}

// Stage 3.
void ReferenceNetwork::return_slots() {
  const auto update = [this](Slots& slots) {
    while (!slots.returning.empty() && slots.returning.front() <= now_) {
      slots.returning.pop_front();
      ++slots.usable;
      --slots.signalled;
    }
    while (!slots.arrivals.empty() && slots.arrivals.front() <= now_) {
      slots.arrivals.pop_front();
      ++slots.signalled;
    }
  };
  for (Router& router : routers_) {
    for (OutputVc& output : router.outputs) update(output.slots);
    for (InjectionChannel& channel : router.channels) {
      for (Slots& slots : channel.slots) update(slots);
    }
  }
}

/// The priority of a VC with a flit. Above all are VCs that have lost too often.
std::uint32_t ReferenceNetwork::rank(const InputVc& input) const {
  if (!machine_.has_priorities()) return 0;
  return input.losses >= machine_.starvation_limit ? 1'000'000 : priority_of(class_of(input));
}

// Stage 5.
void ReferenceNetwork::allocate_switch(NodeId node) {
  if (machine_.allocates_by_parts()) return allocate_switch_by_parts(node);
  Router& router = routers_[node];
  std::vector<std::optional<unsigned>> picks(ports());
  const auto rank = [&](unsigned vc) { return this->rank(router.inputs[vc]); };
  for (InputVc& input : router.inputs) input.takes_part = false;
  for (unsigned port = 0; port < ports(); ++port) {
    for (unsigned i = 0; i < vcs_of_port(port); ++i) {
      const unsigned vc = first_vc_of_port(port) + (router.input_pointers[port] + i) % vcs_of_port(port);
      InputVc& input = router.inputs[vc];
      if (!input.front_usable || !input.output_vc || now_ < input.switch_from) continue;
      const OutputVc& output = router.outputs[*input.output_vc];
      if (is_link(port_of_vc(*input.output_vc))) {
        if (!has_room(node, *input.output_vc)) {
          input.stall = lack_of_room(node, *input.output_vc, 1);
          continue;
        }
        const unsigned link_port = port_of_vc(*input.output_vc);
        const OutputPort& link = router.links[link_port];
        if (!link.is_free(now_)) {
          input.stall = {StallCause::switch_lost, link_port, *input.output_vc - first_vc_of_port(link_port),
                         link.last_message, std::nullopt};
          continue;
        }
      } else {
        const unsigned ejection = port_of_vc(*input.output_vc);
        const std::optional<Cycle> last = router.ejected[ejection - links_];
        if (last && now_ < *last + machine_.ejection_interval) {
          input.stall = {StallCause::ejection_busy, ejection, *input.output_vc - first_vc_of_port(ejection),
                         std::nullopt, std::nullopt};
          continue;
        }
        if (machine_.ejection_buffer && output.slots.usable == 0) {
          input.stall = full_ejection_buffer(node, *input.output_vc);
          continue;
        }
      }
      const unsigned output_port = port_of_vc(*input.output_vc);  // unless it wins
      input.stall = {StallCause::switch_lost, output_port, *input.output_vc - first_vc_of_port(output_port),
                     std::nullopt, std::nullopt};
      input.takes_part = true;
      if (!picks[port] || rank(vc) > rank(*picks[port])) picks[port] = vc;
    }
  }

  router.winners.clear();
  for (unsigned output_port = 0; output_port < ports(); ++output_port) {
    std::optional<unsigned> wins;
    for (unsigned i = 0; i < ports(); ++i) {
      const unsigned input_port = (router.output_pointers[output_port] + i) % ports();
      if (!picks[input_port]) continue;
      const unsigned input_vc = *picks[input_port];
      if (port_of_vc(*router.inputs[input_vc].output_vc) != output_port) continue;
      if (!wins || rank(input_vc) > rank(*wins)) wins = input_vc;
    }
    if (!wins) continue;
    const unsigned input_port = port_of_vc(*wins);
    router.winners.push_back({*wins, *router.inputs[*wins].output_vc});
    router.inputs[*wins].stall.reset();
    router.output_pointers[output_port] = (input_port + 1) % ports();
    router.input_pointers[input_port] = (*wins - first_vc_of_port(input_port) + 1) % vcs_of_port(input_port);
  }
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    InputVc& input = router.inputs[vc];
    if (input.takes_part) input.losses = input.stall ? input.losses + 1 : 0;
  }
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    InputVc& input = router.inputs[vc];
    if (!input.stall || input.stall->cause != StallCause::switch_lost || input.stall->culprit) continue;
    unsigned winner = *picks[port_of_vc(vc)];
    for (const Winner& each : router.winners) {
      if (winner == vc && port_of_vc(each.output_vc) == input.stall->port) winner = each.input_vc;
    }
    input.stall->culprit = router.inputs[winner].fifo.front().message->packet.id;
  }
}

// Stage 6.
void ReferenceNetwork::traverse(NodeId node) {
  Router& router = routers_[node];
  router.written.clear();
  for (const Winner& winner : router.winners) {
    InputVc& input = router.inputs[winner.input_vc];
    OutputVc& output = router.outputs[winner.output_vc];
    const Flit flit = input.fifo.front();
    const Cycle leaves = leave_queue(node, winner, flit);
    input.fifo.pop_front();
    input.at_front.reset();

    const unsigned input_port = port_of_vc(winner.input_vc);
    if (is_link(input_port)) {
      const NodeId sender = topology_.upstream(node, input_port).value();
      const Cycle back = now_ + routers_[sender].links[input_port].time.delay + machine_.credit_delay;
      routers_[sender].outputs[winner.input_vc].slots.returning.push_back(back);
      routers_[sender].outputs[winner.input_vc].tracker.slots.push_back(back - 1);
    } else {
      const unsigned vc = winner.input_vc - first_vc_of_port(input_port);
      const Cycle back = now_ + 1 + machine_.parts.injection_credit_delay;
      router.channels[input_port - links_].slots[vc].returning.push_back(back);
      router.channels[input_port - links_].trackers[vc].slots.push_back(back);
    }
    output.tracker.puts.push_back(now_ + 1);

    const unsigned output_port = port_of_vc(winner.output_vc);
    if (is_link(output_port)) {
      const NodeId receiver = topology_.neighbour(node, output_port).value();
      OutputPort& link = router.links[output_port];
      link.free_parts = std::max(link.free_parts, leaves * link.time.cycles_per_flit.denominator()) +
                        link.time.cycles_per_flit.numerator();
      link.last_message = flit.message->packet.id;
      if (flit.head()) {
        flit.message->delivery.link_excess += std::int64_t{link.time.delay} - machine_.link_delay;
        if (routing_->weighs()) ++flit.message->delivery.links;
      }
      --output.slots.usable;
      ++output.slots.puts;
      output.slots.arrivals.push_back(now_ + 2 * Cycle{link.time.delay} + machine_.credit_delay);
      routers_[receiver].inputs[winner.output_vc].fifo.push_back(
          {flit.message, flit.index, leaves + link.time.delay + machine_.router_delay});
    } else {
      router.ejected[output_port - links_] = now_;
      arriving_.push_back({leaves + machine_.link_delay, flit.message, flit.index});
      std::ranges::stable_sort(arriving_, {}, &Arriving::cycle);
      output.tracker.slots.push_back(leaves + 2 * machine_.link_delay + machine_.credit_delay);
      if (const std::uint32_t flits = flit.message->packet.flits; machine_.banks != 0 && flits > 1)
        router.written.insert((flits - flit.index) % machine_.banks);
      if (machine_.ejection_buffer) {
        --output.slots.usable;
        ++output.slots.puts;
        const Packet& packet = flit.message->packet;
        if (flit.head()) output.buffer.push_back({packet.id, packet.flits});
      }
    }
    if (flit.tail()) {
      input.output_vc.reset();
      output.holder.reset();
      if (is_link(output_port)) output.free_from = now_ + machine_.vc_reallocation_delay;
      const Packet& packet = flit.message->packet;
      if (machine_.requests && packet.is_answered && !is_link(output_port)) {
        output.requests.push_back(packet.id);
        output.is_full = output.requests.size() == machine_.requests_of(node);
      }
    }
    traversals_.push_back({leaves, node, output_port, winner.output_vc - first_vc_of_port(output_port),
                           flit.message->packet.id, flit.index});
    ++totals_.flits_moved;
    something_happened_ = true;
  }
}

void ReferenceNetwork::count_stalls() {
  for (NodeId node = 0; node < topology_.routers(); ++node) {
    count_queued(node);
    for (unsigned vc = 0; vc < vcs(); ++vc) {
      const InputVc& input = routers_[node].inputs[vc];
      if (!input.stall) continue;
      const auto cause = static_cast<std::size_t>(input.stall->cause);
      const Flit& flit = input.fifo.front();
      ++totals_.stalls[cause];
      if (flit.head()) ++flit.message->delivery.head_stalls[cause];
      write_stall(node, vc);
    }
  }
}

void ReferenceNetwork::write_stall(NodeId node, unsigned input_vc) {
  InputVc& input = routers_[node].inputs[input_vc];
  const std::optional<Stall>& before = input.stall_before;
  const bool waited = before && (before->cause != StallCause::switch_lost || !input.output_vc_before);
  if (!waited || input.output_vc != input.output_vc_before) input.waiting_since = now_;
  // As long as it waits for the same slot, the culprit stays.
  if (before && before->slot && before->slot == input.stall->slot && before->cause == input.stall->cause) {
    input.stall->culprit = before->culprit;
  }
  if (before && before->same_line(*input.stall)) {
    ++stalls_[input.line].cycles;
    return;
  }
  const Flit& flit = input.fifo.front();
  input.line = stalls_.size();
  stalls_.push_back({now_, 1, node, input_vc, input.stall->cause, input.stall->port, input.stall->vc,
                     flit.message->packet.id, flit.index, input.stall->culprit});
}

// Stage 7.
void ReferenceNetwork::inject(NodeId node) {
  Router& router = routers_[node];
  for (unsigned e = 0; e < channels_; ++e) {
    for (unsigned queue = 0; queue < router.channels[e].injectors.size(); ++queue)
      take_message(node, e, queue);
  }
  if (machine_.banks != 0) read_flits(node);
  for (unsigned e = 0; e < channels_; ++e) {
    InjectionChannel& channel = router.channels[e];
    const auto queues = static_cast<unsigned>(channel.injectors.size());
    std::vector<bool> could_put(queues);
    for (unsigned queue = 0; queue < queues; ++queue) {
      Injector& injector = channel.injectors[queue];
      if (injector.message == nullptr || now_ < injector.earliest) continue;
      const Slots* const slots = &channel.slots[std::size_t{queue} * machine_.node_vcs];
      if (!injector.vc_known) {
        const unsigned last = injector.vc;
        unsigned ahead = 1;
        if (tracks_puts()) {
          const Tracker* const trackers = &channel.trackers[std::size_t{queue} * machine_.node_vcs];
          while (ahead <= machine_.node_vcs && !trackers[(last + ahead) % machine_.node_vcs].empty) ++ahead;
          if (ahead > machine_.node_vcs) continue;
        }
        while (!tracks_puts() && ahead < machine_.node_vcs &&
               slots[(last + ahead) % machine_.node_vcs].usable == 0)
          ++ahead;
        injector.vc = (last + ahead) % machine_.node_vcs;
        injector.vc_known = true;
      }
      const bool is_there = machine_.banks == 0 || injector.message->packet.flits == 1 || injector.read;
      could_put[queue] = slots[injector.vc].usable > 0 && is_there && can_read(node, injector);
    }
    if (now_ < channel.earliest) continue;
    std::uint32_t highest = 0;
    for (unsigned queue = 0; queue < queues; ++queue) {
      if (could_put[queue]) highest = std::max(highest, priority_of(queue));
    }
    for (unsigned i = 0; i < queues; ++i) {
      const unsigned queue = (channel.turn + i) % queues;
      if (!could_put[queue] || priority_of(queue) < highest) continue;
      channel.turn = (queue + 1) % queues;
      put_flit(node, e, queue);
      break;
    }
  }
}

void ReferenceNetwork::take_message(NodeId node, unsigned e, unsigned queue) {
  Router& router = routers_[node];
  Injector& injector = router.channels[e].injectors[queue];
  if (injector.message != nullptr || now_ < injector.earliest) return;
  const auto oldest = std::ranges::find_if(router.queue, [&](const MessageState* message) {
    return (machine_.ports ? is_of_network(e, message->packet.message_class) : message->first_port == e) &&
           queue_of(message->packet.message_class) == queue;
  });
  if (oldest == router.queue.end()) return;
  injector.message = *oldest;
  injector.next_flit = 0;
  injector.earliest = now_ + machine_.startup;
  if (!can_send(node, injector.message->packet.message_class)) relieved_.insert(node);
  router.queue.erase(oldest);
  something_happened_ = true;
}

/// Whether the memory of an injector's message can read its next flit.
bool ReferenceNetwork::can_read(NodeId node, const Injector& injector) const {
  if (machine_.read_intervals.empty() || injector.message->packet.flits == 1) return true;
  const Ratio interval = machine_.read_interval(node, injector.message->packet.message_class);
  return injector.free_parts < (now_ + 1) * interval.denominator();
}

/// Injectors with longer messages read their next flits, one after the other.
void ReferenceNetwork::read_flits(NodeId node) {
  const auto bank_of = [&](const Injector& injector) {
    return (injector.message->packet.flits - injector.next_flit) % machine_.banks;
  };
  const auto network_of = [&](const Injector& injector) {
    return machine_.network_of(injector.message->packet.message_class);
  };
  for (unsigned e = 0; e < channels_; ++e) {
    for (Injector& injector : routers_[node].channels[e].injectors) {
      if (injector.message == nullptr || now_ < injector.earliest || injector.read ||
          injector.message->packet.flits == 1 || !can_read(node, injector))
        continue;
      bool is_kept = routers_[node].written.contains(bank_of(injector));
      for (const InjectionChannel& other : routers_[node].channels) {
        for (const Injector& each : other.injectors) {
          is_kept |= each.read && now_ < *each.read + machine_.bank_hold &&
                     bank_of(each) == bank_of(injector) && network_of(each) != network_of(injector);
        }
      }
      if (!is_kept) injector.read = now_;
    }
  }
}

void ReferenceNetwork::put_flit(NodeId node, unsigned e, unsigned queue) {
  InjectionChannel& channel = routers_[node].channels[e];
  Injector& injector = channel.injectors[queue];
  const unsigned vc = queue * machine_.node_vcs + injector.vc;
  if (!machine_.read_intervals.empty() && injector.message->packet.flits != 1) {
    const Ratio interval = machine_.read_interval(node, injector.message->packet.message_class);
    injector.free_parts = std::max(injector.free_parts, now_ * interval.denominator()) + interval.numerator();
  }
  const Flit flit{injector.message, injector.next_flit, now_ + machine_.router_delay};
  routers_[node].inputs[first_vc_of_port(links_ + e) + vc].fifo.push_back(flit);
  --channel.slots[vc].usable;
  channel.trackers[vc].puts.push_back(now_ + 1);
  channel.earliest = now_ + machine_.injection_interval;
  injector.earliest = channel.earliest;
  ++injector.next_flit;
  injector.read.reset();
  if (flit.head()) {
    flit.message->delivery.head_entered = now_;
    ++totals_.messages_injected;
  }
  if (flit.tail()) {
    injector.message = nullptr;
    injector.vc_known = false;
    for (OutputVc& output : routers_[node].outputs) {
      if (std::erase(output.requests, flit.message->packet.answers) > 0) output.is_full = false;
    }
  }
  injections_.push_back({now_, node, e, flit.message->packet.id, flit.index});
  something_happened_ = true;
}

unsigned ReferenceNetwork::port_of_vc(unsigned vc) const {
  const unsigned link_vcs = links_ * machine_.virtual_channels;
  return vc < link_vcs ? vc / machine_.virtual_channels : links_ + (vc - link_vcs) / machine_.channel_vcs();
}

unsigned ReferenceNetwork::first_vc_of_port(unsigned port) const {
  return is_link(port) ? port * machine_.virtual_channels
                       : links_ * machine_.virtual_channels + (port - links_) * machine_.channel_vcs();
}

unsigned ReferenceNetwork::vcs_of_port(unsigned port) const {
  return is_link(port) ? machine_.virtual_channels : machine_.channel_vcs();
}

}  // namespace flitscope::reference
