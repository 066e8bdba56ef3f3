// Construction of the groups, what they post to each other, messages that enter, and counters.
#include "routers/engine/router_groups.h"

#include <algorithm>
#include <bit>

#include "model/bits.h"
#include "routers/engine/agenda.h"

namespace flitscope {

namespace {

constexpr std::size_t kCache = std::size_t{1} << 20;  ///< bytes of a processor's own

RouterShape shape_of_parts(const Topology& topology, const MachineConfig& machine) {
  const GroupShape shape = shape_of(topology, machine);
  const auto classes = classes_of_networks(topology, *RoutingRegistry::find(machine.routing));
  return {.link_ports = shape.link_ports,
          .virtual_channels = shape.virtual_channels,
          .channels = shape.channels,
          .node_vcs = shape.node_vcs,
          .classes = *std::ranges::max_element(classes),
          .fewest_classes = *std::ranges::min_element(classes),
          .networks = shape.networks,
          .input_speedup = machine.parts.input_speedup,
          .output_speedup = machine.parts.output_speedup};
}

}  // namespace

std::uint64_t RouterGroups::bytes_of_router(const Topology& topology, const MachineConfig& machine) {
  const GroupShape shape = shape_of(topology, machine);
  const std::uint64_t buffer = std::max(machine.buffer, machine.link_buffer());
  const std::uint64_t planes = NumberLayout(GroupLayout(shape), machine).words;
  return RouterBlock::Layout(shape).bytes + planes * sizeof(Plane) / kGroupSize +
         shape.ports() * sizeof(StallCounts) +
         shape.input_vcs() * std::bit_ceil(buffer) * sizeof(MessageSlot) +
         shape.injectors() * (sizeof(Injecting) + sizeof(Queue) + (shape.banks == 0 ? 0 : sizeof(Cycle))) +
         shape.link_ports * (2 * sizeof(NodeId)) +
         (machine.has_parts() ? GroupParts(machine, shape_of_parts(topology, machine), 0).bytes_of_router()
                              : 0);
}

RouterGroups::RouterGroups(const Topology& topology, const MachineConfig& machine, MessageTable& messages,
                           Agenda& agenda, ArrivingMessages& arriving, const RouterObservers& observers,
                           ExternalLinks* modules)
    : RouterNumbers(topology, machine),
      messages_(messages),
      agenda_(agenda),
      arriving_(arriving),
      routing_(routing_of(topology, machine)),
      all_port_(!machine.ports),
      router_delay_(machine.router_delay),
      link_delay_(machine.link_delay),
      credit_delay_(machine.credit_delay),
      vc_delay_(machine.vc_delay),
      vc_reallocation_delay_(machine.vc_reallocation_delay),
      needs_packet_space_(flitscope::needs_packet_space(machine.switching, machine.vc_allocation) ||
                          machine.vc_allocation == VcAllocation::with_slot),
      store_and_forward_(machine.switching == Switching::store_and_forward),
      startup_(machine.startup),
      injection_interval_(machine.injection_interval),
      ejection_interval_(machine.ejection_interval),
      delays_heads_(vc_delay_ != 0 || machine.parts.routing_delay != 0),
      waits_to_put_(waits_to_put(machine)),
      has_busy_ports_(flitscope::has_busy_ports(machine)),
      groups_(groups_of(topology)),
      queues_of_node_((all_port_ ? channels() : 1) * machine.queues_of_node()),
      layout_(shape()),
      numbers_(layout_, machine),
      block_(shape()),
      routers_(zeroed<std::byte>(std::size_t{block_.bytes} * nodes())),
      queue_mask_(std::bit_ceil(std::max(buffer(), link_buffer())) - 1),
      waiting_heads_(zeroed<MessageSlot>(row(nodes(), 0) * (queue_mask_ + 1))),
      heads_(new HeadList[agenda.wheel() * groups_ * 2]),
      injecting_(std::make_shared<Injecting[]>(injector_row(nodes(), 0))),
      queues_(std::make_shared<Queue[]>(std::size_t{nodes()} * queues_of_node_)),
      waiting_(std::make_shared<WaitingPool>()),
      receivers_{.nodes = std::make_shared<NodeId[]>(link_row(nodes(), 0), kNoNode)},
      senders_{.nodes = std::make_shared<NodeId[]>(link_row(nodes(), 0), kNoNode)},
      modules_(modules),
      starvation_limit_(machine.starvation_limit),
      injection_queue_(machine.injection_queue),
      beyond_cache_(std::size_t{nodes()} * block_.bytes > kCache),
      stalls_of_ports_(zeroed<StallCounts>(port_row(nodes(), 0))) {
  for (unsigned network = 1; network < topology.networks(); ++network)
    more_routing_.push_back(routing_of(topology, machine, network));
  if (has_busy_ports_) {
    intervals_ = std::make_shared<LinkInterval[]>(port_row(nodes(), 0));
    asleep_from_ = std::make_shared<Cycle[]>(groups_, kNever);
  }
  if (!routing_->deterministic()) selector_.emplace(machine.selection, row(nodes(), 0));
  if (needs_packet_space_ || selector_ || machine.allocates_by_parts())
    head_waits_ = std::make_shared<HeadWait[]>(row(nodes(), 0));
  if (machine.has_parts()) {
    parts_ = std::make_unique<GroupParts>(machine, shape_of_parts(topology, machine), nodes());
  }
  fill_planes(machine.ejection_buffer);
  if (machine.ejection_buffer) {
    ejection_buffers_ = std::make_unique<EjectionBuffers>(nodes(), shape().injection_vcs(), link_delay_);
    full_buffers_.resize(ejection_row(nodes(), first_injection_vc()));
  }
  if (machine.requests)
    requests_ = std::make_unique<RequestsInWork>(nodes(), shape().injection_vcs(), machine);
  if (machine.banks != 0) {
    bank_hold_ = machine.bank_hold;
    read_at_ = std::make_shared<Cycle[]>(injector_row(nodes(), 0));
  }
  if (!machine.read_intervals.empty()) {
    reads_ = std::make_shared<LinkInterval[]>(injector_row(nodes(), 0));
    for (std::size_t i = 0; i < injector_row(nodes(), 0); ++i) {
      reads_[i].cycles =
          machine.read_interval(static_cast<NodeId>(i / shape().injectors()),
                                static_cast<unsigned>(i % shape().injectors() % shape().queues));
    }
  }
  if (machine.has_priorities()) sort_by_priority(topology, machine);
  if (machine.message_classes() > 1) stalls_of_class_.resize(machine.message_classes());
  connect(topology, machine);
  std::vector<ChannelId> links;  // whose queues other routers read
  for (unsigned network = 0; network < topology.networks(); ++network) {
    for (const ChannelId link : routing_of_network(network).watched_links())
      links.push_back(topology.channel_of(network, link));
  }
  if (!links.empty()) {
    const Cycle furthest = Cycle{machine.longest_link().delay} + 1;
    queue_history_ = std::make_unique<QueueHistory>(topology, links, furthest);
  }
  if (observers.stalls != nullptr) {
    observed_stalls_ =
        std::make_unique<GroupStalls>(nodes(), input_vcs(), shape().ports(), *observers.stalls);
  }
  if (observers.flits != nullptr) {
    observed_flits_ = std::make_unique<GroupFlits>(nodes(), *observers.flits, observers.flits_at);
  }
  if (has_steady_groups(horizon_of(machine))) steady_ = std::make_shared<SteadyGroup[]>(groups_);
}

NumberLayout::NumberLayout(const GroupLayout& layout, const MachineConfig& machine)
    : count_bits(static_cast<unsigned>(std::bit_width(
          std::max({machine.buffer, machine.link_buffer(), machine.ejection_buffer.value_or(0)})))) {
  unsigned end = layout.end;
  const auto place = [&end](unsigned size, bool is_used = true) {
    return std::exchange(end, end + (is_used ? size : 0));
  };
  usable = place(layout.vc_words * count_bits);
  slots = place(layout.vc_words * count_bits);
  put_slots = place(layout.injection_vc_words * count_bits);
  busy = place(layout.port_words, has_busy_ports(machine));
  events = end;
  const bool is_paced = layout.shape.queues != 1 && machine.injection_interval != 1;
  event = {place(layout.vc_words),  // in the order of Event
           place(layout.vc_words),
           place(layout.injection_vc_words),
           place(layout.injector_words, waits_to_put(machine)),
           place(layout.injector_words, waits_to_put(machine)),
           place((layout.shape.channels + 3) / 4 * 4, is_paced),
           place(layout.vc_words, machine.vc_delay != 0),
           place(layout.vc_words, machine.vc_reallocation_delay != 1),
           place(layout.vc_words, machine.parts.routing_delay != 0),
           place(layout.vc_words, machine.parts.early_credits),
           place(layout.vc_words, machine.parts.credits == Credits::on_off)};
  for (unsigned& each : event) each -= events;
  events_of_cycle = end - events;
  end = events + events_of_cycle * static_cast<unsigned>(Agenda::wheel_for(horizon_of(machine)));
  words = (end + 7) / 8 * 8;  // whole lines of the cache
}

/// The planes before the first cycle.
void RouterGroups::fill_planes(std::optional<std::uint32_t> ejection_buffer) {
  planes_ = zeroed<Plane>(std::size_t{groups_} * numbers_.words);
  for (NodeId node = 0; node < groups_ * kGroupSize; ++node) {  // also those that the last group lacks
    const GroupRef group = at(group_of(node));
    const Plane router = plane_of(node);
    for (unsigned output = 0; output < layout_.vc_words; ++output) {  // also planes without a VC
      group.planes(layout_.room)[output] |= router;
      const bool ejects = output >= first_injection_vc();
      const ExternalReceiver* const module = output < input_vcs() && modules_ != nullptr
                                                 ? modules_->receiver(node, port_of_vc(output))
                                                 : nullptr;
      sliced::set(group.planes(numbers_.slots) + output, layout_.vc_words, router,
                  module != nullptr ? module->slots()
                  : ejects          ? ejection_buffer.value_or(buffer())
                                    : link_buffer());
    }
    for (unsigned number = 0; number < shape().injectors(); ++number) {
      group.planes(layout_.idle)[number] |= router;
      if (node_vcs() != 1)
        group.planes(layout_.chosen)[std::size_t{number} * shape().vcs_of_injector()] |= router;
    }
    for (unsigned channel = 0; shape().queues != 1 && channel < channels(); ++channel) {
      group.planes(layout_.paced)[channel] |= router;
    }
    for (unsigned vc = 0; vc < shape().injection_vcs(); ++vc) {
      group.planes(layout_.put_room)[vc] |= router;
      sliced::set(group.planes(numbers_.put_slots) + vc, layout_.injection_vc_words, router, buffer());
    }
  }
}

void RouterGroups::connect(const Topology& topology, const MachineConfig& machine) {
  delays_ = {machine.link_delay};
  if (!machine.links.none()) delay_of_ = std::make_shared<std::uint16_t[]>(link_row(nodes(), 0));
  for (NodeId node = 0; node < nodes(); ++node) {
    for (unsigned port = 0; port < link_ports(); ++port) {
      const auto receiver = topology.neighbour(node, port);
      if (!receiver) continue;
      if (modules_ == nullptr || !modules_->is_cut(node, port)) {
        receivers_.nodes[link_row(node, port)] = *receiver;
        senders_.nodes[link_row(*receiver, port)] = node;
      }
      const LinkTime link = machine.link(topology, topology.channel(node, port));
      if (intervals_ != nullptr) intervals_[port_row(node, port)].cycles = link.cycles_per_flit;
      if (delay_of_ == nullptr) continue;
      const auto known = std::ranges::find(delays_, Cycle{link.delay});
      delay_of_[link_row(node, port)] = static_cast<std::uint16_t>(known - delays_.begin());
      if (known == delays_.end()) delays_.push_back(link.delay);
    }
  }
  after_hop_.resize(delays_.size());
  after_credit_.resize(delays_.size());
  find_offsets(receivers_, true, router_delay_);
  find_offsets(senders_, false, credit_delay_);
}

/// `receive`: they are at the ends of links. `delay` comes on top of that of the link.
void RouterGroups::find_offsets(Neighbours& neighbours, bool receive, Cycle delay) const {
  neighbours.find_offsets(nodes(), link_ports(), [&](NodeId node, NodeId neighbour, unsigned port) {
    return delay_of(receive ? node : neighbour, port);
  });
  if (groups_ == 1 && delays_.size() == 1 && delays_.front() + delay < agenda_.wheel())
    neighbours.find_quads(virtual_channels());
}

// --- Events ------------------------------------------------------------------------------------------------

ComingCycle RouterGroups::in(Cycle delay) {
  const Cycle cycle = now_ + delay;
  return {cycle,
          &heads_at(cycle, 0, false),
          marks_->page(cycle),
          numbers_.events + static_cast<unsigned>(agenda_.slot(cycle)) * numbers_.events_of_cycle,
          first_,
          delay < agenda_.wheel() ? own_groups_ : 0};
}

/// Posts an event beyond the wheel, or of another thread.
void RouterGroups::post_elsewhere(const LaterEvent& event) {
  if (outbox_ != nullptr) {
    const bool near = event.cycle - now_ < agenda_.wheel();
    return (near ? outbox_->of(event.group) : outbox_->later).push_back(event);
  }
  changed_ = true;
  later_[event.cycle].push_back(event);
  agenda_.wake_at(event.group, event.cycle, now_);
}

void RouterGroups::post_later(const LaterEvent& event) {
  if (event.event == Event::head) {
    heads_at(event.cycle, event.group, event.arrived)
        .append(messages_[event.message].head, event.message, event.flits, lowest_bit(event.routers),
                event.number, head_memory_);
  } else {
    add_event(in(event.cycle - now_), event.group, event.event, event.number, event.routers);
  }
  marks_->wake(event.group, event.cycle);
}

/// Finds the cycles in which what happens now has its effects.
void RouterGroups::find_coming_cycles() {
  for (std::size_t i = 0; i < delays_.size(); ++i) {
    after_hop_[i] = in(delays_[i] + router_delay_);
    after_credit_[i] = in(delays_[i] + credit_delay_);
  }
  after_put_ = in(router_delay_);
  after_slot_ = in(parts_ ? 1 + parts_->options.injection_credit_delay : 1);
  if (vc_delay_ != 0) after_grant_ = in(vc_delay_);
  if (vc_reallocation_delay_ != 1) after_release_ = in(vc_reallocation_delay_);
}

void RouterGroups::begin_cycle(Cycle now) {
  now_ = now;
  find_coming_cycles();
  if (later_.empty() || later_.begin()->first != now) return;
  for (const LaterEvent& event : later_.begin()->second) post_later(event);
  later_.erase(later_.begin());
}

/// Output VCs that were granted a while ago take part in switch allocation.
void RouterGroups::hold_granted(GroupRef group) {
  for_each_event(group, Event::hold, [&](unsigned number, unsigned vc) {
    const RouterBlock router = this->router(group, number);
    router.granted().remove(vc);
    hold(group, number, vc, router.front(vc).output, layout_);
  });
}

/// Output VCs that were released a while ago can be granted.
void RouterGroups::free_vcs(GroupRef group) {
  for_each_event(group, Event::free, [&](unsigned number, unsigned output) {
    const RouterBlock router = this->router(group, number);
    router.holds().remove(output);
    if (router.asking().any()) *group.planes(layout_.retry) |= Plane{1} << number;
  });
}

// --- Messages that enter -----------------------------------------------------------------------------------

MessageSlot RouterGroups::open(NodeId node, const NewMessage& message) {
  const MessageSlot slot = outbox_ == nullptr ? messages_.open() : take_slot();
  MessageRecord& record = messages_[slot];
  record.head = {.destination = message.destination, .route = message.route};
  const RoutingFunction& routing = routing_of_class(message.message_class);
  routing.prepare(record.head, node);
  record.first = {};
  if (message.destination != node)
    record.first = routing.first_candidate(node, arrival(first_injection_vc(), 0), record.head);
  record.first.port += network_ports(message.message_class).first_link_port;
  record.flits = message.flits;
  record.message_class = message.message_class;
  record.id = message.id;
  record.source = node;
  record.step = message.step;
  record.ready = message.ready;
  record.head_entered = message.ready;
  return slot;
}

MessageSlot RouterGroups::open_next(NodeId node, Queue& queue) {
  const auto take_first = [&] {
    const auto lock = lock_messages();
    return waiting_->messages.take_first(queue.others);
  };
  return open(node, take_first());
}

void RouterGroups::defer_send(NodeId node, const NewMessage& message) {
  changed_ = true;
  sends_.emplace_back(node, message);
  agenda_.wake(group_of(node), now_);
}

void RouterGroups::enqueue(NodeId node, const NewMessage& message) {
  changed_ = true;
  unsigned number = queue_of_class(message.message_class);
  MessageSlot slot = kNoMessage;
  if (all_port_) {
    slot = open(node, message);
    number += messages_[slot].first.port * shape().queues;
  }
  if (requests_ != nullptr) requests_->wait(node, message.id, number);
  Queue& queue = this->queue(node, number);
  if (queue.open) {
    const auto lock = lock_messages();
    if (slot != kNoMessage) messages_.close(slot);
    return waiting_->messages.append(queue.others, message);
  }
  queue.first = slot != kNoMessage ? slot : open(node, message);
  queue.open = true;
  Plane* const queued = at(group_of(node)).planes(layout_.queued);
  for_each_taker(number, [&](unsigned injector) { queued[injector] |= plane_of(node); });
  if (outbox_ == nullptr) agenda_.wake(group_of(node), now_);
}

/// An injector takes a message of its queue, in the present cycle.
void RouterGroups::note_relief(NodeId node, unsigned injector) {
  const unsigned message_class = injector % shape().queues;  // or one with the same queue
  if (queued(node, message_class) < *injection_queue_) return;
  relieved_.push_back(node);
  marks_->wake(group_of(node), now_ + 1);
}

std::vector<NodeId> RouterGroups::take_relieved() {
  std::ranges::sort(relieved_);
  const auto twice = std::ranges::unique(relieved_);
  relieved_.erase(twice.begin(), twice.end());
  return std::exchange(relieved_, {});
}

std::uint32_t RouterGroups::queued(NodeId node, std::uint32_t message_class) const {
  std::uint32_t messages = 0;
  for (unsigned i = queue_of_class(message_class); i < queues_of_node_; i += shape().queues) {
    const Queue& each = queue(node, i);
    messages += each.open ? 1 + each.others.length : 0;
  }
  for (const auto& [sender, message] : sends_) {
    const unsigned number = queue_of_class(message.message_class);
    messages += sender == node && number == queue_of_class(message_class) ? 1 : 0;
  }
  return messages;
}

// --- Counters ----------------------------------------------------------------------------------------------

std::uint64_t RouterGroups::flit_hops() const {
  std::uint64_t hops = flit_hops_;
  for_each_queued(0, groups_, [&](const GroupParts::QueuedFlit& flit) {
    if (port_of_vc(flit.output) < link_ports()) --hops;
  });
  return hops;
}

PortCounts RouterGroups::counts(NodeId node, unsigned port) const {
  const auto [flits, messages] = router(node).all_counts(port);
  PortCounts counts{flits, messages, stalls_of_ports_[port_row(node, port)]};
  for_each_queued(group_of(node), group_of(node) + 1, [&](const GroupParts::QueuedFlit& flit) {
    if (flit.node != node || port_of_vc(flit.output) != port) return;
    --counts.flits;
    if (flit.tail) --counts.messages;
  });
  if (!router(node).holds().any()) return counts;
  const GroupRef group = at(group_of(node));
  // Messages whose tails have not left.
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    const Front& front = this->front(node, vc);
    if (!is_active(group, node, vc) || port_of_vc(front.output) != port) continue;
    counts.flits += messages_[front.message].flits - flits_left(group, node, vc);
  }
  return counts;
}

