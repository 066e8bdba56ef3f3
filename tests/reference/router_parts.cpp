// VC allocators, arbiters, speculation and the order of switch allocation of the reference model: "Router
// parts" of docs/timing.md.
#include <algorithm>
#include <functional>
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
  const unsigned links_share = (machine_.virtual_channels + classes_ - 1) / classes_;
  const unsigned places = std::max(links_share, channels_ * machine_.node_vcs);
  for (InputVc& input : router.inputs) {
    input.pick_arbiters.assign(classes_, over(places));
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

// Stage 4.
bool ReferenceNetwork::is_eligible(NodeId node, unsigned output_vc) const {
  const OutputVc& output = routers_[node].outputs[output_vc];
  if (output.holder || now_ < output.free_from) return false;
  const bool link = is_link(port_of_vc(output_vc));
  if (!link && machine_.parts.vc_allocator == VcAllocator::switch_winner) {
    const auto& last = routers_[node].ejected[port_of_vc(output_vc) - links_];
    if (last && now_ < *last + machine_.ejection_interval) return false;
  }
  switch (machine_.vc_allocation) {
    case VcAllocation::non_atomic:
      return true;
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
    // The signals on their way.
    const Slots& slots = routers_[node].outputs[output_vc].slots;
    std::int64_t flits_there = slots.signalled;
    std::map<Cycle, std::int64_t> changes;
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
  if (machine_.parts.output_queue == 0) return true;
  const Cycle next = routers_[node].queues[port].next;
  const Cycle queued = next > now_ + 1 ? next - now_ - 1 : 0;
  return queued + machine_.parts.output_speedup <= machine_.parts.output_queue;
}

/// The cycle in which a flit that wins the switch now leaves the queue of its output port.
Cycle ReferenceNetwork::leave_queue(NodeId node, const Winner& winner, const Flit& flit) {
  if (machine_.parts.output_queue == 0) return now_;
  OutputQueue& queue = routers_[node].queues[port_of_vc(winner.output_vc)];
  const Cycle leaves = std::max(now_, queue.next);
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

void ReferenceNetwork::hold(NodeId node, unsigned input_vc, unsigned output_vc) {
  InputVc& input = routers_[node].inputs[input_vc];
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
      eligible[place] = is_eligible(node, admissible[place]);
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
      eligible[output_vc] = is_eligible(node, output_vc);
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
          std::ranges::count(admissible, output_of(column)) > 0 && is_eligible(node, output_of(column));
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
        std::ranges::any_of(admissible, [&](unsigned output_vc) { return is_eligible(node, output_vc); });
    if (!some) routers_[node].inputs[vc].stall = refusal(node, vc, *requests[vc]);
  }
}

/// The front flit is usable for the first time, and no other is.
bool ReferenceNetwork::arrives_alone(const InputVc& input) const {
  return input.front_usable && input.fifo.front().arrival == now_;
}

void ReferenceNetwork::grant_to_winner(NodeId node, unsigned input_vc, unsigned port) {
  const std::vector<unsigned> admissible = admissible_vcs(request_of(node, input_vc));
  std::vector<bool> eligible(vcs_of_port(port));
  for (const unsigned output_vc : admissible) {
    if (port_of_vc(output_vc) == port)
      eligible[output_vc - first_vc_of_port(port)] = is_eligible(node, output_vc);
  }
  ArbiterState& arbiter = routers_[node].winner_vcs[port];
  const unsigned place = pick(arbiter, eligible);
  update(arbiter, vcs_of_port(port), place);
  hold(node, input_vc, first_vc_of_port(port) + place);
}

/// Flits that are usable for the first time, of `wants` with an output VC and of `heads` without.
void ReferenceNetwork::take_bypass(NodeId node, const Wants& wants, const Wants& heads,
                                   const std::vector<bool>& can_leave, const std::vector<bool>& taken_outputs,
                                   std::vector<bool>& moves) {
  Router& router = routers_[node];
  std::vector<bool> is_blocked(ports());  // input ports with a flit that takes part in switch allocation
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    if ((wants[vc] || heads[vc]) && !arrives_alone(router.inputs[vc])) is_blocked[port_of_vc(vc)] = true;
  }
  Wants asks(vcs());
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    const unsigned port = port_of_vc(vc);
    if (!arrives_alone(router.inputs[vc]) || is_blocked[port]) continue;
    if (router.bypass[port]) {
      if (*router.bypass[port] == vc) asks[vc] = wants[vc];
    } else {
      asks[vc] = heads[vc];
    }
  }
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    const unsigned port = port_of_vc(vc);
    if (!arrives_alone(router.inputs[vc])) continue;
    const bool is_tail = router.inputs[vc].fifo.front().tail();
    const bool alone = asks[vc] && std::ranges::count(asks, asks[vc]) == 1;
    const bool taken = alone && !taken_outputs[*asks[vc]] && (wants[vc] || can_leave[vc]);
    if (taken) {
      if (!wants[vc]) grant_to_winner(node, vc, *asks[vc]);
      moves[vc] = true;
    }
    if (router.bypass[port] && *router.bypass[port] != vc) continue;
    router.bypass[port].reset();
    if (taken && !is_tail) router.bypass[port] = vc;
  }
}

