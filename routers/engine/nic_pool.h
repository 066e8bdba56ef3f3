// All network interfaces of a network: their queues, and what one does in a cycle.
#pragma once

#include <algorithm>
#include <vector>

#include "routers/engine/agenda.h"
#include "routers/engine/message_table.h"
#include "routers/engine/prefetch.h"
#include "routers/engine/router_pool.h"

namespace flitscope {

/// The sending side of the network interfaces (stage 7 of docs/timing.md). The receiving side takes a flit
/// whenever the ejection channel can move one, so it has no state.
class NicPool final : public InjectionSide {
 public:
  NicPool(const MachineConfig& machine, MessageTable& messages, Agenda& agenda, RouterPool& routers);
  /// The network interfaces of some routers of the same network, for the thread that steps these.
  NicPool(const NicPool& whole, Agenda& agenda, RouterPool& routers);

  /// Queues a message whose record is complete. With `ports: all` it leaves by injection channel `number`
  /// (its first link port); with `ports: k` the number is ignored.
  void send(MessageSlot message, unsigned number, Cycle now);

  std::uint32_t step(NodeId node, std::uint32_t& injecting, Cycle now) override;
  void fetch(NodeId node, std::uint32_t injecting) const override;
  void report(NodeId node, std::uint32_t put, Cycle now, FlitObserver& observer) const override;
  [[nodiscard]] Cycle tail_due(NodeId node, unsigned number) const override;
  void resume(NodeId node, unsigned number, Cycle cycle) override;

 private:
  friend class FastForward;  // compares the whole state, and moves it on

  struct InjectionChannel {
    Cycle due = 0;            ///< nothing can be put before
    Slot* fifo = nullptr;     ///< the router's slots, once it has taken a message
    Slot next;                ///< flit to put next, of the message under way
    std::uint32_t back = 0;   ///< position to write next
    std::uint32_t flits = 0;  ///< left to put of the message under way; 0 if idle

    [[nodiscard]] bool idle() const { return flits == 0; }
  };
  /// Of a channel with several VCs.
  struct ChosenVc {
    std::uint8_t vc = 0;   ///< by which its last message goes, or went
    bool waiting = false;  ///< the head has it, and is not put yet
  };
  struct Queue {
    MessageSlot front = kNoMessage;
    MessageSlot back = kNoMessage;
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
  /// With `ports: k`, where any idle channel may take it.
  void send_by_any(NodeId node, MessageSlot message, Cycle now);
  void enqueue(Queue& waiting, MessageSlot message);
  [[nodiscard]] MessageSlot dequeue(Queue& waiting);
  /// Channel `number` may have something to do in `cycle`.
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
  // If channels have several VCs.
  SharedZeroed<ChosenVc> chosen_;      ///< by channel
  SharedZeroed<std::uint32_t> backs_;  ///< by VC of a channel: position to write next, where it is not in use
};

// Inline, because every message goes through it.

inline void NicPool::send(MessageSlot message, unsigned number, Cycle now) {
  const NodeId node = messages_[message].source;
  if (!all_port_) return send_by_any(node, message, now);
  // Which message a channel takes next is certain, so an idle one takes it ahead of time. Nor can the router
  // change before stage 7 whether the first flit finds a slot.
  InjectionChannel& state = channel(node, number);
  if (!state.idle()) return enqueue(queues_[std::size_t{node} * channels_ + number], message);
  take(node, number, state, message, std::max(state.due, now));
  // Whoever watches sees it where it belongs, after what the router does in this cycle.
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
