// The interfaces between a driver and a network.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "model/machine.h"
#include "model/route.h"
#include "model/types.h"

namespace flitscope {

/// What a message waited for last.
struct Release {
  std::uint64_t message = 0;  ///< its id; 0: the beginning
  bool sent = false;          ///< that it was sent, not that it arrived
};

/// A message as the network knows it: source, destination and length, without its data.
struct Packet {
  /// The driver's own number, given back on delivery. Messages of one network in flight have different ids.
  std::uint64_t id = 0;
  NodeId source = 0;
  NodeId destination = 0;
  Route route;
  std::uint32_t flits = 1;  ///< at least 1, below 2^29
  std::uint32_t step = 0;
  std::uint32_t message_class = 0;         ///< see MachineConfig::classes
  bool is_answered = false;                ///< its destination answers it
  std::optional<std::uint64_t> answers{};  ///< the id of the message that it is the answer to
  /// Of a message that waits for others, if these decided when it was sent.
  std::optional<Release> released_by{};
  bool is_awaited = false;  ///< others may wait for it
};

/// A message that has fully arrived, with the parts of its latency. All times are cycles.
struct Delivery {
  std::uint64_t id = 0;
  Cycle ready = 0;         ///< handed to the network interface
  Cycle head_entered = 0;  ///< head put into the source router
  Cycle head_arrived = 0;  ///< head at the destination's network interface
  Cycle arrived = 0;       ///< tail at the destination's network interface
  /// Cycles the head was stalled, by cause.
  std::array<Cycle, kStallCauses> head_stalls{};
  /// Cycles that its head spent on links beyond MachineConfig::link_delay each; negative if they are shorter.
  std::int64_t link_excess = 0;
  /// Links that its head has travelled, if the routing function weighs candidates of several lengths
  /// (RoutingFunction::weighs); else 0: as many as Paths::length() says.
  std::uint32_t links = 0;
  std::uint32_t message_class = 0;
};

/// A network that takes messages.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Hands a message to its source's network interface in the present cycle. Called only from functions of a
  /// Driver. Messages of one source are sent in the order of these calls.
  virtual void send(const Packet& packet) = 0;

  // Of nodes with finite ends (docs/timing.md, "Network interfaces").

  /// Whether the injection queue of a node has room for a message of a class.
  [[nodiscard]] virtual bool can_send(NodeId /*node*/, std::uint32_t /*message_class*/) const { return true; }
  /// A node takes a message that was delivered to it: its flits leave the ejection buffer.
  virtual void take(std::uint64_t /*id*/) {}
  /// From now on a node takes a message that was delivered to it only when it can send one of class `reply`;
  /// nothing: that is over. No message moves by this: it is the cause of stalls, and of a deadlock.
  virtual void wait_to_send(std::uint64_t /*id*/, std::optional<std::uint32_t> /*reply*/) {}
};

/// The source of messages. A network calls it at most once a cycle, before routers are stepped.
class Driver {
 public:
  virtual ~Driver() = default;
  /// Sends the first messages, in cycle 0.
  virtual void start(Transport& network) = 0;
  /// Takes all messages that arrived in cycle `now`, sorted by id.
  virtual void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) = 0;
  /// The next cycle of a call to at(); kNever for most drivers.
  [[nodiscard]] virtual Cycle next_event() const { return kNever; }
  /// Called in cycle next_event(), after delivered().
  virtual void at(Transport& /*network*/, Cycle /*now*/) {}
  /// Injection queues of these nodes, by number, were full, and have had room since the cycle before. Called
  /// behind delivered().
  virtual void can_send_again(Transport& /*network*/, std::span<const NodeId> /*nodes*/, Cycle /*now*/) {}
  /// Whether delivered messages stay in the ejection buffers until the driver calls Transport::take() for
  /// each. Otherwise their nodes take them at once.
  [[nodiscard]] virtual bool holds_deliveries() const { return false; }
  /// True when no further message will be sent.
  [[nodiscard]] virtual bool finished() const = 0;
};

/// A driver between another one, which must outlive it, and the network. Derived classes change some of what
/// passes.
class RelayDriver : public Driver, protected Transport {
 public:
  explicit RelayDriver(Driver& inner) : inner_(inner) {}

  void start(Transport& network) override {
    enter(network, 0);
    inner_.start(*this);
  }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    enter(network, now);
    inner_.delivered(*this, deliveries, now);
  }
  [[nodiscard]] Cycle next_event() const override { return inner_.next_event(); }
  void at(Transport& network, Cycle now) override {
    enter(network, now);
    inner_.at(*this, now);
  }
  void can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle now) override {
    enter(network, now);
    inner_.can_send_again(*this, nodes, now);
  }
  [[nodiscard]] bool holds_deliveries() const override { return inner_.holds_deliveries(); }
  [[nodiscard]] bool finished() const override { return inner_.finished(); }

 protected:
  void enter(Transport& network, Cycle now) {
    network_ = &network;
    now_ = now;
  }
  [[nodiscard]] Driver& inner() { return inner_; }
  [[nodiscard]] const Driver& inner() const { return inner_; }
  [[nodiscard]] Transport& network() const { return *network_; }
  [[nodiscard]] Cycle now() const { return now_; }

  void send(const Packet& packet) override { network_->send(packet); }
  [[nodiscard]] bool can_send(NodeId node, std::uint32_t message_class) const override {
    return network_->can_send(node, message_class);
  }
  void take(std::uint64_t id) override { network_->take(id); }
  void wait_to_send(std::uint64_t id, std::optional<std::uint32_t> reply) override {
    network_->wait_to_send(id, reply);
  }

 private:
  Driver& inner_;
  Transport* network_ = nullptr;
  Cycle now_ = 0;
};

}  // namespace flitscope
