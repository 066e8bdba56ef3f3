// Allocators, arbiters and speculation of the reference model: "Router parts" of docs/timing.md.
#include <algorithm>
#include <numeric>
#include <stdexcept>

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
  for (InputVc& input : router.inputs) input.pick_arbiters.assign(classes_, over(places));
  for (OutputVc& output : router.outputs) {
    output.port_arbiter = over(ports());
    for (unsigned port = 0; port < ports(); ++port) output.vc_arbiters.push_back(over(vcs_of_port(port)));
  }
  for (SwitchState* const state : {&router.switch_state, &router.speculative_state}) {
    for (unsigned port = 0; port < ports(); ++port) {
      state->inputs.push_back(over(vcs_of_port(port)));
      state->outputs.push_back(over(ports()));
      state->accepts.push_back(over(ports()));
    }
  }
  for (unsigned port = 0; port < ports(); ++port) router.winner_vcs.push_back(over(vcs_of_port(port)));
  router.bypass.resize(ports());
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
  if (machine_.parts.arbiter == Arbiter::round_robin) first = arbiter.pointer;
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
      return !link || output.slots.usable > 0;
    case VcAllocation::atomic:
      if (machine_.parts.early_credits) return output.tracker.empty;
      return !link || output.slots.usable == machine_.buffer;
  }
  throw std::logic_error("no such VC allocation");
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
    const unsigned port = pick(output.port_arbiter, from);
    std::vector<bool> of_port(vcs_of_port(port));
    for (unsigned i = 0; i < of_port.size(); ++i) of_port[i] = asked[first_vc_of_port(port) + i] == output_vc;
    const unsigned place = pick(output.vc_arbiters[port], of_port);
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
    if (!input.front_usable) continue;
    const bool fresh = input.output_vc && speculation != Speculation::none && input.switch_from == now_ + 1;
    if (!input.output_vc && late) {
      const Request request = request_of(node, vc);
      const std::vector<unsigned> admissible = admissible_vcs(request);
      const auto eligible =
          std::ranges::find_if(admissible, [&](unsigned each) { return is_eligible(node, each); });
      can_leave[vc] = eligible != admissible.end();
      if (!can_leave[vc] && speculation == Speculation::none) continue;
      heads[vc] = port_of_vc(can_leave[vc] ? *eligible : admissible.front());
      if (can_leave[vc])
        input.stall = {StallCause::switch_lost, request.group, std::nullopt, std::nullopt, std::nullopt};
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
        can_leave[vc] =
            machine_.parts.early_credits ? output.tracker.taken < machine_.buffer : output.slots.usable > 0;
      } else {
        const auto& last = router.ejected[port - links_];
        can_leave[vc] = !last || now_ >= *last + machine_.ejection_interval;
      }
      input.stall = {StallCause::switch_lost, port, *input.output_vc - first_vc_of_port(port), std::nullopt,
                     std::nullopt};
      continue;
    }
    if (now_ < input.switch_from) continue;
    const unsigned port = port_of_vc(*input.output_vc);
    const unsigned vc_of_port = *input.output_vc - first_vc_of_port(port);
    if (is_link(port) && router.outputs[*input.output_vc].slots.usable == 0) {
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
    wants[vc] = port;
    input.stall = {StallCause::switch_lost, port, vc_of_port, std::nullopt, std::nullopt};
  }

  std::vector<bool> moves(vcs());
  std::vector<std::optional<unsigned>> picked(ports());  // input VC
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
    const SwitchMatch found = match(router.switch_state, slow, slow_heads);
    for (const unsigned vc : found.picked) picked[port_of_vc(vc)] = vc;
    for (const unsigned vc : found.winners) {
      moves[vc] = wants[vc] || can_leave[vc];
      if (moves[vc] && !wants[vc]) grant_to_winner(node, vc, *heads[vc]);
    }
    if (machine_.parts.bypass) take_bypass(node, wants, heads, can_leave, found.asked, moves);
  } else if (speculation == Speculation::prioritised) {
    const SwitchMatch found = match_input_first(router.switch_state, wants, heads);
    for (const unsigned vc : found.picked) picked[port_of_vc(vc)] = vc;
    for (const unsigned vc : found.winners) moves[vc] = wants[vc] || can_leave[vc];
  } else {
    const Wants none(vcs());
    const SwitchMatch found = match(router.switch_state, wants, none);
    for (const unsigned vc : found.winners) moves[vc] = true;
    for (const unsigned vc : found.picked) picked[port_of_vc(vc)] = vc;
    if (speculation != Speculation::none) {
      const SwitchMatch second = match(router.speculative_state, heads, none);
      std::vector<bool> inputs(ports());
      std::vector<bool> outputs = found.asked;
      if (speculation == Speculation::requests) {
        for (unsigned vc = 0; vc < vcs(); ++vc) {
          if (wants[vc]) inputs[port_of_vc(vc)] = true;
        }
      } else {
        outputs.assign(ports(), false);
        for (const unsigned vc : found.winners) {
          inputs[port_of_vc(vc)] = true;
          outputs[*wants[vc]] = true;
        }
      }
      for (const unsigned vc : second.winners) {
        moves[vc] = can_leave[vc] && !inputs[port_of_vc(vc)] && !outputs[*heads[vc]];
      }
      for (const unsigned vc : second.picked) {
        if (!picked[port_of_vc(vc)]) picked[port_of_vc(vc)] = vc;
      }
    }
  }

  router.winners.clear();
  for (unsigned port = 0; port < ports(); ++port) {
    for (unsigned vc = 0; vc < vcs(); ++vc) {
      if (!moves[vc] || port_of_vc(*router.inputs[vc].output_vc) != port) continue;
      router.winners.push_back({vc, *router.inputs[vc].output_vc});
      router.inputs[vc].stall.reset();
    }
  }
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    InputVc& input = router.inputs[vc];
    if (!input.stall || input.stall->cause != StallCause::switch_lost) continue;
    unsigned winner = picked[port_of_vc(vc)].value_or(vc);
    if (winner == vc) {
      for (const Winner& each : router.winners) {
        // A head without output VC requests all ejection channels together.
        const unsigned port = port_of_vc(each.output_vc);
        if ((input.output_vc ? port : std::min(port, links_)) == input.stall->port) winner = each.input_vc;
      }
    }
    if (winner != vc) input.stall->culprit = router.inputs[winner].fifo.front().message->packet.id;
  }
}

