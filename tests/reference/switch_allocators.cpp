// Switch allocators of the reference model: "Router parts" of docs/timing.md.
#include <algorithm>
#include <functional>
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

unsigned ReferenceNetwork::pick_vc(NodeId node, const SwitchState& state, unsigned input,
                                   const std::vector<unsigned>& asking) const {
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
                                      const std::vector<unsigned>& asking) const {
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
    for (const unsigned vc : asking(wants, input, std::nullopt)) to[*wants[vc]] = true;
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
      const unsigned to = pick(state.accepts[input], offers[input]);
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
  for (unsigned i = 0; i < size; ++i) {
    const unsigned diagonal = (state.diagonal + i) % size;
    for (unsigned row = 0; row < inputs(); ++row) {
      const unsigned column = (diagonal + size - row) % size;
      if (column >= outputs()) continue;
      const unsigned to = column_port(column / speedup) * speedup + column % speedup;
      if (asking(wants, row, to).empty()) continue;
      result.asked[to] = true;
      if (!first_diagonal) first_diagonal = diagonal;
      if (output_of[row] || taken[to]) continue;
      output_of[row] = to;
      taken[to] = true;
    }
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
  std::vector<std::optional<unsigned>> input_of_output(outputs());
  std::vector<bool> visited(outputs());
  const std::function<bool(unsigned)> find = [&](unsigned input) {
    for (unsigned to = 0; to < outputs(); ++to) {
      if (visited[to] || asking(wants, input, to).empty()) continue;
      visited[to] = true;
      if (input_of_output[to] && !find(*input_of_output[to])) continue;
      input_of_output[to] = input;
      return true;
    }
    return false;
  };
  for (unsigned i = 0; i < inputs(); ++i) {
    visited.assign(outputs(), false);
    find((state.diagonal + i) % inputs());
  }
  state.diagonal = (state.diagonal + 1) % inputs();
  std::vector<std::optional<unsigned>> output_of(inputs());
  for (unsigned to = 0; to < outputs(); ++to) {
    if (input_of_output[to]) output_of[*input_of_output[to]] = to;
  }
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

}  // namespace flitscope::reference