// Stage 5.
void ReferenceNetwork::allocate_switch_by_parts(NodeId node) {
  Router& router = routers_[node];
  const Speculation speculation = machine_.parts.speculation;
  const bool late = machine_.parts.vc_allocator == VcAllocator::switch_winner;
  Wants wants(vcs());
  Wants heads(vcs());
  std::vector<bool> can_leave(vcs());
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    InputVc& input = router.inputs[vc];
    if (!input.front_usable || is_routed(input)) continue;
    const bool fresh = input.output_vc && speculation != Speculation::none && input.switch_from == now_ + 1;
    if (!input.output_vc && late) {
      const Request request = request_of(node, vc);
      const std::vector<unsigned> admissible = admissible_vcs(request);
      const auto eligible =
          std::ranges::find_if(admissible, [&](unsigned each) { return is_eligible(node, each); });
      const bool able = eligible != admissible.end();
      const unsigned port = port_of_vc(able ? *eligible : admissible.front());
      can_leave[vc] = able && can_queue(node, port);
      if (able)
        input.stall = {StallCause::switch_lost, request.group, std::nullopt, std::nullopt, std::nullopt};
      if (can_leave[vc] || speculation != Speculation::none) {
        heads[vc] = port;
      } else if (able) {
        input.stall->culprit = router.queues[port].last_message;
      }
      continue;
    }
    if (!input.output_vc || fresh) {
      if (speculation == Speculation::none) continue;
      // It requested an output VC in this cycle.
      heads[vc] = port_of_vc(fresh ? *input.output_vc : admissible_vcs(request_of(node, vc)).front());
      if (!fresh) continue;
      const unsigned port = *heads[vc];
      const OutputVc& output = router.outputs[*input.output_vc];
      if (is_link(port)) {
        can_leave[vc] = machine_.parts.early_credits ? output.tracker.taken < machine_.buffer
                                                     : has_room(node, *input.output_vc);
      } else {
        const auto& last = router.ejected[port - links_];
        can_leave[vc] = !last || now_ >= *last + machine_.ejection_interval;
      }
      can_leave[vc] = can_leave[vc] && can_queue(node, port);
      input.stall = {StallCause::switch_lost, port, *input.output_vc - first_vc_of_port(port), std::nullopt,
                     std::nullopt};
      continue;
    }
    if (now_ < input.switch_from) continue;
    const unsigned port = port_of_vc(*input.output_vc);
    const unsigned vc_of_port = *input.output_vc - first_vc_of_port(port);
    if (is_link(port) && !has_room(node, *input.output_vc)) {
      input.stall = lack_of_room(node, *input.output_vc, 1);
      continue;
    }
    if (!is_link(port)) {
      const auto& last = router.ejected[port - links_];
      if (last && now_ < *last + machine_.ejection_interval) {
        input.stall = {StallCause::ejection_busy, port, vc_of_port, std::nullopt, std::nullopt};
        continue;
      }
    }
    input.stall = {StallCause::switch_lost, port, vc_of_port, std::nullopt, std::nullopt};
    if (!can_queue(node, port)) {
      input.stall->culprit = router.queues[port].last_message;
      continue;
    }
    wants[vc] = port;
  }
  // From here on they request outputs of the switch.
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    for (Wants* const some : {&wants, &heads}) {
      if ((*some)[vc]) (*some)[vc] = output_of(*(*some)[vc], vc);
    }
  }

  const auto asks = [](const std::optional<unsigned>& port) { return port.has_value(); };
  if (!machine_.parts.bypass && std::ranges::none_of(wants, asks) && std::ranges::none_of(heads, asks)) {
    router.winners.clear();
    router.kept.clear();
    return;
  }
  // VCs that keep the switch win.
  std::vector<unsigned> kept;
  std::ranges::copy_if(router.kept, std::back_inserter(kept),
                       [&](unsigned vc) { return wants[vc].has_value(); });
  for (const unsigned holder : kept) {
    const unsigned to = *wants[holder];
    for (unsigned vc = 0; vc < vcs(); ++vc) {
      for (Wants* const some : {&wants, &heads}) {
        if (input_of(vc) == input_of(holder) || (*some)[vc] == to) (*some)[vc].reset();
      }
    }
  }

  std::vector<bool> moves(vcs());
  std::vector<std::optional<unsigned>> picked(inputs());  // input VC
  if (late) {
    Wants slow = wants;
    Wants slow_heads = heads;
    for (unsigned vc = 0; vc < vcs() && machine_.parts.bypass; ++vc) {
      if (!arrives_alone(router.inputs[vc])) continue;
      slow[vc].reset();
      slow_heads[vc].reset();
    }
    if (speculation == Speculation::none) {
      for (unsigned vc = 0; vc < vcs(); ++vc) {
        if (heads[vc]) slow[vc] = heads[vc];
      }
      slow_heads.assign(vcs(), std::nullopt);
    }
    const SwitchMatch found = match(node, router.switch_state, slow, slow_heads);
    for (const unsigned vc : found.picked) picked[input_of(vc)] = vc;
    for (const unsigned vc : found.winners) {
      moves[vc] = wants[vc] || can_leave[vc];
      if (moves[vc] && !wants[vc]) grant_to_winner(node, vc, *heads[vc] / machine_.parts.output_speedup);
    }
    if (machine_.parts.bypass) take_bypass(node, wants, heads, can_leave, found.asked, moves);
  } else if (speculation == Speculation::prioritised) {
    const SwitchMatch found = match_input_first(node, router.switch_state, wants, heads);
    for (const unsigned vc : found.picked) picked[input_of(vc)] = vc;
    for (const unsigned vc : found.winners) moves[vc] = wants[vc] || can_leave[vc];
  } else {
    const Wants none(vcs());
    const SwitchMatch found = match(node, router.switch_state, wants, none);
    for (const unsigned vc : found.winners) moves[vc] = true;
    for (const unsigned vc : found.picked) picked[input_of(vc)] = vc;
    if (speculation != Speculation::none) {
      const SwitchMatch second = match(node, router.speculative_state, heads, none);
      std::vector<bool> busy(inputs());
      std::vector<bool> outputs = found.asked;
      if (speculation == Speculation::requests) {
        for (unsigned vc = 0; vc < vcs(); ++vc) {
          if (wants[vc]) busy[input_of(vc)] = true;
        }
      } else {
        outputs.assign(this->outputs(), false);
        for (const unsigned vc : found.winners) {
          busy[input_of(vc)] = true;
          outputs[*wants[vc]] = true;
        }
      }
      for (const unsigned vc : second.winners) {
        moves[vc] = can_leave[vc] && !busy[input_of(vc)] && !outputs[*heads[vc]];
      }
      for (const unsigned vc : second.picked) {
        if (!picked[input_of(vc)]) picked[input_of(vc)] = vc;
      }
    }
  }

  for (const unsigned vc : kept) {
    moves[vc] = true;
    picked[input_of(vc)] = vc;
  }
  router.kept.clear();
  for (unsigned vc = 0; vc < vcs() && machine_.parts.hold; ++vc) {
    if (moves[vc] && !router.inputs[vc].fifo.front().tail()) router.kept.push_back(vc);
  }

  router.winners.clear();
  for (unsigned to = 0; to < outputs(); ++to) {
    for (unsigned vc = 0; vc < vcs(); ++vc) {
      if (!moves[vc] || output_of(port_of_vc(*router.inputs[vc].output_vc), vc) != to) continue;
      router.winners.push_back({vc, *router.inputs[vc].output_vc});
      router.inputs[vc].stall.reset();
    }
  }
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    InputVc& input = router.inputs[vc];
    if (!input.stall || input.stall->cause != StallCause::switch_lost || input.stall->culprit) continue;
    unsigned winner = picked[input_of(vc)].value_or(vc);
    if (winner == vc) {
      for (const Winner& each : router.winners) {
        // A head without output VC requests all ejection channels together.
        const unsigned port = port_of_vc(each.output_vc);
        if (output_of(0, each.input_vc) != output_of(0, vc)) continue;
        if ((input.output_vc ? port : std::min(port, links_)) == input.stall->port) winner = each.input_vc;
      }
    }
    if (winner != vc) input.stall->culprit = router.inputs[winner].fifo.front().message->packet.id;
  }
}

}  // namespace flitscope::reference