ReferenceNetwork::SwitchMatch ReferenceNetwork::match(SwitchState& state, const Wants& wants,
                                                      const Wants& low) const {
  switch (machine_.parts.switch_allocator) {
    case SwitchAllocator::separable_input_first:
      return match_input_first(state, wants, low);
    case SwitchAllocator::separable_output_first:
      return match_output_first(state, wants);
    case SwitchAllocator::islip:
      return match_islip(state, wants);
    case SwitchAllocator::wavefront:
      return match_wavefront(state, wants);
  }
  throw std::logic_error("no such switch allocator");
}

/// Flits of `low` count where there are none of `wants`.
ReferenceNetwork::SwitchMatch ReferenceNetwork::match_input_first(SwitchState& state, const Wants& wants,
                                                                  const Wants& low) const {
  SwitchMatch result;
  result.asked.resize(ports());
  for (unsigned port = 0; port < ports(); ++port) {
    for (const Wants* const some : {&wants, &low}) {
      std::vector<bool> of_port(vcs_of_port(port));
      for (unsigned i = 0; i < of_port.size(); ++i)
        of_port[i] = (*some)[first_vc_of_port(port) + i].has_value();
      if (std::ranges::count(of_port, true) == 0) continue;
      result.picked.push_back(first_vc_of_port(port) + pick(state.inputs[port], of_port));
      break;
    }
  }
  for (unsigned to = 0; to < ports(); ++to) {
    for (const Wants* const some : {&wants, &low}) {
      std::vector<bool> from(ports());
      for (const unsigned vc : result.picked) {
        if ((*some)[vc] == to) from[port_of_vc(vc)] = true;
      }
      if (std::ranges::count(from, true) == 0) continue;
      result.asked[to] = true;
      const unsigned port = pick(state.outputs[to], from);
      const unsigned vc =
          *std::ranges::find_if(result.picked, [&](unsigned each) { return port_of_vc(each) == port; });
      update(state.outputs[to], ports(), port);
      update(state.inputs[port], vcs_of_port(port), vc - first_vc_of_port(port));
      result.winners.push_back(vc);
      break;
    }
  }
  return result;
}

