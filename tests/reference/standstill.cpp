// The end of a run of the reference model: whether anything still moves, and for what the flits wait.
#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "tests/reference/reference_network.h"

namespace flitscope::reference {

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
        if (injector.message == nullptr || now_ == 0 || machine_.read_intervals.empty()) continue;
        const Ratio interval = machine_.read_interval(static_cast<NodeId>(&router - routers_.data()),
                                                      injector.message->packet.message_class);
        if (injector.free_parts >= now_ * interval.denominator()) return true;
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
      return alternatives_of_reply(node, output.buffer.front().reply.value());
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
      const unsigned output_vc = first_vc_of_port(links_) + vc;
      const OutputVc& output = router.outputs[output_vc];
      if (output.holder) {
        result.push_back({{node, *output.holder}});
        continue;
      }
      if (machine_.requests && output.is_full) {
        const std::vector<Alternative> answers = alternatives_of_answers(node, output);
        if (answers.empty()) return {};
        result.insert(result.end(), answers.begin(), answers.end());
        continue;
      }
      const bool lacks_slot = machine_.parts.vc_allocator == VcAllocator::switch_winner &&
                              machine_.ejection_buffer && !output.is_held(now_) && output.slots.usable == 0;
      if (!lacks_slot || full_ejection_buffer(node, output_vc).cause != StallCause::nic_full) return {};
      const std::vector<Alternative> replies = alternatives_of_reply(node, *output.buffer.front().reply);
      if (replies.empty()) return {};
      result.insert(result.end(), replies.begin(), replies.end());
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

// A reply to one of the requests in work must be put.
std::vector<Alternative> ReferenceNetwork::alternatives_of_answers(NodeId node,
                                                                   const OutputVc& output) const {
  const Router& router = routers_[node];
  std::vector<Alternative> result;
  for (const std::uint64_t request : output.requests) {
    const auto answers = [&](const MessageState* message) {
      return message != nullptr && message->packet.answers == request;
    };
    std::vector<std::pair<unsigned, unsigned>> injectors;  // channel, and queue there
    for (unsigned e = 0; e < channels_; ++e) {
      for (unsigned queue = 0; queue < router.channels[e].injectors.size(); ++queue) {
        if (answers(router.channels[e].injectors[queue].message)) injectors.emplace_back(e, queue);
      }
    }
    if (const auto waiting = std::ranges::find_if(router.queue, answers); waiting != router.queue.end()) {
      const std::uint32_t message_class = (*waiting)->packet.message_class;
      for (unsigned e = 0; e < channels_; ++e) {
        if (machine_.ports ? is_of_network(e, message_class) : (*waiting)->first_port == e)
          injectors.emplace_back(e, queue_of(message_class));
      }
    }
    if (injectors.empty()) {
      const auto found = without_room_.find(request);
      if (found == without_room_.end()) return {};
      const std::vector<Alternative> before_room = alternatives_of_reply(node, found->second);
      if (before_room.empty()) return {};
      result.insert(result.end(), before_room.begin(), before_room.end());
    }
    for (const auto& [e, queue] : injectors) {
      const Injector& injector = router.channels[e].injectors[queue];
      if (injector.message == nullptr || !injector.vc_known) return {};
      const unsigned vc = queue * machine_.node_vcs + injector.vc;
      const Slots& slots = router.channels[e].slots[vc];
      if (slots.usable > 0 || !slots.returning.empty()) return {};
      result.push_back({{node, first_vc_of_port(links_ + e) + vc}});
    }
  }
  return result;
}

}  // namespace flitscope::reference