std::uint32_t RouterGroups::flits_left(GroupRef group, NodeId node, unsigned vc) const {
  settle(group);
  return front(node, vc).more +
         sliced::of(group.planes(layout_.left) + vc, left_bits_, layout_.vc_words, node % kGroupSize);
}

// --- Flits that wait ---------------------------------------------------------------------------------------

VcSet RouterGroups::waiting(NodeId node) const {
  const GroupRef group = at(group_of(node));
  VcSet waiting = router(node).asking();
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    if ((group.planes(layout_.no_room)[vc] & plane_of(node)) != 0) waiting.add(vc);
  }
  return waiting;
}

RouterGroups::Waiting RouterGroups::waiting(NodeId node, unsigned vc) const {
  const Front& front = this->front(node, vc);
  Waiting waiting{.message = front.message, .since = front.since};
  if (is_active(at(group_of(node)), node, vc)) {
    waiting.output = front.output;
  } else if (front.group < link_ports()) {
    waiting.admissible = admissible(node, vc);
  } else if (ejection_buffers_ != nullptr || requests_ != nullptr) {
    waiting.admissible = choice(front.choice);
  }
  return waiting;
}

std::optional<unsigned> RouterGroups::holder(NodeId node, unsigned output) const {
  const GroupRef group = at(group_of(node));
  for (unsigned vc = 0; vc < input_vcs(); ++vc) {
    // Fronts of heads that were granted in this cycle may be old.
    if (is_active(group, node, vc) && front(node, vc).output == output &&
        held_output(group, node % kGroupSize, vc, layout_) == output)
      return vc;
  }
  std::optional<unsigned> holder;
  for_each_bit(VcSet(router(node).granted()), [&](unsigned vc) {
    if (front(node, vc).output == output) holder = vc;
  });
  return holder;
}

