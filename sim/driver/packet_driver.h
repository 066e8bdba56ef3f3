// Packets: a driver between a driver of messages and the network. docs/timing.md, "Packets", defines it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "model/machine.h"
#include "routers/routing/routing.h"
#include "sim/driver/collective_driver.h"
#include "sim/network/transport.h"

namespace flitscope {

/// How messages become packets.
struct PacketFormat {
  std::uint32_t payload_flits = 1;  ///< data of a packet, at least 1
  std::uint32_t head_flits = 0;     ///< before the data
  /// A channel sends packets of its messages in turn, not message by message.
  bool interleaved = false;

  /// Packets of a message with so many flits of data.
  [[nodiscard]] std::uint64_t packets(std::uint64_t flits) const {
    return (flits + payload_flits - 1) / payload_flits;
  }
  /// Flits of all of these.
  [[nodiscard]] std::uint64_t sent_flits(std::uint64_t flits) const {
    return flits + packets(flits) * head_flits;
  }
};

/// Sends the messages of a driver as packets, and tells it that a message is delivered when the last of its
/// packets is. The network's machine has no startup: this pays it, once a message. With finite ends the
/// network's queues and buffers are those of packets, and messages wait here.
///
/// Packet p, from 0, of message 3.5 is called 3.(5 + p * stride).
class PacketDriver final : public RelayDriver {
 public:
  /// All must outlive it. `machine` is that of the messages, with their startup; `stride`: more than the
  /// places of the driver's messages in one step, or than it has messages of one step in the network at a
  /// time.
  PacketDriver(Driver& messages, const PacketFormat& format, const Topology& topology,
               const MachineConfig& machine, std::uint64_t stride);

  /// Called for each packet that arrives; it is ready when its message was handed over.
  void on_packet(std::function<void(const ArrivedMessage&)> callback) { on_packet_ = std::move(callback); }

  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override;
  [[nodiscard]] Cycle next_event() const override;
  void at(Transport& network, Cycle now) override;
  void can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle now) override;
  [[nodiscard]] bool finished() const override { return inner().finished() && unsent_ == 0; }

  struct Counts {
    std::uint64_t packets = 0;
    std::uint64_t flits = 0;       ///< with the head flits
    std::uint64_t messages = 0;    ///< handed over, or complete
    std::uint64_t data_flits = 0;  ///< of these messages
  };
  [[nodiscard]] const Counts& sent() const { return sent_; }
  [[nodiscard]] const Counts& arrived() const { return arrived_; }

 private:
  struct InFlight {
    Packet whole;
    Cycle ready = 0;
    std::uint64_t packets = 1;
    std::uint64_t sent = 0;
    std::uint64_t arrived = 0;
    Delivery first{.head_entered = kNever};  ///< packet whose head entered first: it is the message's
    std::uint64_t last = 0;  ///< packet that is in the ejection buffer until the message is taken
  };
  /// The part of an injection channel that makes packets of messages.
  struct Sender {
    Cycle busy_until = 0;
    bool is_due = false;                   ///< has an entry in due_
    std::optional<std::uint64_t> message;  ///< in its startup, or without room for its next packet
  };
  /// Senders that take the same messages: the one of a port, or all of a node.
  struct Queue {
    std::deque<std::uint64_t> waiting;
    std::uint32_t untaken = 0;  ///< of these, messages that no sender has taken yet
    std::vector<Sender> senders;
  };

  void send(const Packet& message) override;
  [[nodiscard]] bool can_send(NodeId node, std::uint32_t message_class) const override;
  void take(std::uint64_t id) override;
  void wait_to_send(std::uint64_t id, std::optional<std::uint32_t> reply) override;
  /// Whether as many messages of a node wait for a sender as its injection queue can hold.
  [[nodiscard]] bool is_full(NodeId node, std::uint32_t message_class) const;
  [[nodiscard]] std::uint64_t key_of(std::uint64_t id) const;
  [[nodiscard]] std::uint64_t queue_of(const Packet& message) const;
  /// Queues of a node, of all message classes.
  [[nodiscard]] unsigned queues_of_node() const {
    return (machine_.ports ? 1 : channels_) * machine_.queues_of_node();
  }
  /// The sender, which is not busy, takes a message if it has none, and sends its next packet.
  void serve(Queue& queue, std::uint64_t number, std::size_t sender);
  void send_packet(Queue& queue, std::uint64_t number, std::size_t sender, std::uint64_t key);
  /// Senders that are not due look at the queue, from `first` on in this cycle, if they are not busy.
  void plan_idle(Queue& queue, std::uint64_t number, std::size_t first);
  void plan(std::uint64_t number, Queue& queue, std::size_t sender, Cycle when);

  PacketFormat format_;
  const MachineConfig& machine_;
  Topology topology_;
  /// By network; empty if messages of all first links have one queue.
  std::vector<std::shared_ptr<const RoutingFunction>> routing_;
  unsigned channels_;  ///< of a node
  std::uint64_t stride_;
  std::unordered_map<std::uint64_t, InFlight> in_flight_;
  std::unordered_map<std::uint64_t, Queue> queues_;
  /// Cycle, queue and sender.
  std::set<std::tuple<Cycle, std::uint64_t, std::size_t>> due_;
  /// Nodes whose injection queues were full, and the cycles from which they have room.
  std::set<std::pair<Cycle, NodeId>> relieved_;
  std::uint64_t unsent_ = 0;  ///< messages with packets left
  std::vector<Delivery> complete_;
  std::function<void(const ArrivedMessage&)> on_packet_;
  Counts sent_;
  Counts arrived_;
};

}  // namespace flitscope
