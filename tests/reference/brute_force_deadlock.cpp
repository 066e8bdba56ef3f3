#include "tests/reference/brute_force_deadlock.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>

namespace flitscope::reference {

std::vector<Waiting> blocked(const std::vector<Waiting>& waiting) {
  std::set<InputVcName> waits;
  for (const Waiting& one : waiting) {
    if (!one.alternatives.empty()) waits.insert(one.input_vc);
  }
  std::vector<Waiting> result;
  for (const Waiting& one : waiting) {
    if (!waits.contains(one.input_vc)) continue;
    const bool every_way_is_barred = std::ranges::all_of(one.alternatives, [&](const Alternative& required) {
      return std::ranges::any_of(required, [&](const InputVcName& other) { return waits.contains(other); });
    });
    if (every_way_is_barred) result.push_back(one);
  }
  return result;
}

std::set<InputVcName> brute_force_deadlocked(const std::vector<Waiting>& waiting) {
  const std::vector<Waiting> candidates = blocked(waiting);
  if (candidates.size() > kMaxBlocked) {
    throw std::length_error("too many blocked input VCs to try all sets of them");
  }

  // Bit i is candidate i, in sets of candidates and in requirements of their alternatives.
  std::vector<std::vector<std::uint32_t>> alternatives(candidates.size());
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (const Alternative& required : candidates[i].alternatives) {
      std::uint32_t& members = alternatives[i].emplace_back(0);
      for (std::size_t j = 0; j < candidates.size(); ++j) {
        if (std::ranges::count(required, candidates[j].input_vc) > 0) members |= std::uint32_t{1} << j;
      }
    }
  }
  std::uint32_t deadlocked = 0;
  for (std::uint32_t subset = 0; subset < (std::uint32_t{1} << candidates.size()); ++subset) {
    bool closed = true;
    for (std::size_t i = 0; closed && i < candidates.size(); ++i) {
      if ((subset >> i & 1) == 0) continue;
      closed = std::ranges::all_of(alternatives[i],
                                   [&](std::uint32_t members) { return (members & subset) != 0; });
    }
    if (closed) deadlocked |= subset;
  }

  std::set<InputVcName> result;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if ((deadlocked >> i & 1) != 0) result.insert(candidates[i].input_vc);
  }
  return result;
}

namespace {

/// Steps along hindrances from `start` to everything that can be reached, and to itself if it can come back.
std::map<InputVcName, std::size_t> distances(const Hindrances& hindrances, const InputVcName& start) {
  std::map<InputVcName, std::size_t> steps;
  std::set<InputVcName> reached{start};
  for (std::size_t step = 1; !reached.empty(); ++step) {
    std::set<InputVcName> next;
    for (const InputVcName& from : reached) {
      for (const InputVcName& to : hindrances.at(from)) {
        if (steps.emplace(to, step).second) next.insert(to);
      }
    }
    reached = next;
  }
  return steps;
}

}  // namespace

Hindrances hindrances(const std::vector<Waiting>& waiting, const std::set<InputVcName>& members) {
  Hindrances result;
  for (const Waiting& one : waiting) {
    if (!members.contains(one.input_vc)) continue;
    std::set<InputVcName>& hinder_it = result[one.input_vc];
    for (const Alternative& required : one.alternatives) {
      for (const InputVcName& other : required) {
        if (members.contains(other)) hinder_it.insert(other);
      }
    }
  }
  return result;
}

std::vector<std::set<InputVcName>> groups_in_cycles(const Hindrances& hindrances) {
  std::map<InputVcName, std::map<InputVcName, std::size_t>> reached;
  for (const auto& [start, others] : hindrances) reached[start] = distances(hindrances, start);
  std::vector<std::set<InputVcName>> groups;
  for (const auto& [start, from_start] : reached) {
    const InputVcName& one = start;
    if (!from_start.contains(one)) continue;
    if (std::ranges::any_of(groups, [&](const auto& group) { return group.contains(one); })) continue;
    std::set<InputVcName>& group = groups.emplace_back();
    for (const auto& [other, steps] : from_start) {
      if (reached.at(other).contains(one)) group.insert(other);
    }
  }
  return groups;
}

std::size_t shortest_cycle(const Hindrances& hindrances) {
  std::size_t shortest = 0;
  for (const auto& [start, others] : hindrances) {
    const auto steps = distances(hindrances, start);
    const auto back = steps.find(start);
    if (back != steps.end() && (shortest == 0 || back->second < shortest)) shortest = back->second;
  }
  return shortest;
}

