// Switch allocation of the reference model: "Router parts" of docs/timing.md.
#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "tests/reference/reference_network.h"

namespace flitscope::reference {

std::vector<unsigned> ReferenceNetwork::vcs_of_input(unsigned input) const {
  const unsigned port = input / machine_.parts.input_speedup;
  std::vector<unsigned> result;
  for (unsigned place = 0; place < vcs_of_port(port); ++place) {
    if (place % machine_.parts.input_speedup == input % machine_.parts.input_speedup)
      result.push_back(first_vc_of_port(port) + place);
  }
  return result;
}

unsigned ReferenceNetwork::input_of(unsigned vc) const {
  const unsigned port = port_of_vc(vc);
  return port * machine_.parts.input_speedup + (vc - first_vc_of_port(port)) % machine_.parts.input_speedup;
}

/// The input VC of the oldest message.
unsigned ReferenceNetwork::oldest(NodeId node, const std::vector<unsigned>& vcs) const {
  return *std::ranges::min_element(vcs, {}, [&](unsigned vc) {
    const MessageState& message = *routers_[node].inputs[vc].fifo.front().message;
    return std::pair(message.delivery.ready, message.packet.id);
  });
}

/// Input VCs of an input of the switch, or of all, that request an output port, or any.
std::vector<unsigned> ReferenceNetwork::asking(const Wants& wants, std::optional<unsigned> input,
                                               std::optional<unsigned> to) const {
  std::vector<unsigned> result;
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    if (wants[vc] && (!input || input_of(vc) == *input) && (!to || *wants[vc] == *to)) result.push_back(vc);
  }
  return result;
}

/// Those of the highest priority.
std::vector<unsigned> ReferenceNetwork::highest(NodeId node, const std::vector<unsigned>& vcs) const {
  const auto rank_of = [&](unsigned vc) { return rank(routers_[node].inputs[vc]); };
  std::vector<unsigned> result = vcs;
  std::erase_if(result, [&](unsigned vc) {
    return std::ranges::any_of(vcs, [&](unsigned other) { return rank_of(other) > rank_of(vc); });
  });
  return result;
}

/// Requests of one priority, and then of the next lower one.
std::vector<ReferenceNetwork::Wants> ReferenceNetwork::by_rank(NodeId node, const Wants& wants) const {
  std::map<std::uint32_t, Wants, std::greater<>> result;
  for (const unsigned vc : asking(wants, std::nullopt, std::nullopt)) {
    Wants& equal = result[rank(routers_[node].inputs[vc])];
    equal.resize(vcs());
    equal[vc] = wants[vc];
  }
  std::vector<Wants> ranks;
  for (auto& [rank, equal] : result) ranks.push_back(std::move(equal));
  return ranks;
}

unsigned ReferenceNetwork::pick_vc(NodeId node, const SwitchState& state, unsigned input,
                                   const std::vector<unsigned>& of_any_rank) const {
  const std::vector<unsigned> asking = highest(node, of_any_rank);
  if (machine_.parts.arbiter == Arbiter::age) return oldest(node, asking);
  const std::vector<unsigned> all = vcs_of_input(input);
  std::vector<bool> requests;
  for (const unsigned vc : all) requests.push_back(std::ranges::count(asking, vc) > 0);
  return all[pick(state.inputs[input], requests)];
}

void ReferenceNetwork::update_vc(SwitchState& state, unsigned vc) const {
  const std::vector<unsigned> all = vcs_of_input(input_of(vc));
  const auto place = static_cast<unsigned>(std::ranges::find(all, vc) - all.begin());
  update(state.inputs[input_of(vc)], static_cast<unsigned>(all.size()), place);
}

/// The choice of an output port among input VCs that request it: an input.
unsigned ReferenceNetwork::pick_input(NodeId node, const SwitchState& state, unsigned to,
                                      const std::vector<unsigned>& of_any_rank) const {
  const std::vector<unsigned> asking = highest(node, of_any_rank);
  if (machine_.parts.arbiter == Arbiter::age) return input_of(oldest(node, asking));
  std::vector<bool> requests(inputs());
  for (const unsigned vc : asking) requests[input_of(vc)] = true;
  return pick(state.outputs[to], requests);
}

