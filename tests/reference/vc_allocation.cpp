// Stage 4 of the reference model: the requests of heads, the selection among candidates, and the grants of
// VCs.
#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "tests/reference/reference_network.h"

namespace flitscope::reference {

// Stage 4.
void ReferenceNetwork::allocate_vcs(NodeId node) {
  Router& router = routers_[node];
  std::vector<std::optional<Request>> requests(vcs());
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    InputVc& input = router.inputs[vc];
    input.request.reset();
    if (input.front_usable && !input.output_vc && !is_routed(input)) {
      if (!input.fifo.front().head()) throw std::logic_error("a body flit without output VC");
      input.request = requests[vc] = request_of(node, vc);
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
      if (machine_.has_parts() && !is_eligible(node, first_output + candidate, vc)) continue;
      if (!machine_.has_parts() && !ejection && needs_packet_space() &&
          output.slots.usable < room_first(vc, group, flits))
        continue;
      granted = candidate;
    }

    if (granted) {
      hold(node, vc, first_output + *granted);
      pointers.vc_pointer = (*granted + 1) % size;
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
  if (first_free && ejection && machine_.ejection_buffer) {  // switch-winner
    Stall stall = full_ejection_buffer(node, *first_free);
    stall.port = request.group;
    stall.vc.reset();
    return stall;
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

// What a router knows of the queues of a network's links.
class ReferenceNetwork::Queues final : public LinkQueues {
 public:
  Queues(const ReferenceNetwork& reference, unsigned network, NodeId node)
      : reference_(reference), number_(network), node_(node) {}
  std::uint64_t queued(unsigned port) const override {
    return reference_.queued(node_, reference_.topology_.first_port(number_) + port);
  }
  std::uint64_t queued_before(ChannelId link, Cycle ago) const override {
    if (ago > reference_.now_) return 0;
    const auto& queues = reference_.past_queues_.at(reference_.past_queues_.size() - ago);
    return queues.at(reference_.topology_.channel_of(number_, link));
  }
  Cycle delay(ChannelId link) const override {
    const Topology& topology = reference_.topology_;
    return reference_.machine_.link(topology, topology.channel_of(number_, link)).delay;
  }
  std::uint64_t slots() const override {
    return std::uint64_t{reference_.machine_.virtual_channels} * reference_.machine_.buffer;
  }

 private:
  const ReferenceNetwork& reference_;
  unsigned number_;
  NodeId node_;
};

std::uint64_t ReferenceNetwork::queued(NodeId node, unsigned port) const {
  std::uint64_t flits = 0;
  for (unsigned vc = 0; vc < machine_.virtual_channels; ++vc) {
    flits += machine_.link_buffer() - routers_[node].outputs[first_vc_of_port(port) + vc].slots.usable;
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
  const unsigned network = machine_.network_of(message.packet.message_class);
  if (candidates.size() > 1 && routing_->weighs()) {
    std::vector<Candidate> own = candidates;
    for (Candidate& each : own) each.port -= topology_.first_port(network);
    Candidate best = routing_of(message.packet.message_class)
                         .lightest(node, message.head, own, Queues(*this, network, node));
    best.port += topology_.first_port(network);
    return best;
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
      const bool has_parts = machine_.has_parts();
      if (has_parts && !is_eligible(node, first_vc_of_port(candidate.port) + vc, input_vc)) continue;
      if (!has_parts && (output.is_held(now_) || output.slots.usable < room)) continue;
      is_open = true;
      slots += output.slots.usable;
    }
    if (!is_open) continue;
    credits[{candidate.port, candidate.channel_class}] = slots;
    open.push_back(candidate);
    const ClassMask escapes = routing_of(message.packet.message_class).escape_classes();
    const bool escape = (escapes >> candidate.channel_class) % 2 == 1;
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
  const unsigned classes = classes_[machine_.network_of(message_class)];
  if (count < classes) return place == channel_class * count / classes;
  return place * classes / count == channel_class;
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
  const std::optional<std::uint32_t> reply = first.taken ? std::nullopt : first.reply;
  if (!reply) return stall;
  stall.cause = StallCause::nic_full;
  stall.culprit.reset();
  for (const InjectionChannel& channel : router.channels) {
    const MessageState* const under_way = channel.injectors[queue_of(*reply)].message;
    if (under_way != nullptr && !stall.culprit) stall.culprit = under_way->packet.id;
  }
  return stall;
}

// VC allocators of "Router parts".

void ReferenceNetwork::hold(NodeId node, unsigned input_vc, unsigned output_vc) {
  InputVc& input = routers_[node].inputs[input_vc];
  const unsigned port = port_of_vc(output_vc);
  if (is_link(port)) input.selection_pointer = (port + 1) % links_;
  input.output_vc = output_vc;
  input.switch_from = now_ + machine_.vc_delay;
  if (machine_.parts.speculates()) input.switch_from = now_ + 1;
  routers_[node].outputs[output_vc].holder = input_vc;
  routers_[node].outputs[output_vc].message = input.fifo.front().message->packet.id;
  something_happened_ = true;
}

/// The admissible output VCs of a request, in their order.
std::vector<unsigned> ReferenceNetwork::admissible_vcs(const Request& request) const {
  std::vector<unsigned> result;
  for (unsigned place = 0; place < request.admissible.size(); ++place) {
    if (request.admissible[place]) result.push_back(first_vc_of_port(request.group) + place);
  }
  return result;
}

/// A head asked for an output VC that another one was granted in this cycle.
ReferenceNetwork::Stall ReferenceNetwork::lost_to(NodeId node, const Request& request,
                                                  unsigned output_vc) const {
  const bool ejection = request.group == links_;
  return {ejection ? StallCause::ejection_busy : StallCause::vc_taken, request.group, std::nullopt,
          routers_[node].outputs[output_vc].message, std::nullopt};
}

void ReferenceNetwork::allocate_vcs_separably(NodeId node,
                                              const std::vector<std::optional<Request>>& requests) {
  Router& router = routers_[node];
  std::vector<std::optional<unsigned>> asked(vcs());  // output VC, by input VC
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    if (!requests[vc]) continue;
    const std::vector<unsigned> admissible = admissible_vcs(*requests[vc]);
    std::vector<bool> eligible(router.inputs[vc].pick_arbiters.front().order.size());
    for (unsigned place = 0; place < admissible.size(); ++place)
      eligible[place] = is_eligible(node, admissible[place], vc);
    if (std::ranges::count(eligible, true) == 0) {
      router.inputs[vc].stall = refusal(node, vc, *requests[vc]);
      continue;
    }
    asked[vc] = admissible[pick(router.inputs[vc].pick_arbiters[requests[vc]->channel_class], eligible)];
  }
  std::vector<unsigned> granted(vcs(), vcs());  // by output VC: input VC
  for (unsigned output_vc = 0; output_vc < vcs(); ++output_vc) {
    OutputVc& output = router.outputs[output_vc];
    std::vector<bool> from(ports());
    for (unsigned vc = 0; vc < vcs(); ++vc) {
      if (asked[vc] == output_vc) from[port_of_vc(vc)] = true;
    }
    if (std::ranges::count(from, true) == 0) continue;
    std::vector<unsigned> rivals;
    for (unsigned vc = 0; vc < vcs(); ++vc) {
      if (asked[vc] == output_vc) rivals.push_back(vc);
    }
    const bool by_age = machine_.parts.arbiter == Arbiter::age;
    const unsigned port = by_age ? port_of_vc(oldest(node, rivals)) : pick(output.port_arbiter, from);
    std::vector<bool> of_port(vcs_of_port(port));
    for (unsigned i = 0; i < of_port.size(); ++i) of_port[i] = asked[first_vc_of_port(port) + i] == output_vc;
    const unsigned place =
        by_age ? oldest(node, rivals) - first_vc_of_port(port) : pick(output.vc_arbiters[port], of_port);
    update(output.port_arbiter, ports(), port);
    update(output.vc_arbiters[port], vcs_of_port(port), place);
    const unsigned winner = first_vc_of_port(port) + place;
    granted[output_vc] = winner;
    ArbiterState& its = router.inputs[winner].pick_arbiters[requests[winner]->channel_class];
    const std::vector<unsigned> admissible = admissible_vcs(*requests[winner]);
    update(its, static_cast<unsigned>(its.order.size()),
           static_cast<unsigned>(std::ranges::find(admissible, output_vc) - admissible.begin()));
  }
  for (unsigned output_vc = 0; output_vc < vcs(); ++output_vc) {
    if (granted[output_vc] < vcs()) hold(node, granted[output_vc], output_vc);
  }
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    if (asked[vc] && granted[*asked[vc]] != vc)
      router.inputs[vc].stall = lost_to(node, *requests[vc], *asked[vc]);
  }
}

void ReferenceNetwork::allocate_vcs_flatly(NodeId node, const std::vector<std::optional<Request>>& requests) {
  Router& router = routers_[node];
  std::vector<std::vector<unsigned>> askers(vcs());  // input VCs, by output VC
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    if (!requests[vc]) continue;
    std::vector<bool> eligible(vcs());
    for (const unsigned output_vc : admissible_vcs(*requests[vc]))
      eligible[output_vc] = is_eligible(node, output_vc, vc);
    if (std::ranges::count(eligible, true) == 0) {
      router.inputs[vc].stall = refusal(node, vc, *requests[vc]);
    } else {
      askers[pick(router.inputs[vc].flat_pick, eligible)].push_back(vc);
    }
  }
  for (unsigned output_vc = 0; output_vc < vcs(); ++output_vc) {
    if (askers[output_vc].empty()) continue;
    std::vector<bool> asking(vcs());
    for (const unsigned vc : askers[output_vc]) asking[vc] = true;
    ArbiterState& arbiter = router.outputs[output_vc].flat_arbiter;
    const unsigned winner =
        machine_.parts.arbiter == Arbiter::age ? oldest(node, askers[output_vc]) : pick(arbiter, asking);
    update(arbiter, vcs(), winner);
    update(router.inputs[winner].flat_pick, vcs(), output_vc);
    hold(node, winner, output_vc);
    for (const unsigned vc : askers[output_vc]) {
      if (vc != winner) router.inputs[vc].stall = lost_to(node, *requests[vc], output_vc);
    }
  }
}

void ReferenceNetwork::allocate_vcs_by_wavefront(NodeId node,
                                                 const std::vector<std::optional<Request>>& requests) {
  Router& router = routers_[node];
  const auto output_of = [&](unsigned column) {
    const unsigned port = port_of_vc(column);
    return first_vc_of_port(column_port(port)) + column - first_vc_of_port(port);
  };
  std::vector<std::vector<bool>> matrix(vcs(), std::vector<bool>(vcs()));
  for (unsigned row = 0; row < vcs(); ++row) {
    if (!requests[row]) continue;
    const std::vector<unsigned> admissible = admissible_vcs(*requests[row]);
    for (unsigned column = 0; column < vcs(); ++column) {
      matrix[row][column] =
          std::ranges::count(admissible, output_of(column)) > 0 && is_eligible(node, output_of(column), row);
    }
    if (std::ranges::count(matrix[row], true) == 0)
      router.inputs[row].stall = refusal(node, row, *requests[row]);
  }
  std::vector<std::optional<unsigned>> granted(vcs());  // output VC
  std::vector<bool> taken(vcs());
  std::optional<unsigned> first_diagonal;
  for (unsigned i = 0; i < vcs(); ++i) {
    const unsigned diagonal = (router.vc_diagonal + i) % vcs();
    for (unsigned row = 0; row < vcs(); ++row) {
      const unsigned column = (diagonal + vcs() - row) % vcs();
      if (!matrix[row][column]) continue;
      if (!first_diagonal) first_diagonal = diagonal;
      if (granted[row] || taken[column]) continue;
      granted[row] = output_of(column);
      taken[column] = true;
    }
  }
  if (first_diagonal) router.vc_diagonal = (*first_diagonal + 1) % vcs();
  for (unsigned row = 0; row < vcs(); ++row) {
    if (granted[row]) hold(node, row, *granted[row]);
  }
  for (unsigned row = 0; row < vcs(); ++row) {
    if (granted[row] || std::ranges::count(matrix[row], true) == 0) continue;
    std::optional<unsigned> lowest;
    for (unsigned column = 0; column < vcs(); ++column) {
      if (matrix[row][column] && (!lowest || output_of(column) < *lowest)) lowest = output_of(column);
    }
    router.inputs[row].stall = lost_to(node, *requests[row], *lowest);
  }
}

/// With switch_winner: heads that could not be granted any VC.
void ReferenceNetwork::find_heads_without_vc(NodeId node,
                                             const std::vector<std::optional<Request>>& requests) {
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    if (!requests[vc]) continue;
    const std::vector<unsigned> admissible = admissible_vcs(*requests[vc]);
    const bool some =
        std::ranges::any_of(admissible, [&](unsigned output_vc) { return is_eligible(node, output_vc, vc); });
    if (!some) routers_[node].inputs[vc].stall = refusal(node, vc, *requests[vc]);
  }
}

}  // namespace flitscope::reference