ReferenceNetwork::SwitchMatch ReferenceNetwork::match_output_first(SwitchState& state,
                                                                   const Wants& wants) const {
  SwitchMatch result;
  result.asked.resize(ports());
  std::vector<std::optional<unsigned>> offered(ports());  // by output port: input port
  for (unsigned to = 0; to < ports(); ++to) {
    std::vector<bool> from(ports());
    for (unsigned vc = 0; vc < vcs(); ++vc) {
      if (wants[vc] == to) from[port_of_vc(vc)] = true;
    }
    if (std::ranges::count(from, true) == 0) continue;
    result.asked[to] = true;
    offered[to] = pick(state.outputs[to], from);
  }
  for (unsigned port = 0; port < ports(); ++port) {
    std::vector<bool> of_port(vcs_of_port(port));
    for (unsigned i = 0; i < of_port.size(); ++i) {
      const auto& want = wants[first_vc_of_port(port) + i];
      of_port[i] = want && offered[*want] == port;
    }
    if (std::ranges::count(of_port, true) == 0) continue;
    const unsigned place = pick(state.inputs[port], of_port);
    const unsigned vc = first_vc_of_port(port) + place;
    update(state.inputs[port], vcs_of_port(port), place);
    update(state.outputs[*wants[vc]], ports(), port);
    result.winners.push_back(vc);
  }
  result.picked = result.winners;
  return result;
}

ReferenceNetwork::SwitchMatch ReferenceNetwork::match_islip(SwitchState& state, const Wants& wants) const {
  SwitchMatch result;
  result.asked.resize(ports());
  std::vector<std::optional<unsigned>> output_of(ports());  // by input port
  std::vector<bool> taken(ports());                         // output ports
  for (unsigned iteration = 0; iteration < machine_.parts.switch_iterations; ++iteration) {
    std::vector<std::vector<bool>> offers(ports(), std::vector<bool>(ports()));  // by input, then output port
    for (unsigned to = 0; to < ports(); ++to) {
      std::vector<bool> from(ports());
      for (unsigned vc = 0; vc < vcs(); ++vc) {
        if (wants[vc] != to) continue;
        result.asked[to] = true;
        from[port_of_vc(vc)] = !output_of[port_of_vc(vc)];
      }
      if (taken[to] || std::ranges::count(from, true) == 0) continue;
      offers[pick(state.outputs[to], from)][to] = true;
    }
    for (unsigned port = 0; port < ports(); ++port) {
      if (std::ranges::count(offers[port], true) == 0) continue;
      const unsigned to = pick(state.accepts[port], offers[port]);
      if (iteration == 0) {
        update(state.accepts[port], ports(), to);
        update(state.outputs[to], ports(), port);
      }
      output_of[port] = to;
      taken[to] = true;
    }
  }
  for (unsigned port = 0; port < ports(); ++port) {
    if (!output_of[port]) continue;
    std::vector<bool> of_port(vcs_of_port(port));
    for (unsigned i = 0; i < of_port.size(); ++i)
      of_port[i] = wants[first_vc_of_port(port) + i] == output_of[port];
    const unsigned place = pick(state.inputs[port], of_port);
    update(state.inputs[port], vcs_of_port(port), place);
    result.winners.push_back(first_vc_of_port(port) + place);
  }
  result.picked = result.winners;
  return result;
}

ReferenceNetwork::SwitchMatch ReferenceNetwork::match_wavefront(SwitchState& state,
                                                                const Wants& wants) const {
  SwitchMatch result;
  result.asked.resize(ports());
  std::vector<std::optional<unsigned>> output_of(ports());  // by input port
  std::vector<bool> taken(ports());
  std::optional<unsigned> first_diagonal;
  for (unsigned i = 0; i < ports(); ++i) {
    const unsigned diagonal = (state.diagonal + i) % ports();
    for (unsigned row = 0; row < ports(); ++row) {
      const unsigned to = column_port((diagonal + ports() - row) % ports());
      bool some = false;
      for (unsigned vc = 0; vc < vcs(); ++vc) some = some || (port_of_vc(vc) == row && wants[vc] == to);
      if (!some) continue;
      result.asked[to] = true;
      if (!first_diagonal) first_diagonal = diagonal;
      if (output_of[row] || taken[to]) continue;
      output_of[row] = to;
      taken[to] = true;
    }
  }
  if (first_diagonal) state.diagonal = (*first_diagonal + 1) % ports();
  for (unsigned port = 0; port < ports(); ++port) {
    if (!output_of[port]) continue;
    std::vector<bool> of_port(vcs_of_port(port));
    for (unsigned i = 0; i < of_port.size(); ++i)
      of_port[i] = wants[first_vc_of_port(port) + i] == output_of[port];
    const unsigned place = pick(state.inputs[port], of_port);
    update(state.inputs[port], vcs_of_port(port), place);
    result.winners.push_back(first_vc_of_port(port) + place);
  }
  result.picked = result.winners;
  return result;
}

}  // namespace flitscope::reference
