#include "tests/reference/brute_force_deadlock.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

namespace flitscope::reference {

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
