// All network interfaces of a network: their queues, and the step of one in a cycle.
#pragma once

#include <algorithm>
#include <vector>

#include "routers/engine/agenda.h"
#include "routers/engine/message_table.h"
#include "routers/engine/prefetch.h"
#include "routers/engine/router_pool.h"
#include "routers/engine/waiting_messages.h"

namespace flitscope {

/// The sending side of the network interfaces (stage 7 of docs/timing.md). The receiving side takes a flit
/// whenever the ejection channel can move one, so it has no state.
class NicPool final : public InjectionSide {
 public:
  NicPool(const MachineConfig& machine, MessageTable& messages, Agenda& agenda, RouterPool& routers);
  /// The network interfaces of some routers of the same network, for the thread that steps these.
  NicPool(const NicPool& whole, Agenda& agenda, RouterPool& routers);

  /// A record for a message of node `source`, ready to travel.
  [[nodiscard]] MessageSlot open(NodeId source, const NewMessage& message);
  /// Queues a message of `node` in the present cycle, message.ready. With `ports: all` it leaves by the
  /// injection channel of the link port that it takes first.
  void send(NodeId node, const NewMessage& message);
  /// Opens records for the next messages, after all interfaces have been stepped.
  void open_next();
  /// Takes the messages of a part for open_next().
  void merge(NicPool& part);

  std::uint32_t step(NodeId node, std::uint32_t& injecting, Cycle now) override;
  void fetch(NodeId node, std::uint32_t injecting) const override;
  void report(NodeId node, std::uint32_t put, Cycle now, FlitObserver& observer) const override;
  [[nodiscard]] Cycle tail_due(NodeId node, unsigned number) const override;
  void resume(NodeId node, unsigned number, Cycle cycle) override;

 private:
  friend class FastForward;  // compares the whole state, and moves it on

  struct InjectionChannel {
    Cycle due = 0;            ///< first cycle of the next flit
    Slot* fifo = nullptr;     ///< the router's slots, set with the first message
    Slot next;                ///< flit to put next, of the message under way
    std::uint32_t back = 0;   ///< position to write next
    std::uint32_t flits = 0;  ///< left to put of the message under way; 0 if idle

    [[nodiscard]] bool idle() const { return flits == 0; }
  };
  /// Of a channel with several VCs.
  struct ChosenVc {
    std::uint8_t vc = 0;   ///< of its last message
    bool waiting = false;  ///< the head has a VC and is not put yet
  };
  /// Messages with a record, between two cycles as many as can start in one; then those without.
  struct Queue {
    MessageSlot front = 0;  ///< if any is open
    MessageSlot back = 0;
    std::uint32_t open = 0;  ///< with a record
    WaitingMessages::Line others;

    [[nodiscard]] bool empty() const { return open + others.length == 0; }
  };
  struct Channel {
    NodeId node = 0;
    unsigned number = 0;
  };

  [[nodiscard]] InjectionChannel& channel(NodeId node, unsigned number) {
    return channel_table_[std::size_t{node} * channels_ + number];
  }
  [[nodiscard]] const InjectionChannel& channel(NodeId node, unsigned number) const {
    return channel_table_[std::size_t{node} * channels_ + number];
  }
  [[nodiscard]] Queue& queue(NodeId node, unsigned channel) {
    return all_port_ ? queues_[std::size_t{node} * channels_ + channel] : queues_[node];
  }
  [[nodiscard]] MessageSlot open(NodeId source, const NewMessage& message, const Head& head, Candidate first);
  /// With `ports: k`, where any idle channel may take it.
  void send_by_any(NodeId node, const NewMessage& message);
  void enqueue(NodeId node, Queue& queue, const NewMessage& message);
  void enqueue_open(Queue& queue, MessageSlot message);
  [[nodiscard]] MessageSlot dequeue(NodeId node, unsigned number);
  /// Wakes channel `number` in `cycle`.
  void look_at(NodeId node, unsigned number, Cycle cycle, Cycle now);
  /// Channel `number` takes a message in `cycle`.
  void take(NodeId node, unsigned number, InjectionChannel& state, MessageSlot message, Cycle cycle);
  bool take_oldest(NodeId node, unsigned number, InjectionChannel& state, Cycle now);
  void choose_vc(NodeId node, unsigned number, InjectionChannel& state, Cycle now);
  void put_flit(InjectionChannel& state, Cycle now);
  [[nodiscard]] bool stand(NodeId node, unsigned number, InjectionChannel& state, Cycle now);
  bool take_next(NodeId node, unsigned number, InjectionChannel& state, Cycle now);