std::uint32_t RouterGroups::usable_slots(NodeId node, unsigned output, std::vector<Cycle>& returning) const {
  returning.clear();
  for_each_coming(node, Event::credit, output, [&](Cycle cycle) { returning.push_back(cycle); });
  return usable_slots(at(group_of(node)), node % kGroupSize, output);
}

std::uint32_t RouterGroups::free_slots(NodeId node, unsigned output) const {
  return usable_slots(at(group_of(node)), node % kGroupSize, output) +
         coming_credits(node, output, now_ + 1, kNever);
}

RouterGroups::InputState RouterGroups::input_state(NodeId node, unsigned vc) const {
  const GroupRef group = at(group_of(node));
  const Front& front = this->front(node, vc);
  InputState state{.holds = is_active(group, node, vc) || router(node).granted().has(vc)};
  if (const ExternalSender* const module = external_sender(node, vc); module != nullptr) {
    state.flits = module->flits(vc - first_vc(port_of_vc(vc)));
  } else if (vc >= first_injection_vc()) {
    const unsigned number = vc - first_injection_vc();
    state.flits = buffer() - sliced::of(group.planes(numbers_.put_slots) + number, numbers_.count_bits,
                                        layout_.injection_vc_words, node % kGroupSize);
    for_each_coming(node, Event::slot, number, [&](Cycle) { --state.flits; });
  } else if (const NodeId sender = senders_.nodes[link_row(node, port_of_vc(vc))]; sender != kNoNode) {
    state.flits = link_buffer() - free_slots(sender, vc);
  }
  if (state.holds) {
    state.message = front.message;
    state.index = front.flits - flits_left(group, node, vc);
    state.port = port_of_vc(front.output);
  } else if (is_routed(node, vc)) {
    state.message = front.message;
  } else if (router(node).asking().has(vc)) {
    state.message = front.message;
    if (front.since <= now_) state.port = port_of_group(front.group);
  } else if (state.flits != 0) {
    state.message = coming_message(node, vc);
  }
  return state;
}

}  // namespace flitscope