ReferenceNetwork::SwitchMatch ReferenceNetwork::match(NodeId node, SwitchState& state, const Wants& wants,
                                                      const Wants& low) const {
  switch (machine_.parts.switch_allocator) {
    case SwitchAllocator::separable_input_first:
      return match_input_first(node, state, wants, low);
    case SwitchAllocator::separable_input_first_ports:
      return match_input_first_ports(node, state, wants);
    case SwitchAllocator::separable_output_first:
      return match_output_first(node, state, wants);
    case SwitchAllocator::islip:
      return match_islip(node, state, wants);
    case SwitchAllocator::wavefront:
      return match_wavefront(node, state, wants);
    case SwitchAllocator::max_size:
      return match_max_size(node, state, wants);
  }
  throw std::logic_error("no such switch allocator");
}

/// Flits of `low` count where there are none of `wants`.
ReferenceNetwork::SwitchMatch ReferenceNetwork::match_input_first(NodeId node, SwitchState& state,
                                                                  const Wants& wants,
                                                                  const Wants& low) const {
  SwitchMatch result;
  result.asked.resize(outputs());
  Wants picked(vcs());
  Wants picked_low(vcs());
  for (unsigned input = 0; input < inputs(); ++input) {
    const auto first = asking(wants, input, std::nullopt);
    const auto second = asking(low, input, std::nullopt);
    if (first.empty() && second.empty()) continue;
    const unsigned vc = pick_vc(node, state, input, first.empty() ? second : first);
    (first.empty() ? picked_low : picked)[vc] = first.empty() ? low[vc] : wants[vc];
    result.picked.push_back(vc);
  }
  for (unsigned to = 0; to < outputs(); ++to) {
    auto from = asking(picked, std::nullopt, to);
    if (from.empty()) from = asking(picked_low, std::nullopt, to);
    if (from.empty()) continue;
    result.asked[to] = true;
    const unsigned input = pick_input(node, state, to, from);
    const unsigned vc = *std::ranges::find(from, input, [&](unsigned each) { return input_of(each); });
    update(state.outputs[to], inputs(), input);
    update_vc(state, vc);
    result.winners.push_back(vc);
  }
  return result;
}

ReferenceNetwork::SwitchMatch ReferenceNetwork::match_input_first_ports(NodeId node, SwitchState& state,
                                                                        const Wants& wants) const {
  std::vector<std::optional<unsigned>> picks(inputs());
  for (unsigned input = 0; input < inputs(); ++input) {
    std::vector<bool> to(outputs());
    for (const unsigned vc : highest(node, asking(wants, input, std::nullopt))) to[*wants[vc]] = true;
    if (std::ranges::count(to, true) > 0) picks[input] = pick(state.accepts[input], to);
  }
  SwitchMatch result;
  result.asked.resize(outputs());
  std::vector<std::optional<unsigned>> output_of(inputs());
  for (unsigned to = 0; to < outputs(); ++to) {
    auto from = asking(wants, std::nullopt, to);
    std::erase_if(from, [&](unsigned vc) { return picks[input_of(vc)] != to; });
    if (from.empty()) continue;
    result.asked[to] = true;
    const unsigned input = pick_input(node, state, to, from);
    update(state.outputs[to], inputs(), input);
    update(state.accepts[input], outputs(), to);
    output_of[input] = to;
  }
  move_pairs(node, state, wants, output_of, result);
  return result;
}