bool is_dependency_cycle(const Hindrances& hindrances, const std::vector<InputVcName>& members) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto found = hindrances.find(members[i]);
    if (found == hindrances.end() || !found->second.contains(members[(i + 1) % members.size()])) return false;
  }
  return !members.empty() && std::set(members.begin(), members.end()).size() == members.size();
}

namespace {

/// A VC of a link: channel * V + vc.
using Vc = std::uint32_t;

struct MessageState {
  /// VCs that it was granted, in order.
  std::vector<Vc> way;
  /// By flit: how many of these VCs it has gone through or into; one more: delivered.
  std::vector<std::uint8_t> place;
};

struct State {
  std::vector<MessageState> messages;
  /// By VC: the messages that have flits behind it, in the order in which they came.
  std::map<Vc, std::vector<std::uint8_t>> fifo;
};

class Explorer {
 public:
  Explorer(const Topology& topology, const MachineConfig& machine, const std::vector<Flow>& messages,
           std::uint32_t flits)
      : topology_(topology),
        machine_(machine),
        flits_(flits),
        messages_(messages),
        routing_(RoutingRegistry::find(machine.routing)->make(topology)),
        masks_(class_masks(routing_->classes(), machine.virtual_channels)) {
    routing_->build_tables();
    for (const Flow& flow : messages) {
      Head& head = heads_.emplace_back();
      head.destination = flow.destination;
      head.route = flow.route;
      routing_->prepare(head, flow.source);
    }
  }

  Reached explore(std::size_t max_states) {
    State start;
    start.messages.resize(messages_.size());
    for (MessageState& message : start.messages) message.place.assign(flits_, 0);
    std::unordered_set<std::string> seen{key(start)};
    std::vector<State> open{std::move(start)};
    while (!open.empty()) {
      const State state = std::move(open.back());
      open.pop_back();
      const std::vector<State> next = successors(state);
      if (next.empty() && !finished(state)) return Reached::deadlock;
      for (const State& each : next) {
        if (seen.insert(key(each)).second) open.push_back(each);
      }
      if (seen.size() > max_states) return Reached::unknown;
    }
    return Reached::none;
  }

 private:
  [[nodiscard]] static std::string key(const State& state) {
    std::string text;
    for (const MessageState& message : state.messages) {
      for (const Vc vc : message.way) text += static_cast<char>(vc + 1);
      text += '\0';
      for (const std::uint8_t place : message.place) text += static_cast<char>(place);
    }
    for (const auto& [vc, queue] : state.fifo) {
      if (queue.size() < 2) continue;
      text += static_cast<char>(vc);
      for (const std::uint8_t message : queue) text += static_cast<char>(message);
      text += '\0';
    }
    return text;
  }

  [[nodiscard]] bool finished(const State& state) const {
    return std::ranges::all_of(state.messages, [](const MessageState& message) {
      return message.place.back() == message.way.size() + 1;
    });
  }

  [[nodiscard]] NodeId end(Vc vc) const {
    const ChannelId channel = vc / machine_.virtual_channels;
    return topology_.neighbour(topology_.channel_node(channel), topology_.channel_port(channel)).value();
  }
  [[nodiscard]] unsigned port(Vc vc) const { return topology_.channel_port(vc / machine_.virtual_channels); }

  /// A VC is held from the grant until the tail has gone through it.
  [[nodiscard]] static bool held(const State& state, Vc vc) {
    return std::ranges::any_of(state.messages, [&](const MessageState& message) {
      for (std::size_t i = 0; i < message.way.size(); ++i) {
        if (message.way[i] == vc && message.place.back() <= i) return true;
      }
      return false;
    });
  }

  /// Flits behind a VC.
  [[nodiscard]] static std::uint32_t taken(const State& state, Vc vc) {
    std::uint32_t flits = 0;
    for (const MessageState& message : state.messages) {
      for (std::size_t i = 0; i < message.way.size(); ++i) {
        if (message.way[i] == vc)
          flits += static_cast<std::uint32_t>(std::ranges::count(message.place, i + 1));
      }
    }
    return flits;
  }

  /// Where flits that have gone through `place` VCs are, and whether this message is first in that buffer.
  [[nodiscard]] static bool at_front(const State& state, std::size_t number, std::size_t place) {
    if (place == 0) return true;
    return state.fifo.at(state.messages[number].way[place - 1]).front() == number;
  }

