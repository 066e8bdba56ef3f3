#include "tests/reference/reference_network.h"

#include <algorithm>
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
      channels_(machine.ports.value_or(topology.link_ports())),
      routing_(registered(machine.routing).make(topology)),
      classes_(routing_->classes()),
      routers_(topology.routers()) {
  routing_->build_tables();
  for (NodeId node = 0; node < topology.routers(); ++node) {
    Router& router = routers_[node];
    for (unsigned port = 0; port < links_; ++port) {
      router.links.push_back({machine.link(topology, topology.channel(node, port)), 0, 0});
    }
    router.inputs.resize(vcs());
    router.outputs.resize(vcs());
    router.groups.resize(links_ + 1);
    router.input_pointers.resize(ports());
    router.output_pointers.resize(ports());
    router.channels.resize(channels_);
    router.ejected.resize(channels_);
    for (OutputVc& output : router.outputs) output.slots.usable = machine.buffer;
    for (InjectionChannel& channel : router.channels) {
      channel.slots.resize(machine.node_vcs);
      for (Slots& slots : channel.slots) slots.usable = machine.buffer;
      channel.trackers.resize(machine.node_vcs);
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
  routing_->prepare(message.head, packet.source);
  // A message to its own node has no candidate; it enters by channel 0.
  message.first_port = packet.source == packet.destination
                           ? 0
                           : candidates(packet.source, first_vc_of_port(links_), message).front().port;
  routers_[packet.source].queue.push_back(&message);
}

void ReferenceNetwork::step() {
  something_happened_ = false;
  deliver();
  if (driver_->next_event() == now_) {
    something_happened_ = true;
    driver_->at(*this, now_);
  }
  note_usable_fronts();
  return_slots();
  if (machine_.parts.early_credits) track();
  for (NodeId node = 0; node < topology_.routers(); ++node) allocate_vcs(node);
  for (NodeId node = 0; node < topology_.routers(); ++node) allocate_switch(node);
  for (NodeId node = 0; node < topology_.routers(); ++node) traverse(node);
  count_stalls();
  for (NodeId node = 0; node < topology_.routers(); ++node) inject(node);
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
  driver_->delivered(*this, tails, now_);
}

// Stage 2.
void ReferenceNetwork::note_usable_fronts() {
  for (Router& router : routers_) {
    for (InputVc& input : router.inputs) {
      input.stall_before = std::exchange(input.stall, std::nullopt);
      input.output_vc_before = input.output_vc;
      input.front_usable = !input.fifo.empty() && usable(input.fifo, 0);
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
    }
    if (slots.usable > machine_.buffer) throw std::logic_error("more usable slots than the buffer has");
  };
  for (Router& router : routers_) {
    for (OutputVc& output : router.outputs) update(output.slots);
    for (InjectionChannel& channel : router.channels) {
      for (Slots& slots : channel.slots) update(slots);
    }
  }
}

// Stage 4.
void ReferenceNetwork::allocate_vcs(NodeId node) {
  Router& router = routers_[node];
  std::vector<std::optional<Request>> requests(vcs());
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    const InputVc& input = router.inputs[vc];
    if (input.front_usable && !input.output_vc) {
      if (!input.fifo.front().head()) throw std::logic_error("a body flit without output VC");
      requests[vc] = request_of(node, vc);
    }
  }
  switch (machine_.parts.vc_allocator) {
    case VcAllocator::separable_input_first:
      return allocate_vcs_separably(node, requests);
    case VcAllocator::wavefront:
      return allocate_vcs_by_wavefront(node, requests);
    case VcAllocator::circular:
      for (unsigned group = 0; group < router.groups.size(); ++group) grant_group(node, group, requests);
  }
}

void ReferenceNetwork::grant_group(NodeId node, unsigned group,
                                   const std::vector<std::optional<Request>>& requests) {
  Router& router = routers_[node];
  Group& pointers = router.groups[group];
  const bool ejection = group == links_;
  const unsigned size = ejection ? channels_ * machine_.node_vcs : machine_.virtual_channels;
  const unsigned first_output = first_vc_of_port(group);
  std::optional<unsigned> last_granted;

  for (unsigned i = 0; i < vcs(); ++i) {
    const unsigned vc = (pointers.request_pointer + i) % vcs();
    if (!requests[vc] || requests[vc]->group != group) continue;
    InputVc& input = router.inputs[vc];
    const std::uint32_t flits = input.fifo.front().message->packet.flits;

    std::optional<unsigned> granted;
    for (unsigned j = 0; j < size && !granted; ++j) {
      const unsigned candidate = (pointers.vc_pointer + j) % size;
      const OutputVc& output = router.outputs[first_output + candidate];
      if (!requests[vc]->admissible[candidate] || output.holder || now_ < output.free_from) continue;
      if (machine_.has_parts() && !is_eligible(node, first_output + candidate)) continue;
      if (!machine_.has_parts() && !ejection && needs_packet_space() &&
          output.slots.usable < room_first(vc, group, flits))
        continue;
      granted = candidate;
    }

    if (granted) {
      hold(node, vc, first_output + *granted);
      pointers.vc_pointer = (*granted + 1) % size;
      if (!ejection) input.selection_pointer = (group + 1) % links_;
      last_granted = vc;
    } else {
      input.stall = refusal(node, vc, *requests[vc]);
    }
  }
  if (last_granted) pointers.request_pointer = (*last_granted + 1) % vcs();
}

/// Why a head gets no VC, as things stand when its request is looked at.
ReferenceNetwork::Stall ReferenceNetwork::refusal(NodeId node, unsigned input_vc,
                                                  const Request& request) const {
  const Router& router = routers_[node];
  const bool ejection = request.group == links_;
  std::optional<unsigned> first_held;
  std::optional<unsigned> first_free;
  for (unsigned candidate = 0; candidate < request.admissible.size(); ++candidate) {
    if (!request.admissible[candidate]) continue;
    const unsigned output_vc = first_vc_of_port(request.group) + candidate;
    const OutputVc& output = router.outputs[output_vc];
    std::optional<unsigned>& first = output.holder || now_ < output.free_from ? first_held : first_free;
    if (!first) first = output_vc;
  }
  if (first_free && ejection) {  // early credits
    return {StallCause::ejection_busy, request.group, std::nullopt, std::nullopt, std::nullopt};
  }
  if (first_free) {
    const std::uint32_t flits = router.inputs[input_vc].fifo.front().message->packet.flits;
    Stall stall = lack_of_room(node, *first_free, room_first(input_vc, request.group, flits));
    stall.vc.reset();
    return stall;
  }
  const OutputVc& taken = router.outputs[*first_held];
  return {ejection ? StallCause::ejection_busy : StallCause::vc_taken, request.group, std::nullopt,
          taken.holder ? std::optional(taken.message) : std::nullopt, std::nullopt};
}

/// There is no room for so many flits behind an output VC of a link: the last of the slots that it takes
/// lacks.
ReferenceNetwork::Stall ReferenceNetwork::lack_of_room(NodeId node, unsigned output_vc,
                                                       std::uint32_t flits) const {
  const unsigned port = port_of_vc(output_vc);
  const Slots& slots = routers_[node].outputs[output_vc].slots;
  const auto& fifo = routers_[topology_.neighbour(node, port).value()].inputs[output_vc].fifo;
  Stall stall{StallCause::no_credit, port, output_vc - first_vc_of_port(port), std::nullopt,
              LackingSlot{output_vc, slots.puts + flits}};
  // Slots return in the order in which they were taken: those in flight, then the oldest flit's.
  const std::size_t sooner = slots.usable + slots.returning.size();
  if (flits > sooner) stall.culprit = fifo.at(flits - sooner - 1).message->packet.id;
  return stall;
}

ReferenceNetwork::Request ReferenceNetwork::request_of(NodeId node, unsigned input_vc) const {
  const Router& router = routers_[node];
  const InputVc& input = router.inputs[input_vc];
  const MessageState& message = *input.fifo.front().message;
  if (node == message.packet.destination) {
    Request request{links_, {}, 0};
    const unsigned port = port_of_vc(input_vc);
    const unsigned own_channel = is_link(port) ? port : port - links_;
    for (unsigned vc = 0; vc < channels_ * machine_.node_vcs; ++vc) {
      const unsigned channel = vc / machine_.node_vcs;
      request.admissible.push_back(machine_.ports.has_value() || channel == own_channel);
    }
    return request;
  }
  const Candidate candidate = selected(node, input_vc, candidates(node, input_vc, message), message);
  Request request{candidate.port, {}, candidate.channel_class};
  for (unsigned vc = 0; vc < machine_.virtual_channels; ++vc) {
    request.admissible.push_back(in_class(vc, candidate.channel_class));
  }
  return request;
}

std::vector<Candidate> ReferenceNetwork::candidates(NodeId node, unsigned input_vc,
                                                    const MessageState& message) const {
  Arrival arrival;
  arrival.port = static_cast<std::uint8_t>(port_of_vc(input_vc));
  if (is_link(arrival.port)) {
    unsigned channel_class = 0;
    while (!in_class(input_vc - first_vc_of_port(arrival.port), channel_class)) ++channel_class;
    arrival.channel_class = static_cast<std::uint8_t>(channel_class);
  }
  std::vector<Candidate> result;
  routing_->add_candidates(node, arrival, message.head, result);
  return result;
}

// The candidate that is asked for in this cycle.
Candidate ReferenceNetwork::selected(NodeId node, unsigned input_vc, const std::vector<Candidate>& candidates,
                                     const MessageState& message) const {
  const Router& router = routers_[node];
  if (candidates.size() > 1 && routing_->weighs()) {
    return *std::ranges::min_element(candidates, {}, [&](const Candidate& candidate) {
      std::uint64_t queue = 0;
      for (unsigned vc = 0; vc < machine_.virtual_channels; ++vc) {
        queue += machine_.buffer - router.outputs[first_vc_of_port(candidate.port) + vc].slots.usable;
      }
      return queue * routing_->links_by(node, message.head, candidate);
    });
  }
  const InputVc& input = router.inputs[input_vc];
  std::vector<Candidate> open;
  std::vector<Candidate> open_without_escape;
  std::map<std::pair<unsigned, unsigned>, std::uint32_t> credits;  // by port and class
  for (const Candidate& candidate : candidates) {
    bool is_open = false;
    std::uint32_t slots = 0;
    for (unsigned vc = 0; vc < machine_.virtual_channels; ++vc) {
      if (!in_class(vc, candidate.channel_class)) continue;
      const OutputVc& output = router.outputs[first_vc_of_port(candidate.port) + vc];
      const std::uint32_t room =
          needs_packet_space() ? room_first(input_vc, candidate.port, message.packet.flits) : 0;
      if (output.holder || now_ < output.free_from || output.slots.usable < room) continue;
      is_open = true;
      slots += output.slots.usable;
    }
    if (!is_open) continue;
    credits[{candidate.port, candidate.channel_class}] = slots;
    open.push_back(candidate);
    const bool escape = (routing_->escape_classes() >> candidate.channel_class) % 2 == 1;
    if (!escape) open_without_escape.push_back(candidate);
  }
  if (open.empty()) return candidates.front();
  if (!open_without_escape.empty()) open = open_without_escape;

  const auto slots_of = [&](const Candidate& one) { return credits.at({one.port, one.channel_class}); };
  const auto ports_to_go = [&](const Candidate& one) {
    return (one.port + links_ - input.selection_pointer) % links_;
  };
  switch (machine_.selection) {
    case Selection::first_free:
      return open.front();
    case Selection::most_credits:
      return *std::ranges::max_element(open, {}, slots_of);  // the first of several
    case Selection::round_robin:
      return *std::ranges::min_element(open, {}, ports_to_go);
  }
  throw std::logic_error("no such selection");
}

/// Slots that must be usable behind a VC of link port `port` before a head of `input_vc` is granted it.
std::uint32_t ReferenceNetwork::room_first(unsigned input_vc, unsigned port, std::uint32_t flits) const {
  if (machine_.vc_allocation == VcAllocation::atomic) return machine_.buffer;
  if (machine_.vc_allocation == VcAllocation::with_slot) return 1;
  if (machine_.flow == FlowControl::bubble && port_of_vc(input_vc) != port) return 2 * flits;
  return flits;
}

bool ReferenceNetwork::in_class(unsigned vc, unsigned channel_class) const {
  const unsigned count = machine_.virtual_channels;
  if (count < classes_) return vc == channel_class * count / classes_;
  return vc * classes_ / count == channel_class;
}

// Stage 5.
void ReferenceNetwork::allocate_switch(NodeId node) {
  if (machine_.has_parts()) return allocate_switch_by_parts(node);
  Router& router = routers_[node];
  std::vector<std::optional<unsigned>> picks(ports());
  for (unsigned port = 0; port < ports(); ++port) {
    for (unsigned i = 0; i < vcs_of_port(port); ++i) {
      const unsigned vc = first_vc_of_port(port) + (router.input_pointers[port] + i) % vcs_of_port(port);
      InputVc& input = router.inputs[vc];
      if (!input.front_usable || !input.output_vc || now_ < input.switch_from) continue;
      const OutputVc& output = router.outputs[*input.output_vc];
      if (is_link(port_of_vc(*input.output_vc))) {
        if (output.slots.usable == 0) {
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
      }
      const unsigned output_port = port_of_vc(*input.output_vc);  // unless it wins
      input.stall = {StallCause::switch_lost, output_port, *input.output_vc - first_vc_of_port(output_port),
                     std::nullopt, std::nullopt};
      if (!picks[port]) picks[port] = vc;
    }
  }

  router.winners.clear();
  for (unsigned output_port = 0; output_port < ports(); ++output_port) {
    for (unsigned i = 0; i < ports(); ++i) {
      const unsigned input_port = (router.output_pointers[output_port] + i) % ports();
      if (!picks[input_port]) continue;
      const unsigned input_vc = *picks[input_port];
      const unsigned output_vc = *router.inputs[input_vc].output_vc;
      if (port_of_vc(output_vc) != output_port) continue;
      router.winners.push_back({input_vc, output_vc});
      router.inputs[input_vc].stall.reset();
      router.output_pointers[output_port] = (input_port + 1) % ports();
      router.input_pointers[input_port] =
          (input_vc - first_vc_of_port(input_port) + 1) % vcs_of_port(input_port);
      break;
    }
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
  for (const Winner& winner : router.winners) {
    InputVc& input = router.inputs[winner.input_vc];
    OutputVc& output = router.outputs[winner.output_vc];
    const Flit flit = input.fifo.front();
    input.fifo.pop_front();

    const unsigned input_port = port_of_vc(winner.input_vc);
    if (is_link(input_port)) {
      const NodeId sender = topology_.upstream(node, input_port).value();
      const Cycle back = now_ + routers_[sender].links[input_port].time.delay + machine_.credit_delay;
      routers_[sender].outputs[winner.input_vc].slots.returning.push_back(back);
      routers_[sender].outputs[winner.input_vc].tracker.slots.push_back(back - 1);
    } else {
      const unsigned vc = winner.input_vc - first_vc_of_port(input_port);
      router.channels[input_port - links_].slots[vc].returning.push_back(now_ + 1);
      router.channels[input_port - links_].trackers[vc].slots.push_back(now_ + 1);
    }
    output.tracker.puts.push_back(now_ + 1);

    const unsigned output_port = port_of_vc(winner.output_vc);
    if (is_link(output_port)) {
      const NodeId receiver = topology_.neighbour(node, output_port).value();
      OutputPort& link = router.links[output_port];
      link.free_parts = std::max(link.free_parts, now_ * link.time.cycles_per_flit.denominator()) +
                        link.time.cycles_per_flit.numerator();
      link.last_message = flit.message->packet.id;
      if (flit.head()) {
        flit.message->delivery.link_excess += std::int64_t{link.time.delay} - machine_.link_delay;
      }
      --output.slots.usable;
      ++output.slots.puts;
      routers_[receiver].inputs[winner.output_vc].fifo.push_back(
          {flit.message, flit.index, now_ + link.time.delay + machine_.router_delay});
    } else {
      router.ejected[output_port - links_] = now_;
      arriving_.push_back({now_ + machine_.link_delay, flit.message, flit.index});
      output.tracker.slots.push_back(now_ + 2 * machine_.link_delay + machine_.credit_delay);
    }
    if (flit.tail()) {
      input.output_vc.reset();
      output.holder.reset();
      if (is_link(output_port)) output.free_from = now_ + machine_.vc_reallocation_delay;
    }
    traversals_.push_back({now_, node, output_port, winner.output_vc - first_vc_of_port(output_port),
                           flit.message->packet.id, flit.index});
    ++totals_.flits_moved;
    something_happened_ = true;
  }
}

void ReferenceNetwork::count_stalls() {
  for (NodeId node = 0; node < topology_.routers(); ++node) {
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
  if (!before || input.output_vc != input.output_vc_before) input.waiting_since = now_;
  // As long as it waits for the same slot, the culprit stays.
  if (before && before->slot && before->slot == input.stall->slot) input.stall->culprit = before->culprit;
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
    InjectionChannel& channel = router.channels[e];
    if (channel.message == nullptr && now_ >= channel.earliest) {
      const auto oldest = std::ranges::find_if(router.queue, [&](const MessageState* message) {
        return machine_.ports.has_value() || message->first_port == e;
      });
      if (oldest != router.queue.end()) {
        channel.message = *oldest;
        channel.next_flit = 0;
        channel.earliest = now_ + machine_.startup;
        router.queue.erase(oldest);
        something_happened_ = true;
      }
    }
    if (channel.message == nullptr || now_ < channel.earliest) continue;
    if (!channel.vc_known) {
      const unsigned last = channel.vc;
      unsigned ahead = 1;
      if (tracks_puts()) {
        while (ahead <= machine_.node_vcs && !channel.trackers[(last + ahead) % machine_.node_vcs].empty)
          ++ahead;
        if (ahead > machine_.node_vcs) continue;
      }
      while (!tracks_puts() && ahead < machine_.node_vcs &&
             channel.slots[(last + ahead) % machine_.node_vcs].usable == 0)
        ++ahead;
      channel.vc = (last + ahead) % machine_.node_vcs;
      channel.vc_known = true;
    }
    if (channel.slots[channel.vc].usable == 0) continue;

    const Flit flit{channel.message, channel.next_flit, now_ + machine_.router_delay};
    router.inputs[first_vc_of_port(links_ + e) + channel.vc].fifo.push_back(flit);
    --channel.slots[channel.vc].usable;
    channel.trackers[channel.vc].puts.push_back(now_ + 1);
    channel.earliest = now_ + machine_.injection_interval;
    ++channel.next_flit;
    if (flit.head()) {
      flit.message->delivery.head_entered = now_;
      ++totals_.messages_injected;
    }
    if (flit.tail()) {
      channel.message = nullptr;
      channel.vc_known = false;
    }
    injections_.push_back({now_, node, e, flit.message->packet.id, flit.index});
    something_happened_ = true;
  }
}

bool ReferenceNetwork::completed() const {
  return driver_->finished() && messages_.empty();
}

bool ReferenceNetwork::stuck() const {
  return !completed() && !something_happened_ && !timer_pending();
}

Outcome ReferenceNetwork::outcome() const {
  Outcome result = totals_;
  result.ending = completed() ? Ending::completed : stuck() ? Ending::stuck : Ending::limit;
  return result;
}

// Whether the mere passing of time will change anything after the cycle before now().
bool ReferenceNetwork::timer_pending() const {
  const auto is_pending = [](const Tracker& tracker) {
    return !tracker.puts.empty() || !tracker.slots.empty() || tracker.empty != (tracker.taken == 0);
  };
  if (!arriving_.empty()) return true;
  const Cycle event = driver_->next_event();
  if (event != kNever && event >= now_) return true;
  for (const Router& router : routers_) {
    for (const InputVc& input : router.inputs) {
      for (const Flit& flit : input.fifo) {
        if (flit.arrival >= now_) return true;
      }
      if (input.output_vc && input.switch_from >= now_) return true;
    }
    for (const OutputVc& output : router.outputs) {
      if (!output.slots.returning.empty() || output.free_from >= now_) return true;
      if (machine_.parts.early_credits && is_pending(output.tracker)) return true;
    }
    for (const std::optional<Cycle>& last : router.ejected) {
      if (last && *last + machine_.ejection_interval >= now_) return true;
    }
    for (const OutputPort& link : router.links) {
      if (link.free_parts > 0 && (now_ == 0 || !link.is_free(now_ - 1))) return true;
    }
    for (const InjectionChannel& channel : router.channels) {
      if (channel.earliest >= now_) return true;
      for (const Slots& slots : channel.slots) {
        if (!slots.returning.empty()) return true;
      }
      for (const Tracker& tracker : channel.trackers) {
        if (tracks_puts() && is_pending(tracker)) return true;
      }
    }
  }
  return false;
}

std::vector<Waiting> ReferenceNetwork::waiting() const {
  std::vector<Waiting> result;
  for (NodeId node = 0; node < topology_.routers(); ++node) {
    for (unsigned vc = 0; vc < vcs(); ++vc) {
      const InputVc& input = routers_[node].inputs[vc];
      if (!input.stall) continue;
      result.push_back({{node, vc}, input.fifo.front().message->packet.id, alternatives(node, vc)});
    }
  }
  return result;
}

// None as soon as one of them needs nothing but time.
std::vector<Alternative> ReferenceNetwork::alternatives(NodeId node, unsigned input_vc) const {
  const Router& router = routers_[node];
  const InputVc& input = router.inputs[input_vc];
  // The input VC that must make room for `flits` flits behind an output VC, if there is none.
  const auto lacks_room = [&](unsigned output_vc, std::uint32_t flits) -> Alternative {
    const NodeId receiver = topology_.neighbour(node, port_of_vc(output_vc)).value();
    const std::size_t taken = routers_[receiver].inputs[output_vc].fifo.size();
    if (machine_.buffer - taken >= flits) return {};
    return {{receiver, output_vc}};
  };

  if (input.output_vc) {
    if (!input.stall || input.stall->cause != StallCause::no_credit) return {};
    const Alternative required = lacks_room(*input.output_vc, 1);
    if (required.empty()) return {};
    return {required};
  }
  const MessageState& message = *input.fifo.front().message;
  if (node == message.packet.destination) return {};

  std::vector<Alternative> result;
  for (const Candidate& candidate : candidates(node, input_vc, message)) {
    for (unsigned vc = 0; vc < machine_.virtual_channels; ++vc) {
      if (!in_class(vc, candidate.channel_class)) continue;
      const unsigned output_vc = first_vc_of_port(candidate.port) + vc;
      Alternative required;
      if (needs_packet_space() || machine_.vc_allocation == VcAllocation::with_slot) {
        required = lacks_room(output_vc, room_first(input_vc, candidate.port, message.packet.flits));
      }
      if (const auto holder = router.outputs[output_vc].holder) required.emplace_back(node, *holder);
      if (required.empty()) return {};
      result.push_back(required);
    }
  }
  return result;
}

unsigned ReferenceNetwork::port_of_vc(unsigned vc) const {
  const unsigned link_vcs = links_ * machine_.virtual_channels;
  return vc < link_vcs ? vc / machine_.virtual_channels : links_ + (vc - link_vcs) / machine_.node_vcs;
}

unsigned ReferenceNetwork::first_vc_of_port(unsigned port) const {
  return is_link(port) ? port * machine_.virtual_channels
                       : links_ * machine_.virtual_channels + (port - links_) * machine_.node_vcs;
}

unsigned ReferenceNetwork::vcs_of_port(unsigned port) const {
  return is_link(port) ? machine_.virtual_channels : machine_.node_vcs;
}

}  // namespace flitscope::reference
