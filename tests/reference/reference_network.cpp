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
      classes_(routing_->classes()),
      routers_(topology.routers()),
      reads_past_queues_(!routing_->watched_links().empty()) {
  routing_->build_tables();
  for (unsigned network = 1; network < topology.networks(); ++network) {
    other_routing_.push_back(registered(machine.routing).make(topology.network(network)));
    other_routing_.back()->build_tables();
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
    router.waits_to_send.resize(machine.message_classes());
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

// Stage 4.
void ReferenceNetwork::allocate_vcs(NodeId node) {
  Router& router = routers_[node];
  std::vector<std::optional<Request>> requests(vcs());
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    const InputVc& input = router.inputs[vc];
    if (input.front_usable && !input.output_vc && !is_routed(input)) {
      if (!input.fifo.front().head()) throw std::logic_error("a body flit without output VC");
      requests[vc] = request_of(node, vc);
    }
  }
  if (std::ranges::none_of(requests, [](const auto& request) { return request.has_value(); })) return;
  switch (machine_.parts.vc_allocator) {
    case VcAllocator::separable_input_first:
      return allocate_vcs_separably(node, requests);
    case VcAllocator::separable_input_first_flat:
      return allocate_vcs_flatly(node, requests);
    case VcAllocator::wavefront:
      return allocate_vcs_by_wavefront(node, requests);
    case VcAllocator::switch_winner:
      return find_heads_without_vc(node, requests);
    case VcAllocator::circular:
      for (unsigned group = 0; group < links_; ++group)
        grant_group(node, group, router.groups[group], requests);
      for (unsigned network = 0; network < topology_.networks(); ++network) {
        std::vector<std::optional<Request>> own = requests;
        for (unsigned vc = 0; vc < vcs(); ++vc) {
          if (own[vc] && machine_.network_of(class_of(router.inputs[vc])) != network) own[vc].reset();
        }
        grant_group(node, links_, router.groups[links_ + network], own);
      }
  }
}

void ReferenceNetwork::grant_group(NodeId node, unsigned group, Group& pointers,
                                   const std::vector<std::optional<Request>>& requests) {
  Router& router = routers_[node];
  const bool ejection = group == links_;
  const unsigned size = ejection ? channels_ * machine_.channel_vcs() : machine_.virtual_channels;
  const unsigned first_output = first_vc_of_port(group);
  std::optional<unsigned> last_granted;

  std::vector<unsigned> order;
  for (unsigned i = 0; i < vcs(); ++i) {
    const unsigned vc = (pointers.request_pointer + i) % vcs();
    if (requests[vc] && requests[vc]->group == group) order.push_back(vc);
  }
  std::ranges::stable_sort(order, std::greater(),
                           [&](unsigned vc) { return priority_of(class_of(router.inputs[vc])); });
  for (const unsigned vc : order) {
    InputVc& input = router.inputs[vc];
    const std::uint32_t flits = input.fifo.front().message->packet.flits;

    std::optional<unsigned> granted;
    for (unsigned j = 0; j < size && !granted; ++j) {
      const unsigned candidate = (pointers.vc_pointer + j) % size;
      const OutputVc& output = router.outputs[first_output + candidate];
      if (!requests[vc]->admissible[candidate] || output.is_held(now_)) continue;
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
    std::optional<unsigned>& first = output.is_held(now_) ? first_held : first_free;
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
  const bool open = !machine_.has_parts() || has_room(node, output_vc);
  const std::size_t sooner =
      (open ? slots.usable : std::min(slots.usable, flits - 1)) + slots.returning.size();
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
    for (unsigned vc = 0; vc < channels_ * machine_.channel_vcs(); ++vc) {
      const unsigned channel = vc / machine_.channel_vcs();
      const unsigned queue = vc % machine_.channel_vcs() / machine_.node_vcs;
      request.admissible.push_back(
          (machine_.ports ? is_of_network(channel, message.packet.message_class) : channel == own_channel) &&
          queue == queue_of(message.packet.message_class) &&
          (!machine_.requests ||
           vc % machine_.node_vcs ==
               number_in_class(input_vc, message.packet.message_class) % machine_.node_vcs));
    }
    return request;
  }
  const Candidate candidate = selected(node, input_vc, candidates(node, input_vc, message), message);
  Request request{candidate.port, {}, candidate.channel_class};
  for (unsigned vc = 0; vc < machine_.virtual_channels; ++vc) {
    request.admissible.push_back(in_class(vc, candidate.channel_class, message.packet.message_class));
  }
  return request;
}

unsigned ReferenceNetwork::number_in_class(unsigned input_vc, unsigned message_class) const {
  const unsigned port = port_of_vc(input_vc);
  const unsigned place = input_vc - first_vc_of_port(port);
  if (!is_link(port)) return place % machine_.node_vcs;
  if (machine_.classes.empty()) return place;
  unsigned number = 0;
  for (unsigned vc = 0; vc < place; ++vc) {
    if ((machine_.classes[message_class].vcs >> vc & 1) != 0) ++number;
  }
  return number;
}

std::vector<Candidate> ReferenceNetwork::candidates(NodeId node, unsigned input_vc,
                                                    const MessageState& message) const {
  Arrival arrival;
  arrival.port = static_cast<std::uint8_t>(port_of_vc(input_vc));
  if (is_link(arrival.port)) {
    unsigned channel_class = 0;
    while (
        !in_class(input_vc - first_vc_of_port(arrival.port), channel_class, message.packet.message_class)) {
      ++channel_class;
    }
    arrival.channel_class = static_cast<std::uint8_t>(channel_class);
  }
  std::vector<Candidate> result;
  // A routing function knows the ports of one network.
  const unsigned first_port = topology_.first_port(machine_.network_of(message.packet.message_class));
  const unsigned own_ports = topology_.ports_of_network();
  arrival.port = static_cast<std::uint8_t>(is_link(arrival.port) ? arrival.port - first_port
                                                                 : own_ports + (arrival.port - links_));
  routing_of(message.packet.message_class).add_candidates(node, arrival, message.head, result);
  for (Candidate& candidate : result) candidate.port += first_port;
  return result;
}

const RoutingFunction& ReferenceNetwork::routing_of(std::uint32_t message_class) const {
  const unsigned network = machine_.network_of(message_class);
  return network == 0 ? *routing_ : *other_routing_[network - 1];
}

/// Of a pool of channels in each network.
bool ReferenceNetwork::is_of_network(unsigned channel, std::uint32_t message_class) const {
  return channel / *machine_.ports == machine_.network_of(message_class);
}

// What a router knows of queues.
class ReferenceNetwork::Queues final : public LinkQueues {
 public:
  Queues(const ReferenceNetwork& network, NodeId node) : network_(network), node_(node) {}
  std::uint64_t queued(unsigned port) const override { return network_.queued(node_, port); }
  std::uint64_t queued_before(ChannelId link, Cycle ago) const override {
    return ago > network_.now_ ? 0 : network_.past_queues_.at(network_.past_queues_.size() - ago).at(link);
  }
  Cycle delay(ChannelId link) const override {
    return network_.machine_.link(network_.topology_, link).delay;
  }
  std::uint64_t slots() const override {
    return std::uint64_t{network_.machine_.virtual_channels} * network_.machine_.buffer;
  }

 private:
  const ReferenceNetwork& network_;
  NodeId node_;
};

std::uint64_t ReferenceNetwork::queued(NodeId node, unsigned port) const {
  std::uint64_t flits = 0;
  for (unsigned vc = 0; vc < machine_.virtual_channels; ++vc) {
    flits += machine_.buffer - routers_[node].outputs[first_vc_of_port(port) + vc].slots.usable;
  }
  return flits;
}

void ReferenceNetwork::note_queues() {
  if (!reads_past_queues_) return;
  if (past_queues_.size() > machine_.longest_link().delay) past_queues_.pop_front();
  past_queues_.emplace_back();
  for (NodeId node = 0; node < topology_.routers(); ++node) {
    for (unsigned port = 0; port < links_; ++port) past_queues_.back().push_back(queued(node, port));
  }
}

// The candidate that is asked for in this cycle.
Candidate ReferenceNetwork::selected(NodeId node, unsigned input_vc, const std::vector<Candidate>& candidates,
                                     const MessageState& message) const {
  const Router& router = routers_[node];
  if (candidates.size() > 1 && routing_->weighs()) {
    return routing_->lightest(node, message.head, candidates, Queues(*this, node));
  }
  const InputVc& input = router.inputs[input_vc];
  std::vector<Candidate> open;
  std::vector<Candidate> open_without_escape;
  std::map<std::pair<unsigned, unsigned>, std::uint32_t> credits;  // by port and class
  for (const Candidate& candidate : candidates) {
    bool is_open = false;
    std::uint32_t slots = 0;
    for (unsigned vc = 0; vc < machine_.virtual_channels; ++vc) {
      if (!in_class(vc, candidate.channel_class, class_of(input))) continue;
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
  if (machine_.vc_allocation == VcAllocation::atomic) return machine_.link_buffer();
  if (machine_.vc_allocation == VcAllocation::with_slot) return 1;
  if (machine_.flow == FlowControl::bubble && port_of_vc(input_vc) != port) return 2 * flits;
  return flits;
}

bool ReferenceNetwork::in_class(unsigned vc, unsigned channel_class, std::uint32_t message_class) const {
  std::vector<unsigned> own;  // VCs of the message class
  for (unsigned each = 0; each < machine_.virtual_channels; ++each) {
    if (machine_.classes.empty() || (machine_.classes[message_class].vcs >> each & 1) != 0) {
      own.push_back(each);
    }
  }
  const auto place = static_cast<unsigned>(std::ranges::find(own, vc) - own.begin());
  const auto count = static_cast<unsigned>(own.size());
  if (place == count) return false;
  if (count < classes_) return place == channel_class * count / classes_;
  return place * classes_ / count == channel_class;
}

/// There is no slot in an ejection buffer.
ReferenceNetwork::Stall ReferenceNetwork::full_ejection_buffer(NodeId node, unsigned output_vc) const {
  const Router& router = routers_[node];
  const OutputVc& output = router.outputs[output_vc];
  const unsigned port = port_of_vc(output_vc);
  Stall stall{StallCause::sink_full, port, output_vc - first_vc_of_port(port), std::nullopt,
              LackingSlot{output_vc, output.slots.puts + 1}};
  if (!output.slots.returning.empty()) return stall;
  const BufferedMessage& first = output.buffer.front();
  stall.culprit = first.id;
  const std::optional<std::uint32_t> reply = router.waits_to_send[first.message_class];
  if (!first.delivered || !reply) return stall;
  stall.cause = StallCause::nic_full;
  stall.culprit.reset();
  for (const InjectionChannel& channel : router.channels) {
    const MessageState* const under_way = channel.injectors[queue_of(*reply)].message;
    if (under_way != nullptr && !stall.culprit) stall.culprit = under_way->packet.id;
  }
  return stall;
}

// Stage 5.
void ReferenceNetwork::allocate_switch(NodeId node) {
  if (machine_.has_parts()) return allocate_switch_by_parts(node);
  Router& router = routers_[node];
  std::vector<std::optional<unsigned>> picks(ports());
  // Above all priorities are VCs that have lost too often.
  const auto rank = [&](unsigned vc) -> std::uint32_t {
    if (!machine_.has_priorities()) return 0;
    const InputVc& input = router.inputs[vc];
    return input.losses >= machine_.starvation_limit ? 1'000'000 : priority_of(class_of(input));
  };
  for (InputVc& input : router.inputs) input.takes_part = false;
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
      link.free_parts = std::max(link.free_parts, now_ * link.time.cycles_per_flit.denominator()) +
                        link.time.cycles_per_flit.numerator();
      link.last_message = flit.message->packet.id;
      if (flit.head()) {
        flit.message->delivery.link_excess += std::int64_t{link.time.delay} - machine_.link_delay;
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
      if (machine_.ejection_buffer) {
        --output.slots.usable;
        ++output.slots.puts;
        const Packet& packet = flit.message->packet;
        if (flit.head())
          output.buffer.push_back({packet.id, packet.message_class, packet.flits, false, false});
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
  if (!before || input.output_vc != input.output_vc_before) input.waiting_since = now_;
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
    InjectionChannel& channel = router.channels[e];
    const auto queues = static_cast<unsigned>(channel.injectors.size());
    std::vector<bool> could_put(queues);
    for (unsigned queue = 0; queue < queues; ++queue) {
      Injector& injector = channel.injectors[queue];
      if (injector.message == nullptr && now_ >= injector.earliest) {
        const auto oldest = std::ranges::find_if(router.queue, [&](const MessageState* message) {
          return (machine_.ports ? is_of_network(e, message->packet.message_class)
                                 : message->first_port == e) &&
                 queue_of(message->packet.message_class) == queue;
        });
        if (oldest != router.queue.end()) {
          injector.message = *oldest;
          injector.next_flit = 0;
          injector.earliest = now_ + machine_.startup;
          if (!can_send(node, injector.message->packet.message_class)) relieved_.insert(node);
          router.queue.erase(oldest);
          something_happened_ = true;
        }
      }
      if (injector.message == nullptr || now_ < injector.earliest) continue;
      const Slots* const slots = &channel.slots[std::size_t{queue} * machine_.node_vcs];
      if (!injector.vc_known) {
        const unsigned last = injector.vc;
        unsigned ahead = 1;
        if (tracks_puts()) {  // machines with parts have one queue
          while (ahead <= machine_.node_vcs && !channel.trackers[(last + ahead) % machine_.node_vcs].empty)
            ++ahead;
          if (ahead > machine_.node_vcs) continue;
        }
        while (!tracks_puts() && ahead < machine_.node_vcs &&
               slots[(last + ahead) % machine_.node_vcs].usable == 0)
          ++ahead;
        injector.vc = (last + ahead) % machine_.node_vcs;
        injector.vc_known = true;
      }
      could_put[queue] = slots[injector.vc].usable > 0;
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

void ReferenceNetwork::put_flit(NodeId node, unsigned e, unsigned queue) {
  InjectionChannel& channel = routers_[node].channels[e];
  Injector& injector = channel.injectors[queue];
  const unsigned vc = queue * machine_.node_vcs + injector.vc;
  const Flit flit{injector.message, injector.next_flit, now_ + machine_.router_delay};
  routers_[node].inputs[first_vc_of_port(links_ + e) + vc].fifo.push_back(flit);
  --channel.slots[vc].usable;
  channel.trackers[vc].puts.push_back(now_ + 1);
  channel.earliest = now_ + machine_.injection_interval;
  injector.earliest = channel.earliest;
  ++injector.next_flit;
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
      if (input.at_front && *input.at_front + machine_.parts.routing_delay >= now_) return true;
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
      for (const Injector& injector : channel.injectors) {
        if (injector.earliest >= now_) return true;
      }
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
  if (input.output_vc) {
    if (input.stall && input.stall->cause == StallCause::nic_full) {
      const OutputVc& output = router.outputs[*input.output_vc];
      return alternatives_of_reply(node, router.waits_to_send[output.buffer.front().message_class].value());
    }
    if (!input.stall || input.stall->cause != StallCause::no_credit) return {};
    const NodeId receiver = topology_.neighbour(node, port_of_vc(*input.output_vc)).value();
    std::vector<Alternative> result;
    for (const unsigned vc : blocking_vcs(node, *input.output_vc, 1)) result.push_back({{receiver, vc}});
    return result;
  }
  const MessageState& message = *input.fifo.front().message;
  std::vector<Alternative> result;
  if (node == message.packet.destination) {
    const Request request = request_of(node, input_vc);
    for (unsigned vc = 0; vc < request.admissible.size(); ++vc) {
      if (!request.admissible[vc]) continue;
      const auto holder = router.outputs[first_vc_of_port(links_) + vc].holder;
      if (!holder) return {};
      result.push_back({{node, *holder}});
    }
    return result;
  }

  for (const Candidate& candidate : candidates(node, input_vc, message)) {
    for (unsigned vc = 0; vc < machine_.virtual_channels; ++vc) {
      if (!in_class(vc, candidate.channel_class, message.packet.message_class)) continue;
      const unsigned output_vc = first_vc_of_port(candidate.port) + vc;
      Alternative required;
      if (const auto holder = router.outputs[output_vc].holder) required.emplace_back(node, *holder);
      std::vector<unsigned> blocking;
      if (needs_packet_space() || machine_.vc_allocation == VcAllocation::with_slot) {
        blocking = blocking_vcs(node, output_vc, room_first(input_vc, candidate.port, message.packet.flits));
      }
      if (required.empty() && blocking.empty()) return {};
      if (blocking.empty()) result.push_back(required);
      const NodeId receiver = topology_.neighbour(node, candidate.port).value();
      for (const unsigned behind : blocking) {
        result.push_back(required);
        result.back().emplace_back(receiver, behind);
      }
    }
  }
  return result;
}

// The injection queue of a reply needs room: a message of it must be taken by an injector.
std::vector<Alternative> ReferenceNetwork::alternatives_of_reply(NodeId node, std::uint32_t reply) const {
  if (can_send(node, reply)) return {};
  const Router& router = routers_[node];
  std::vector<Alternative> result;
  for (unsigned e = 0; e < channels_; ++e) {
    const bool has_waiting = std::ranges::any_of(router.queue, [&](const MessageState* message) {
      return queue_of(message->packet.message_class) == queue_of(reply) &&
             (machine_.ports ? is_of_network(e, message->packet.message_class) : message->first_port == e);
    });
    if (!has_waiting) continue;
    const Injector& injector = router.channels[e].injectors[queue_of(reply)];
    if (injector.message == nullptr || !injector.vc_known) return {};
    const unsigned vc = queue_of(reply) * machine_.node_vcs + injector.vc;
    const unsigned input_vc = first_vc_of_port(links_ + e) + vc;
    const Slots& slots = router.channels[e].slots[vc];
    if (slots.usable > 0 || !slots.returning.empty()) return {};
    result.push_back({{node, input_vc}});
  }
  return result;
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
