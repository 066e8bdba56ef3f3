// Arbiters, trackers, link buffers and output queues of the reference model: "Router parts" of
// docs/timing.md.
#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "tests/reference/reference_network.h"

namespace flitscope::reference {

void ReferenceNetwork::prepare_parts(Router& router) const {
  const auto over = [](unsigned inputs) {
    ArbiterState arbiter;
    arbiter.order.resize(inputs);
    std::iota(arbiter.order.begin(), arbiter.order.end(), 0U);
    return arbiter;
  };
  const unsigned fewest = std::ranges::min(classes_);
  const unsigned links_share = (machine_.virtual_channels + fewest - 1) / fewest;
  const unsigned places = std::max(links_share, channels_ * machine_.channel_vcs());
  for (InputVc& input : router.inputs) {
    input.pick_arbiters.assign(std::ranges::max(classes_), over(places));
    input.flat_pick = over(vcs());
  }
  for (OutputVc& output : router.outputs) {
    output.flat_arbiter = over(vcs());
    output.port_arbiter = over(ports());
    for (unsigned port = 0; port < ports(); ++port) output.vc_arbiters.push_back(over(vcs_of_port(port)));
  }
  for (SwitchState* const state : {&router.switch_state, &router.speculative_state}) {
    for (unsigned input = 0; input < inputs(); ++input) {
      state->inputs.push_back(over(static_cast<unsigned>(vcs_of_input(input).size())));
      state->accepts.push_back(over(outputs()));
    }
    for (unsigned to = 0; to < outputs(); ++to) state->outputs.push_back(over(inputs()));
  }
  for (unsigned port = 0; port < ports(); ++port) router.winner_vcs.push_back(over(vcs_of_port(port)));
  router.bypass.resize(ports());
  router.queues.resize(ports());
}

/// The winner of at least one request.
unsigned ReferenceNetwork::pick(const ArbiterState& arbiter, const std::vector<bool>& requests) const {
  const auto inputs = static_cast<unsigned>(requests.size());
  if (machine_.parts.arbiter == Arbiter::matrix) {
    for (const unsigned input : arbiter.order) {
      if (input < inputs && requests[input]) return input;
    }
  }
  unsigned first = 0;
  if (machine_.parts.arbiter == Arbiter::round_robin || machine_.parts.arbiter == Arbiter::age)
    first = arbiter.pointer;
  if (machine_.parts.arbiter == Arbiter::round_robin_binary) first = arbiter.pointer + 1;
  for (unsigned input = first; input < inputs; ++input) {
    if (requests[input]) return input;
  }
  for (unsigned input = 0; input < inputs; ++input) {
    if (requests[input]) return input;
  }
  throw std::logic_error("an arbiter without requests");
}

void ReferenceNetwork::update(ArbiterState& arbiter, unsigned inputs, unsigned winner) const {
  arbiter.pointer = (winner + 1) % inputs;
  std::erase(arbiter.order, winner);
  arbiter.order.push_back(winner);
}

// Stage 3.
void ReferenceNetwork::track() {
  for (Router& router : routers_) {
    for (OutputVc& output : router.outputs) track(output.tracker);
    for (InjectionChannel& channel : router.channels)
      std::ranges::for_each(channel.trackers, [&](Tracker& each) { track(each); });
  }
}

void ReferenceNetwork::track(Tracker& tracker) const {
  const auto take = [this](std::deque<Cycle>& cycles) {
    if (cycles.empty() || cycles.front() > now_) return false;
    if (cycles.front() < now_) throw std::logic_error("a tracker was late");
    cycles.pop_front();
    return true;
  };
  const bool put = take(tracker.puts);
  const bool left = take(tracker.slots);
  tracker.empty = !put && (tracker.taken == 0 || (left && tracker.one_is_taken));
  if (put) {
    tracker.one_is_taken = tracker.taken == 0;
  } else if (left) {
    tracker.one_is_taken = tracker.taken == 2;
  }
  if (put) ++tracker.taken;
  if (left) --tracker.taken;
}

bool ReferenceNetwork::can_eject(NodeId node, unsigned port) const {
  const auto& last = routers_[node].ejected[port - links_];
  return !last || now_ >= *last + machine_.ejection_interval;
}

// Stage 4.
bool ReferenceNetwork::is_eligible(NodeId node, unsigned output_vc, unsigned input_vc) const {
  const OutputVc& output = routers_[node].outputs[output_vc];
  if (output.is_held(now_)) return false;
  const unsigned port = port_of_vc(output_vc);
  const bool link = is_link(port);
  if (!link && machine_.parts.vc_allocator == VcAllocator::switch_winner) {
    if (!can_eject(node, port)) return false;
    if (machine_.ejection_buffer && output.slots.usable == 0) return false;
  }
  switch (machine_.vc_allocation) {
    case VcAllocation::non_atomic: {
      const std::uint32_t flits = routers_[node].inputs[input_vc].fifo.front().message->packet.flits;
      return !link || !needs_packet_space() || output.slots.usable >= room_first(input_vc, port, flits);
    }
    case VcAllocation::with_slot:
      if (machine_.parts.early_credits) return output.tracker.taken < machine_.buffer;
      return !link || has_room(node, output_vc);
    case VcAllocation::atomic:
      if (machine_.parts.early_credits) return output.tracker.empty;
      return !link || output.slots.usable == machine_.link_buffer();
  }
  throw std::logic_error("no such VC allocation");
}

/// Of a link: there is a slot for a flit.
bool ReferenceNetwork::has_room(NodeId node, unsigned output_vc) const {
  const RouterParts& parts = machine_.parts;
  const Slots& slots = routers_[node].outputs[output_vc].slots;
  if (parts.credits == Credits::on_off) return machine_.buffer - slots.signalled >= machine_.go_slots();
  if (parts.buffers == Buffers::of_vcs) return slots.usable > 0;
  const auto taken = [&](unsigned vc) {
    return machine_.link_buffer() - routers_[node].outputs[vc].slots.usable;
  };
  if (taken(output_vc) < parts.buffer_reserve) return true;
  std::uint32_t shared = 0;
  const unsigned first = first_vc_of_port(port_of_vc(output_vc));
  for (unsigned vc = first; vc < first + machine_.virtual_channels; ++vc)
    shared += taken(vc) - std::min(taken(vc), parts.buffer_reserve);
  const std::uint32_t pool = machine_.virtual_channels * (machine_.buffer - parts.buffer_reserve);
  return shared + parts.output_speedup <= pool;
}

/// Without room for so many flits behind an output VC, the input VCs there of which one must move first.
std::vector<unsigned> ReferenceNetwork::blocking_vcs(NodeId node, unsigned output_vc,
                                                     std::uint32_t flits) const {
  const RouterParts& parts = machine_.parts;
  const unsigned port = port_of_vc(output_vc);
  const NodeId receiver = topology_.neighbour(node, port).value();
  const auto taken = [&](unsigned vc) {
    return static_cast<std::uint32_t>(routers_[receiver].inputs[vc].fifo.size());
  };
  const std::vector<unsigned> its{output_vc};
  const std::vector<unsigned> none;
  if (parts.credits == Credits::on_off) {
    // The signal of the next cycle, and those on their way.
    const Slots& slots = routers_[node].outputs[output_vc].slots;
    std::int64_t flits_there = slots.signalled;
    std::map<Cycle, std::int64_t> changes{{now_, 0}};
    for (const Cycle cycle : slots.arrivals) ++changes[cycle];
    for (const Cycle cycle : slots.returning) --changes[cycle];
    for (const auto& [cycle, change] : changes) {
      flits_there += change;
      if (machine_.buffer - flits_there >= machine_.go_slots()) return none;
    }
    return its;
  }
  if (parts.buffers == Buffers::of_vcs || flits > 1)
    return machine_.link_buffer() - taken(output_vc) < flits ? its : none;
  if (taken(output_vc) < parts.buffer_reserve) return none;
  std::vector<unsigned> result;
  std::uint32_t shared = 0;
  const unsigned first = first_vc_of_port(port);
  for (unsigned vc = first; vc < first + machine_.virtual_channels; ++vc) {
    shared += taken(vc) - std::min(taken(vc), parts.buffer_reserve);
    if (vc == output_vc || taken(vc) > parts.buffer_reserve) result.push_back(vc);
  }
  const std::uint32_t pool = machine_.virtual_channels * (machine_.buffer - parts.buffer_reserve);
  return shared + parts.output_speedup <= pool ? none : result;
}

/// The queue of an output port has room for all flits that the switch could move there.
bool ReferenceNetwork::can_queue(NodeId node, unsigned port) const {
  const auto waits = [&](const QueuedFlit& flit) {
    return port_of_vc(flit.output_vc) == port && flit.leaves > now_;
  };
  const auto queued = static_cast<std::uint32_t>(std::ranges::count_if(routers_[node].queued, waits));
  return queued + machine_.parts.output_speedup <= machine_.parts.output_queue;
}

/// A flit could leave through an output port: its queue has room, or its link is free.
bool ReferenceNetwork::can_take(NodeId node, unsigned port) const {
  if (machine_.parts.output_queue != 0) return can_queue(node, port);
  return !is_link(port) || routers_[node].links[port].is_free(now_);
}

/// The message for whose flit a port is busy.
std::uint64_t ReferenceNetwork::last_through(NodeId node, unsigned port) const {
  return machine_.parts.output_queue != 0 ? routers_[node].queues[port].last_message
                                          : routers_[node].links[port].last_message;
}

/// The cycle in which a flit that wins the switch now leaves the queue of its output port.
Cycle ReferenceNetwork::leave_queue(NodeId node, const Winner& winner, const Flit& flit) {
  if (machine_.parts.output_queue == 0) return now_;
  const unsigned port = port_of_vc(winner.output_vc);
  OutputQueue& queue = routers_[node].queues[port];
  Cycle leaves = std::max(now_, queue.next);
  while (is_link(port) && !routers_[node].links[port].is_free(leaves)) ++leaves;
  if (leaves > now_) {
    routers_[node].queued.push_back(
        {now_, leaves, winner.input_vc, winner.output_vc, flit.message, flit.index, queue.last_message, 0});
  }
  queue.next = leaves + 1;
  queue.last_message = flit.message->packet.id;
  return leaves;
}

/// Stalls of flits in output queues.
void ReferenceNetwork::count_queued(NodeId node) {
  std::erase_if(routers_[node].queued, [&](const QueuedFlit& flit) { return flit.leaves <= now_; });
  for (QueuedFlit& flit : routers_[node].queued) {
    constexpr auto kCause = StallCause::switch_lost;
    ++totals_.stalls[static_cast<unsigned>(kCause)];
    if (flit.index == 0) ++flit.message->delivery.head_stalls[static_cast<unsigned>(kCause)];
    if (flit.from == now_) {
      flit.line = stalls_.size();
      const unsigned port = port_of_vc(flit.output_vc);
      stalls_.push_back({now_, 0, node, flit.input_vc, kCause, port, flit.output_vc - first_vc_of_port(port),
                         flit.message->packet.id, flit.index, flit.culprit});
    }
    ++stalls_[flit.line].cycles;
  }
}

}  // namespace flitscope::reference