ReferenceNetwork::SwitchMatch ReferenceNetwork::match_output_first(NodeId node, SwitchState& state,
                                                                   const Wants& wants) const {
  SwitchMatch result;
  result.asked.resize(outputs());
  std::vector<std::optional<unsigned>> offered(outputs());  // by output port: input
  for (unsigned to = 0; to < outputs(); ++to) {
    const auto from = asking(wants, std::nullopt, to);
    if (from.empty()) continue;
    result.asked[to] = true;
    offered[to] = pick_input(node, state, to, from);
  }
  for (unsigned input = 0; input < inputs(); ++input) {
    auto some = asking(wants, input, std::nullopt);
    std::erase_if(some, [&](unsigned vc) { return offered[*wants[vc]] != input; });
    if (some.empty()) continue;
    const unsigned vc = pick_vc(node, state, input, some);
    update_vc(state, vc);
    update(state.outputs[*wants[vc]], inputs(), input);
    result.winners.push_back(vc);
  }
  result.picked = result.winners;
  return result;
}

ReferenceNetwork::SwitchMatch ReferenceNetwork::match_islip(NodeId node, SwitchState& state,
                                                            const Wants& wants) const {
  SwitchMatch result;
  result.asked.resize(outputs());
  std::vector<std::optional<unsigned>> output_of(inputs());
  std::vector<bool> taken(outputs());
  for (unsigned iteration = 0; iteration < machine_.parts.switch_iterations; ++iteration) {
    std::vector<std::vector<bool>> offers(inputs(), std::vector<bool>(outputs()));
    for (unsigned to = 0; to < outputs(); ++to) {
      auto from = asking(wants, std::nullopt, to);
      if (!from.empty()) result.asked[to] = true;
      std::erase_if(from, [&](unsigned vc) { return output_of[input_of(vc)].has_value(); });
      if (!taken[to] && !from.empty()) offers[pick_input(node, state, to, from)][to] = true;
    }
    for (unsigned input = 0; input < inputs(); ++input) {
      if (std::ranges::count(offers[input], true) == 0) continue;
      auto offered = asking(wants, input, std::nullopt);
      std::erase_if(offered, [&](unsigned vc) { return !offers[input][*wants[vc]]; });
      std::vector<bool> ports(outputs());
      for (const unsigned vc : highest(node, offered)) ports[*wants[vc]] = true;
      const unsigned to = pick(state.accepts[input], ports);
      if (iteration == 0) {
        update(state.accepts[input], outputs(), to);
        update(state.outputs[to], inputs(), input);
      }
      output_of[input] = to;
      taken[to] = true;
    }
  }
  move_pairs(node, state, wants, output_of, result);
  return result;
}

ReferenceNetwork::SwitchMatch ReferenceNetwork::match_wavefront(NodeId node, SwitchState& state,
                                                                const Wants& wants) const {
  SwitchMatch result;
  result.asked.resize(outputs());
  std::vector<std::optional<unsigned>> output_of(inputs());
  std::vector<bool> taken(outputs());
  std::optional<unsigned> first_diagonal;
  const unsigned size = std::max(inputs(), outputs());
  const unsigned speedup = machine_.parts.output_speedup;
  // Calls visit(row, output, diagonal) for the elements, diagonal by diagonal.
  const auto for_each_element = [&](const Wants& some, auto visit) {
    for (unsigned i = 0; i < size; ++i) {
      const unsigned diagonal = (state.diagonal + i) % size;
      for (unsigned row = 0; row < inputs(); ++row) {
        const unsigned column = (diagonal + size - row) % size;
        if (column >= outputs()) continue;
        const unsigned to = column_port(column / speedup) * speedup + column % speedup;
        if (!asking(some, row, to).empty()) visit(row, to, diagonal);
      }
    }
  };
  for_each_element(wants, [&](unsigned, unsigned to, unsigned diagonal) {
    result.asked[to] = true;
    if (!first_diagonal) first_diagonal = diagonal;
  });
  for (const Wants& equal : by_rank(node, wants)) {
    for_each_element(equal, [&](unsigned row, unsigned to, unsigned) {
      if (output_of[row] || taken[to]) return;
      output_of[row] = to;
      taken[to] = true;
    });
  }
  if (first_diagonal) state.diagonal = (*first_diagonal + 1) % size;
  move_pairs(node, state, wants, output_of, result);
  return result;
}

