#include "routers/engine/nic_pool.h"

namespace flitscope {

NicPool::NicPool(const MachineConfig& machine, MessageTable& messages, Agenda& agenda, RouterPool& routers)
    : messages_(messages),
      agenda_(agenda),
      routers_(routers),
      channels_(routers.channels()),
      vcs_(routers.node_vcs()),
      all_port_(!machine.ports.has_value()),
      startup_(machine.startup),
      pace_(machine.injection_interval),
      router_delay_(machine.router_delay),
      buffer_(routers.buffer()),
      channel_table_(zeroed<InjectionChannel>(std::size_t{routers.nodes()} * channels_)) {
  queues_ = zeroed<Queue>(std::size_t{routers.nodes()} * (all_port_ ? channels_ : 1));
  if (vcs_ > 1) {
    chosen_ = zeroed<ChosenVc>(std::size_t{routers.nodes()} * channels_);
    backs_ = zeroed<std::uint32_t>(std::size_t{routers.nodes()} * channels_ * vcs_);
  }
}

NicPool::NicPool(const NicPool& whole, Agenda& agenda, RouterPool& routers)
    : messages_(whole.messages_),
      agenda_(agenda),
      routers_(routers),
      channels_(whole.channels_),
      vcs_(whole.vcs_),
      all_port_(whole.all_port_),
      startup_(whole.startup_),
      pace_(whole.pace_),
      router_delay_(whole.router_delay_),
      buffer_(whole.buffer_),
      channel_table_(whole.channel_table_),
      queues_(whole.queues_),
      chosen_(whole.chosen_),
      backs_(whole.backs_) {}

MessageSlot NicPool::open(NodeId source, const NewMessage& message) {
  const Head head = routers_.head_of(source, message.destination, message.route);
  return open(source, message, head, routers_.first_candidate(source, head));
}

void NicPool::send_by_any(NodeId node, const NewMessage& message) {
  enqueue(node, queues_[node], message);
  const Cycle now = message.ready;
  for (unsigned candidate = 0; candidate < channels_; ++candidate) {
    const InjectionChannel& state = channel(node, candidate);
    if (state.idle()) look_at(node, candidate, std::max(state.due, now), now);
  }
}

void NicPool::enqueue(NodeId node, Queue& queue, const NewMessage& message) {
  const std::uint32_t taken_in_a_cycle = all_port_ ? 1 : channels_;
  if (queue.open == taken_in_a_cycle) return waiting_.append(queue.others, message);
  enqueue_open(queue, open(node, message));
}

void NicPool::enqueue_open(Queue& queue, MessageSlot message) {
  if (queue.open == 0) queue.front = message;
  if (queue.open != 0) messages_[queue.back].next = message;
  queue.back = message;
  ++queue.open;
}

/// Requires that there is one.
inline MessageSlot NicPool::dequeue(NodeId node, unsigned number) {
  Queue& queue = this->queue(node, number);
  const MessageSlot message = queue.front;
  queue.front = messages_[message].next;
  --queue.open;
  // Threads share the table of messages, and only one of them may open any.
  if (queue.others.length != 0) taken_.push_back({node, number});
  return message;
}

void NicPool::open_next() {
  for (const auto [node, number] : taken_) {
    Queue& queue = this->queue(node, number);
    if (queue.others.length != 0) enqueue_open(queue, open(node, waiting_.take_first(queue.others)));
  }
  taken_.clear();
}

void NicPool::merge(NicPool& part) {
  taken_.insert(taken_.end(), part.taken_.begin(), part.taken_.end());
  part.taken_.clear();
}

std::uint32_t NicPool::step(NodeId node, std::uint32_t& injecting, Cycle now) {
  InjectionChannel* const channels = &channel(node, 0);
  std::uint32_t put = 0;
  for_each_bit(injecting, [&](unsigned number) {
    InjectionChannel& state = channels[number];
    if (state.due > now) return;
    if (state.idle() && !take_oldest(node, number, state, now)) return;
    if (vcs_ > 1 && state.next.head()) choose_vc(node, number, state, now);
    const Slot slot = state.fifo[state.back];
    if (!slot.usable(now)) return routers_.await_injection_slot(node, number, slot);
    put |= 1U << number;
    put_flit(state, now);
    if (state.flits >= routers_.standing().min_stream_length() && stand(node, number, state, now)) {
      injecting &= ~(1U << number);
    }
    if (state.idle() && !take_next(node, number, state, now)) injecting &= ~(1U << number);
  });
  // Flits that were put wake the node a router delay later.
  if ((put & injecting) != 0 && pace_ != router_delay_) agenda_.wake_at(node, now + pace_, now);
  return put;
}

/// The VC of a message is chosen when its head may be put for the first time.
[[gnu::noinline]] void NicPool::choose_vc(NodeId node, unsigned number, InjectionChannel& state, Cycle now) {
  const std::size_t row = std::size_t{node} * channels_ + number;
  ChosenVc& chosen = chosen_[row];
  std::uint32_t* const backs = &backs_[row * vcs_];
  if (!chosen.waiting) {
    backs[chosen.vc] = state.back;
    unsigned vc = chosen.vc;
    for (unsigned tried = 0; tried < vcs_; ++tried) {
      vc = vc + 1 == vcs_ ? 0 : vc + 1;
      if (routers_.injection_fifo(node, number, vc)[backs[vc]].usable(now)) break;
    }
    chosen.vc = static_cast<std::uint8_t>(vc);
    state.fifo = routers_.injection_fifo(node, number, vc);
    state.back = backs[vc];
    routers_.choose_injection_vc(node, number, vc);
  }
  chosen.waiting = !state.fifo[state.back].usable(now);
}

/// Returns whether the channel stands from now on: it puts a flit in every cycle.
[[gnu::noinline]] bool NicPool::stand(NodeId node, unsigned number, InjectionChannel& state, Cycle now) {
  if (pace_ != 1 || !state.next.body() || !routers_.can_stand()) return false;
  Standing& standing = routers_.standing();
  if (!standing.injection_may_stand(node, number, state.back, now)) return false;
  standing.injection_stands(node, number, state.next, now);
  agenda_.wake_at(node, tail_due(node, number), now);
  return true;
}

Cycle NicPool::tail_due(NodeId node, unsigned number) const {
  const InjectionChannel& state = channel(node, number);
  return state.due + state.flits - 1;
}

void NicPool::resume(NodeId node, unsigned number, Cycle cycle) {
  InjectionChannel& state = channel(node, number);
  const Cycle passed = cycle - state.due;
  state.due = cycle;
  state.flits -= static_cast<std::uint32_t>(passed);
  const Slot last_put = state.next.later(passed - 1);
  state.next = last_put.following(state.flits == 1);
  routers_.injecting(node) |= 1U << number;
  const auto counted = static_cast<std::uint32_t>((state.back + passed) % buffer_);
  state.back = routers_.standing().injection_resumes(node, number, state.next, counted, passed, cycle);
}

void NicPool::fetch(NodeId node, std::uint32_t injecting) const {
  for_each_bit(injecting, [&](unsigned number) { prefetch(&channel(node, number)); });
}

void NicPool::report(NodeId node, std::uint32_t put, Cycle now, FlitObserver& observer) const {
  for_each_bit(put, [&](unsigned number) {
    const InjectionChannel& state = channel(node, number);
    const Slot flit = state.fifo[state.back == 0 ? buffer_ - 1 : state.back - 1];
    observer.injected(now, node, number, messages_[flit.message()].id, flit.index(), flit.tail());
  });
}

/// The tail was put. Returns whether another message waits for the channel.
inline bool NicPool::take_next(NodeId node, unsigned number, InjectionChannel& state, Cycle now) {
  if (queue(node, number).empty()) return false;
  if (all_port_) {
    take(node, number, state, dequeue(node, number), state.due);
    agenda_.wake_at(node, state.due, now);
  }
  return true;
}

/// With `ports: k` a channel takes the node's oldest message. Returns whether its head may be put at once.
bool NicPool::take_oldest(NodeId node, unsigned number, InjectionChannel& state, Cycle now) {
  if (queue(node, number).empty()) {
    routers_.injecting(node) &= ~(1U << number);
    return false;
  }
  const MessageSlot message = dequeue(node, number);
  take(node, number, state, message, now);
  routers_.prefetch_head(node, number, messages_[message].first);
  if (startup_ == 0) return true;
  agenda_.wake_at(node, state.due, now);
  return false;
}

}  // namespace flitscope
