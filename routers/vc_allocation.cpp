// Stage 4: routing and virtual-channel allocation.
#include "routers/router_pool.h"

namespace flitscope {

void RouterPool::allocate_vcs(std::byte* router, NodeId node, Cycle now) {
  RouterHeader& state = state_of(node);
  // Room for a whole message changes with every grant, so these heads are all asked again together.
  if (switching_ != Switching::wormhole) retry_heads(router, node, now);
  const std::uint64_t waiting = state.ready & ~state.active & ~state.no_vc;
  for_each_bit(waiting & ~state.routed, [&](unsigned vc) { route(router, node, vc); });

  const InputVc* const input = inputs(router);
  if ((waiting & (waiting - 1)) == 0) {
    grant_vcs(router, node, input[std::countr_zero(waiting)].group, waiting, now);
    return;
  }
  std::uint64_t groups = 0;
  std::array<std::uint64_t, kMostPorts> requests;
  for_each_bit(waiting, [&](unsigned vc) {
    const unsigned group = input[vc].group;
    if ((groups & bit(group)) == 0) requests[group] = 0;
    groups |= bit(group);
    requests[group] |= bit(vc);
  });
  for_each_bit(groups, [&](unsigned group) { grant_vcs(router, node, group, requests[group], now); });
}

void RouterPool::route(std::byte* router, NodeId node, unsigned vc) {
  InputVc& input = inputs(router)[vc];
  input.message = slots_[fifo_of(node, vc) + input.front].message();
  const RoutingDecision decision =
      routing_->decide(&coordinates_[std::size_t{node} * dimensions_], messages_[input.message].head);
  const bool ejects = decision.port == RoutingDecision::kEject;
  input.group = static_cast<std::uint8_t>(ejects ? link_ports_ : decision.port);
  input.channel_class = static_cast<std::uint8_t>(decision.channel_class);
  state_of(node).routed |= bit(vc);
}

std::uint64_t RouterPool::admissible_in_group(unsigned group, unsigned vc, const InputVc& input) const {
  if (group < link_ports_) return class_masks_[input.channel_class];
  // An all-port node ejects what came in through link port p by ejection channel p.
  return all_port_ ? bit(port_of_[vc]) : bit(channels_) - 1;
}

std::uint64_t RouterPool::admissible(NodeId node, unsigned vc) const {
  const InputVc& waiting = input(node, vc);
  return admissible_in_group(waiting.group, vc, waiting) << first_vc(waiting.group);
}

std::uint64_t RouterPool::with_room_for(std::byte* router, NodeId node, unsigned group, std::uint64_t vcs,
                                        MessageSlot message, Cycle now) {
  const Port& port = port_table(router)[group];
  const std::uint32_t length = receiver_length(node, group, port);
  const std::uint32_t last = messages_[message].flits - 1;
  std::uint64_t result = 0;
  for_each_bit(vcs, [&](unsigned vc) {
    const unsigned output = first_vc_of_[group] + vc;
    OutputVc at = outputs(router)[output];
    at.back = static_cast<std::uint32_t>((std::uint64_t{at.back} + last) % length);
    const std::uint64_t index = next_slot_index(port, group, output, at);
    if (slots_[index].usable(now)) {
      result |= bit(vc);
    } else {
      expect_credit(router, node, output, group, index);
    }
  });
  return result;
}

void RouterPool::grant_vcs(std::byte* router, NodeId node, unsigned group, std::uint64_t requests, Cycle now) {
  RouterHeader& state = state_of(node);
  InputVc* const input = inputs(router);
  Port& port = port_table(router)[group];
  const unsigned first = first_vc_of_[group];
  const unsigned width = group < link_ports_ ? vcs_ : channels_;
  const bool whole_message = switching_ != Switching::wormhole && group < link_ports_;

  const std::uint64_t from_pointer = requests >> port.next_request << port.next_request;
  unsigned next_request = port.next_request;
  bool granted_any = false;
  for (std::uint64_t pass : {from_pointer, requests & ~from_pointer}) {
    for_each_bit(pass, [&](unsigned vc) {
      const std::uint64_t admitted = admissible_in_group(group, vc, input[vc]);
      std::uint64_t free = admitted & ~(state.held >> first);
      const bool taken = free == 0;
      if (whole_message && !taken) free = with_room_for(router, node, group, free, input[vc].message, now);
      if (free == 0) {
        state.no_vc |= bit(vc);
        begin_stall(input[vc],
                    group >= link_ports_ ? StallCause::ejection_busy
                    : taken              ? StallCause::vc_taken
                                         : StallCause::no_credit,
                    now);
        return;
      }
      const unsigned granted = first_from(free, port.next_vc);
      port.next_vc = static_cast<std::uint8_t>(granted + 1 == width ? 0 : granted + 1);
      next_request = vc + 1 == input_vcs_ ? 0 : vc + 1;
      granted_any = true;
      state.held |= bit(first + granted);
      state.active |= bit(vc);
      outputs(router)[first + granted].owner = static_cast<std::uint8_t>(vc);
      input[vc].output = static_cast<std::uint8_t>(first + granted);
      ++port_table(router)[port_of_[first + granted]].messages;
    });
  }
  // A grant turns "no room for the whole message" into "taken" for the heads that were asked before it.
  if (whole_message && granted_any) retry_group(router, node, group, now + 1);
  port.next_request = static_cast<std::uint8_t>(next_request);
}

void RouterPool::retry_group(std::byte* router, NodeId node, unsigned group, Cycle from) {
  RouterHeader& state = state_of(node);
  for_each_bit(state.no_vc, [&](unsigned vc) {
    if (inputs(router)[vc].group != group) return;
    state.no_vc &= ~bit(vc);
    end_stall(router, node, vc, from);
  });
}

}  // namespace flitscope