ReferenceNetwork::SwitchMatch ReferenceNetwork::match_max_size(NodeId node, SwitchState& state,
                                                               const Wants& wants) const {
  SwitchMatch result;
  result.asked.resize(outputs());
  for (unsigned to = 0; to < outputs(); ++to) result.asked[to] = !asking(wants, std::nullopt, to).empty();
  if (std::ranges::count(result.asked, true) == 0) return result;
  std::vector<std::optional<unsigned>> output_of(inputs());
  std::vector<bool> taken(outputs());  // by flits of higher priorities
  for (const Wants& equal : by_rank(node, wants)) {
    std::vector<std::optional<unsigned>> input_of_output(outputs());
    std::vector<bool> visited(outputs());
    const std::function<bool(unsigned)> find = [&](unsigned input) {
      for (unsigned to = 0; to < outputs(); ++to) {
        if (taken[to] || visited[to] || asking(equal, input, to).empty()) continue;
        visited[to] = true;
        if (input_of_output[to] && !find(*input_of_output[to])) continue;
        input_of_output[to] = input;
        return true;
      }
      return false;
    };
    for (unsigned i = 0; i < inputs(); ++i) {
      visited.assign(outputs(), false);
      const unsigned input = (state.diagonal + i) % inputs();
      if (!output_of[input]) find(input);
    }
    for (unsigned to = 0; to < outputs(); ++to) {
      if (!input_of_output[to]) continue;
      output_of[*input_of_output[to]] = to;
      taken[to] = true;
    }
  }
  state.diagonal = (state.diagonal + 1) % inputs();
  move_pairs(node, state, wants, output_of, result);
  return result;
}

/// Every input with an output port picks one of its VCs that request it.
void ReferenceNetwork::move_pairs(NodeId node, SwitchState& state, const Wants& wants,
                                  const std::vector<std::optional<unsigned>>& output_of,
                                  SwitchMatch& match) const {
  for (unsigned input = 0; input < inputs(); ++input) {
    if (!output_of[input]) continue;
    const unsigned vc = pick_vc(node, state, input, asking(wants, input, output_of[input]));
    update_vc(state, vc);
    match.winners.push_back(vc);
  }
  match.picked = match.winners;
}

// --- Requests and winners --------------------------------------------------------------------------------

/// The front flit is usable for the first time, and no other is.
bool ReferenceNetwork::arrives_alone(const InputVc& input) const {
  return input.front_usable && input.fifo.front().arrival == now_;
}

void ReferenceNetwork::grant_to_winner(NodeId node, unsigned input_vc, unsigned port) {
  const std::vector<unsigned> admissible = admissible_vcs(*routers_[node].inputs[input_vc].request);
  std::vector<bool> eligible(vcs_of_port(port));
  for (const unsigned output_vc : admissible) {
    if (port_of_vc(output_vc) == port)
      eligible[output_vc - first_vc_of_port(port)] = is_eligible(node, output_vc, input_vc);
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

/// Flits that request output ports in this cycle, and why the others do not.
ReferenceNetwork::SwitchRequests ReferenceNetwork::switch_requests(NodeId node) {
  Router& router = routers_[node];
  const Speculation speculation = machine_.parts.speculation;
  SwitchRequests requests{Wants(vcs()), Wants(vcs()), std::vector<bool>(vcs())};
  auto& [wants, heads, can_leave] = requests;
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    InputVc& input = router.inputs[vc];
    if (!input.front_usable || is_routed(input)) continue;
    const bool fresh = input.output_vc && speculation != Speculation::none && input.switch_from == now_ + 1;
    if (!input.output_vc && machine_.parts.vc_allocator == VcAllocator::switch_winner) {
      request_as_late_head(node, vc, requests);
    } else if (!input.output_vc || fresh) {
      if (speculation != Speculation::none) request_as_head(node, vc, requests);
    } else if (now_ >= input.switch_from) {
      wants[vc] = request_of_flit(node, vc);
    }
  }
  // From here on they request outputs of the switch.
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    for (Wants* const some : {&wants, &heads}) {
      if ((*some)[vc]) (*some)[vc] = output_of(*(*some)[vc], vc);
    }
  }
  return requests;
}

