// All network interfaces of a network: their queues, and what one does in a cycle.
#pragma once

#include <vector>

#include "routers/agenda.h"
#include "routers/message_table.h"
#include "routers/router_pool.h"

namespace flitscope {

/// The sending side of the network interfaces (stage 7 of docs/timing.md). The receiving side takes a flit
/// whenever the ejection channel can move one, so it has no state.
class NicPool {
 public:
  NicPool(const MachineConfig& machine, MessageTable& messages, Agenda& agenda, RouterPool& routers);

  /// Queues a message whose record is complete. With `ports: all` it leaves by injection channel `channel`
  /// (its first link port); with `ports: k` the number is ignored.
  void send(MessageSlot message, unsigned channel, Cycle now);

  /// One network interface for one cycle; after its router's step.
  void step(NodeId node, Cycle now);

 private:
  struct InjectionChannel {
    Cycle due = 0;                  ///< nothing can be put before
    MessageSlot message = kNoMessage;  ///< under way; kNoMessage if idle
    std::uint32_t flits = 0;        ///< of that message
    std::uint32_t sent = 0;         ///< of these
    std::uint32_t back = 0;         ///< position in the router's FIFO
  };
  struct Queue {
    MessageSlot front = kNoMessage;
    MessageSlot back = kNoMessage;
  };

  [[nodiscard]] InjectionChannel& channel(NodeId node, unsigned number) {
    return channel_table_[std::size_t{node} * channels_ + number];
  }
  [[nodiscard]] Queue& queue(NodeId node, unsigned channel) {
    return all_port_ ? queues_[std::size_t{node} * channels_ + channel] : queues_[node];
  }
  void take_message(NodeId node, unsigned number, InjectionChannel& state, Cycle now);
  void put_flit(NodeId node, unsigned number, InjectionChannel& state, Cycle now);

  MessageTable& messages_;
  Agenda& agenda_;
  RouterPool& routers_;
  unsigned channels_;
  bool all_port_;
  Cycle startup_;
  std::uint32_t slowdown_;
  std::vector<InjectionChannel> channel_table_;
  std::vector<Queue> queues_;
};

}  // namespace flitscope