  MessageTable& messages_;
  Agenda& agenda_;
  RouterPool& routers_;
  unsigned channels_;
  unsigned vcs_;  ///< of a channel
  bool all_port_;
  Cycle startup_;
  std::uint32_t pace_;
  std::uint32_t router_delay_;
  std::uint32_t buffer_;
  SharedZeroed<InjectionChannel> channel_table_;  ///< by node and channel
  SharedZeroed<Queue> queues_;                    ///< by node, and by channel if each has its own
  WaitingMessages waiting_;                       ///< in queues_
  std::vector<Channel> taken_;                    ///< channels that have taken a message in this cycle
  // If channels have several VCs.
  SharedZeroed<ChosenVc> chosen_;      ///< by channel
  SharedZeroed<std::uint32_t> backs_;  ///< by VC of a channel: position to write next, while not in use
};

// Inline, since every message uses it.

inline MessageSlot NicPool::open(NodeId source, const NewMessage& message, const Head& head,
                                 Candidate first) {
  const MessageSlot slot = messages_.open();
  MessageRecord& record = messages_[slot];
  record.head = head;
  record.first = first;
  record.flits = message.flits;
  record.message_class = message.message_class;
  record.id = message.id;
  record.source = source;
  record.step = message.step;
  record.ready = message.ready;
  record.head_entered = message.ready;
  return slot;
}

[[gnu::always_inline]] inline void NicPool::send(NodeId node, const NewMessage& message) {
  if (!all_port_) return send_by_any(node, message);
  const Cycle now = message.ready;
  const Head head = routers_.head_of(node, message.destination, message.route);
  const Candidate first = routers_.first_candidate(node, head);
  const unsigned number = first.port;
  routers_.prefetch_head(node, number, first);
  // An idle channel takes its next message ahead of time, since the choice is certain. The router cannot
  // change before stage 7 whether the first flit finds a slot.
  InjectionChannel& state = channel(node, number);
  if (!state.idle()) return enqueue(node, queue(node, number), message);
  take(node, number, state, open(node, message, head, first), std::max(state.due, now));
  // With an observer it is put in stage 7, so that calls are in order.
  const bool later = vcs_ > 1 || routers_.observer(node) != nullptr;
  if (later || state.due > now || !state.fifo[state.back].usable(now)) {
    return look_at(node, number, state.due, now);
  }
  put_flit(state, now);
  routers_.inject(node, 1U << number);
  if (!state.idle()) look_at(node, number, state.due, now);
}

inline void NicPool::look_at(NodeId node, unsigned number, Cycle cycle, Cycle now) {
  routers_.injecting(node) |= 1U << number;
  agenda_.wake_at(node, cycle, now);
}

inline void NicPool::take(NodeId node, unsigned number, InjectionChannel& state, MessageSlot message,
                          Cycle cycle) {
  if (state.fifo == nullptr) state.fifo = routers_.injection_fifo(node, number, 0);
  state.flits = messages_[message].flits;
  state.next = Slot::flit(message, 0, true, state.flits == 1);
  state.due = cycle + startup_;
}

inline void NicPool::put_flit(InjectionChannel& state, Cycle now) {
  const Slot flit = state.next;
  state.fifo[state.back] = flit;
  state.back = position_behind(state.back, buffer_);
  state.due = now + pace_;
  --state.flits;
  state.next = flit.following(state.flits == 1);
  if (flit.head()) messages_[flit.message()].head_entered = now;
}

}  // namespace flitscope