/// With switch_winner: a head without an output VC.
void ReferenceNetwork::request_as_late_head(NodeId node, unsigned vc, SwitchRequests& requests) {
  Router& router = routers_[node];
  InputVc& input = router.inputs[vc];
  const Request& request = *input.request;
  const std::vector<unsigned> admissible = admissible_vcs(request);
  const auto eligible =
      std::ranges::find_if(admissible, [&](unsigned each) { return is_eligible(node, each, vc); });
  const bool able = eligible != admissible.end();
  const unsigned port = port_of_vc(able ? *eligible : admissible.front());
  requests.can_leave[vc] = able && can_take(node, port);
  input.late_port = port;
  if (able) input.stall = {StallCause::switch_lost, request.group, std::nullopt, std::nullopt, std::nullopt};
  if (requests.can_leave[vc] || machine_.parts.speculation != Speculation::none) {
    requests.heads[vc] = port;
  } else if (able) {
    input.stall->culprit = last_through(node, port);
  }
}

/// A head that speculates: it requested an output VC in this cycle, and may have been granted it.
void ReferenceNetwork::request_as_head(NodeId node, unsigned vc, SwitchRequests& requests) {
  InputVc& input = routers_[node].inputs[vc];
  if (!input.output_vc) {
    requests.heads[vc] = port_of_vc(admissible_vcs(*input.request).front());
    return;
  }
  const unsigned port = port_of_vc(*input.output_vc);
  requests.heads[vc] = port;
  const OutputVc& output = routers_[node].outputs[*input.output_vc];
  const bool has_slot = !is_link(port)
                            ? can_eject(node, port) && (!machine_.ejection_buffer || output.slots.usable > 0)
                        : machine_.parts.early_credits ? output.tracker.taken < machine_.buffer
                                                       : has_room(node, *input.output_vc);
  requests.can_leave[vc] = has_slot && can_take(node, port);
  input.stall = {StallCause::switch_lost, port, *input.output_vc - first_vc_of_port(port), std::nullopt,
                 std::nullopt};
}

/// The output port of a flit with an output VC, if it can leave by it.
std::optional<unsigned> ReferenceNetwork::request_of_flit(NodeId node, unsigned vc) {
  InputVc& input = routers_[node].inputs[vc];
  const unsigned port = port_of_vc(*input.output_vc);
  const unsigned vc_of_port = *input.output_vc - first_vc_of_port(port);
  if (is_link(port) && !has_room(node, *input.output_vc)) {
    input.stall = lack_of_room(node, *input.output_vc, 1);
    return std::nullopt;
  }
  if (!is_link(port) && machine_.ejection_buffer &&
      routers_[node].outputs[*input.output_vc].slots.usable == 0) {
    input.stall = full_ejection_buffer(node, *input.output_vc);
    return std::nullopt;
  }
  const bool ejects = is_link(port) || can_eject(node, port);
  input.stall = {ejects ? StallCause::switch_lost : StallCause::ejection_busy, port, vc_of_port, std::nullopt,
                 std::nullopt};
  if (!ejects) return std::nullopt;
  if (can_take(node, port)) return port;
  input.stall->culprit = last_through(node, port);
  return std::nullopt;
}

/// VCs that keep the switch win: the others do not request what these have.
std::vector<unsigned> ReferenceNetwork::keep_switch(NodeId node, SwitchRequests& requests) const {
  std::vector<unsigned> kept;
  std::ranges::copy_if(routers_[node].kept, std::back_inserter(kept),
                       [&](unsigned vc) { return requests.wants[vc].has_value(); });
  for (const unsigned holder : kept) {
    const unsigned to = *requests.wants[holder];
    for (unsigned vc = 0; vc < vcs(); ++vc) {
      for (Wants* const some : {&requests.wants, &requests.heads}) {
        if (input_of(vc) == input_of(holder) || (*some)[vc] == to) (*some)[vc].reset();
      }
    }
  }
  return kept;
}