  [[nodiscard]] std::vector<Candidate> candidates(const MessageState& message, std::size_t number) const {
    Arrival arrival{static_cast<std::uint8_t>(topology_.link_ports()), 0};
    NodeId node = messages_[number].source;
    if (!message.way.empty()) {
      const Vc vc = message.way.back();
      node = end(vc);
      arrival.port = static_cast<std::uint8_t>(port(vc));
      while ((masks_[arrival.channel_class] >> (vc % machine_.virtual_channels) & 1) == 0)
        ++arrival.channel_class;
    }
    std::vector<Candidate> result;
    routing_->add_candidates(node, arrival, heads_[number], result);
    return result;
  }

  [[nodiscard]] std::uint32_t room_needed(const MessageState& message, Vc vc) const {
    if (machine_.vc_allocation == VcAllocation::atomic) return machine_.buffer;
    if (machine_.switching == Switching::wormhole) return 0;
    const bool stays = !message.way.empty() && port(message.way.back()) == port(vc);
    return machine_.flow == FlowControl::bubble && !stays ? 2 * flits_ : flits_;
  }

  [[nodiscard]] std::vector<State> successors(const State& state) const {
    std::vector<State> result;
    for (std::size_t number = 0; number < messages_.size(); ++number) {
      const MessageState& message = state.messages[number];
      const std::size_t head = message.place.front();
      if (head == message.way.size()) add_grants(state, number, result);
      for (std::size_t flit = 0; flit < flits_; ++flit) {
        const std::size_t place = message.place[flit];
        // The foremost flit of those that are in one place.
        if (flit > 0 && message.place[flit - 1] == place) continue;
        if (place <= message.way.size()) add_move(state, number, flit, result);
      }
    }
    return result;
  }

  void add_grants(const State& state, std::size_t number, std::vector<State>& result) const {
    const MessageState& message = state.messages[number];
    const std::size_t place = message.place.front();
    const bool arrived = place > 0 && end(message.way.back()) == messages_[number].destination;
    if (arrived || !at_front(state, number, place)) return;
    if (machine_.switching == Switching::store_and_forward && message.place.back() != place) return;
    NodeId node = place == 0 ? messages_[number].source : end(message.way.back());
    for (const Candidate& candidate : candidates(message, number)) {
      for (unsigned v = 0; v < machine_.virtual_channels; ++v) {
        if ((masks_[candidate.channel_class] >> v & 1) == 0) continue;
        const Vc vc =
            static_cast<Vc>(topology_.channel(node, candidate.port)) * machine_.virtual_channels + v;
        if (held(state, vc) || machine_.buffer - taken(state, vc) < room_needed(message, vc)) continue;
        result.push_back(state);
        result.back().messages[number].way.push_back(vc);
      }
    }
  }

  void add_move(const State& state, std::size_t number, std::size_t flit, std::vector<State>& result) const {
    const MessageState& message = state.messages[number];
    const std::size_t place = message.place[flit];
    if (!at_front(state, number, place)) return;
    const bool leaves = place == message.way.size();
    if (leaves) {
      if (place == 0 || end(message.way.back()) != messages_[number].destination) return;
      const bool stored =
          machine_.switching != Switching::store_and_forward || flit > 0 || message.place.back() == place;
      if (!stored) return;
    } else if (taken(state, message.way[place]) == machine_.buffer) {
      return;
    }
    State& next = result.emplace_back(state);
    ++next.messages[number].place[flit];
    const bool last = flit + 1 == flits_;
    if (!leaves && flit == 0) next.fifo[message.way[place]].push_back(static_cast<std::uint8_t>(number));
    if (place > 0 && last) {
      auto& queue = next.fifo[message.way[place - 1]];
      queue.erase(queue.begin());
    }
  }

  Topology topology_;
  MachineConfig machine_;
  std::uint32_t flits_;
  std::vector<Flow> messages_;
  std::unique_ptr<RoutingFunction> routing_;
  std::vector<std::uint64_t> masks_;
  std::vector<Head> heads_;
};

}  // namespace

Reached explore(const Topology& topology, const MachineConfig& machine, const std::vector<Flow>& messages,
                std::uint32_t flits, std::size_t max_states) {
  return Explorer(topology, machine, messages, flits).explore(max_states);
}

}  // namespace flitscope::reference
