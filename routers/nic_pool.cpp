#include "routers/nic_pool.h"

namespace flitscope {

NicPool::NicPool(const MachineConfig& machine, MessageTable& messages, Agenda& agenda, RouterPool& routers)
    : messages_(messages),
      agenda_(agenda),
      routers_(routers),
      channels_(routers.channels()),
      all_port_(machine.ports == 0),
      startup_(machine.startup),
      slowdown_(machine.slowdown),
      channel_table_(std::size_t{routers.nodes()} * channels_),
      queues_(all_port_ ? channel_table_.size() : std::size_t{routers.nodes()}) {}

void NicPool::send(MessageSlot message, unsigned number, Cycle now) {
  const NodeId node = messages_[message].source;
  Queue& waiting = queue(node, number);
  if (waiting.front == kNoMessage) {
    waiting.front = message;
  } else {
    messages_[waiting.back].next = message;
  }
  waiting.back = message;

  // Wake the channels that could take it.
  const unsigned first = all_port_ ? number : 0;
  const unsigned last = all_port_ ? number : channels_ - 1;
  for (unsigned candidate = first; candidate <= last; ++candidate) {
    const InjectionChannel& state = channel(node, candidate);
    if (state.message != kNoMessage) continue;
    routers_.injecting(node) |= bit(candidate);
    agenda_.wake_at(node, std::max(state.due, now), now);
  }
}

void NicPool::step(NodeId node, Cycle now) {
  for_each_bit(routers_.injecting(node), [&](unsigned number) {
    InjectionChannel& state = channel(node, number);
    if (state.due > now) return;
    if (state.message == kNoMessage) take_message(node, number, state, now);
    if (state.message != kNoMessage && state.due <= now) put_flit(node, number, state, now);
  });
}

void NicPool::take_message(NodeId node, unsigned number, InjectionChannel& state, Cycle now) {
  Queue& waiting = queue(node, number);
  if (waiting.front == kNoMessage) {
    routers_.injecting(node) &= ~bit(number);
    return;
  }
  state.message = waiting.front;
  waiting.front = messages_[state.message].next;
  state.flits = messages_[state.message].flits;
  state.sent = 0;
  state.due = now + startup_;
  if (startup_ > 0) agenda_.wake_at(node, state.due, now);
}

void NicPool::put_flit(NodeId node, unsigned number, InjectionChannel& state, Cycle now) {
  const bool tail = state.sent + 1 == state.flits;
  if (!routers_.inject(node, number, state.back, state.message, state.sent, tail, now)) return;
  if (state.sent == 0) messages_[state.message].head_entered = now;
  ++state.sent;
  state.due = now + slowdown_;
  if (tail) state.message = kNoMessage;
  if (!tail || queue(node, number).front != kNoMessage) {
    agenda_.wake(node, state.due);
  } else {
    routers_.injecting(node) &= ~bit(number);
  }
}

}  // namespace flitscope