/// With switch_winner: sets `moves`, and the input VCs that inputs of the switch picked.
void ReferenceNetwork::allocate_late(NodeId node, const SwitchRequests& requests, std::vector<bool>& moves,
                                     Wants& picked) {
  Router& router = routers_[node];
  const auto& [wants, heads, can_leave] = requests;
  Wants slow = wants;
  Wants slow_heads = heads;
  for (unsigned vc = 0; vc < vcs() && machine_.parts.bypass; ++vc) {
    if (!arrives_alone(router.inputs[vc])) continue;
    slow[vc].reset();
    slow_heads[vc].reset();
  }
  if (machine_.parts.speculation == Speculation::none) {
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
}

/// Flits with an output VC first, then heads that speculate: likewise.
void ReferenceNetwork::allocate_speculatively(NodeId node, const SwitchRequests& requests,
                                              std::vector<bool>& moves, Wants& picked) {
  Router& router = routers_[node];
  const Speculation speculation = machine_.parts.speculation;
  const auto& [wants, heads, can_leave] = requests;
  const Wants none(vcs());
  const SwitchMatch found = match(node, router.switch_state, wants, none);
  for (const unsigned vc : found.winners) moves[vc] = true;
  for (const unsigned vc : found.picked) picked[input_of(vc)] = vc;
  if (speculation == Speculation::none) return;
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

/// Whose flits the losers of the switch wait for.
void ReferenceNetwork::name_winners(NodeId node, const Wants& picked) {
  Router& router = routers_[node];
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    InputVc& input = router.inputs[vc];
    if (!input.stall || input.stall->cause != StallCause::switch_lost || input.stall->culprit) continue;
    unsigned winner = picked[input_of(vc)].value_or(vc);
    if (winner == vc) {
      for (const Winner& each : router.winners) {
        if (output_of(0, each.input_vc) != output_of(0, vc)) continue;
        const unsigned requested = input.output_vc ? input.stall->port : input.late_port;
        if (port_of_vc(each.output_vc) == requested) winner = each.input_vc;
      }
    }
    if (winner != vc) input.stall->culprit = router.inputs[winner].fifo.front().message->packet.id;
  }
}

// Stage 5.
void ReferenceNetwork::allocate_switch_by_parts(NodeId node) {
  Router& router = routers_[node];
  SwitchRequests requests = switch_requests(node);
  const auto asks = [](const std::optional<unsigned>& port) { return port.has_value(); };
  if (!machine_.parts.bypass && std::ranges::none_of(requests.wants, asks) &&
      std::ranges::none_of(requests.heads, asks)) {
    router.winners.clear();
    router.kept.clear();
    return;
  }
  for (unsigned vc = 0; vc < vcs(); ++vc) {
    InputVc& input = router.inputs[vc];
    const bool late = machine_.parts.vc_allocator == VcAllocator::switch_winner;
    const bool head = requests.heads[vc] && (late ? requests.can_leave[vc] : input.output_vc.has_value());
    input.takes_part = requests.wants[vc] || head;
  }
  const std::vector<unsigned> kept = keep_switch(node, requests);
  std::vector<bool> moves(vcs());
  Wants picked(inputs());  // input VC, by input of the switch
  if (machine_.parts.vc_allocator == VcAllocator::switch_winner) {
    allocate_late(node, requests, moves, picked);
  } else if (machine_.parts.speculation == Speculation::prioritised) {
    const SwitchMatch found = match_input_first(node, router.switch_state, requests.wants, requests.heads);
    for (const unsigned vc : found.picked) picked[input_of(vc)] = vc;
    for (const unsigned vc : found.winners) moves[vc] = requests.wants[vc] || requests.can_leave[vc];
  } else {
    allocate_speculatively(node, requests, moves, picked);
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
    if (input.takes_part) input.losses = moves[vc] ? 0 : input.losses + 1;
  }
  name_winners(node, picked);
}

}  // namespace flitscope::reference
