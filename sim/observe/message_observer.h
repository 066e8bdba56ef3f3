// Messages on links, as they are handed to the network and as they arrive.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/network/transport.h"

namespace flitscope {

class MessageObserver {
 public:
  virtual ~MessageObserver() = default;
  /// A driver hands a message to the network interface of its source in cycle `now`.
  virtual void sent(const Packet& packet, Cycle now) = 0;
  /// Before the driver takes it, in its order.
  virtual void delivered(const Delivery& delivery) = 0;
};

/// Drives what another driver drives, and reports its messages. All must outlive it.
class ObservedDriver final : public Driver, private Transport {
 public:
  ObservedDriver(Driver& driver, const std::vector<MessageObserver*>& observers)
      : driver_(driver), observers_(observers) {}

  void start(Transport& network) override {
    with(network, 0, [&] { driver_.start(*this); });
  }
  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    for (const Delivery& delivery : deliveries) {
      for (MessageObserver* const each : observers_) each->delivered(delivery);
    }
    with(network, now, [&] { driver_.delivered(*this, deliveries, now); });
  }
  [[nodiscard]] Cycle next_event() const override { return driver_.next_event(); }
  void at(Transport& network, Cycle now) override {
    with(network, now, [&] { driver_.at(*this, now); });
  }
  void can_send_again(Transport& network, std::span<const NodeId> nodes, Cycle now) override {
    with(network, now, [&] { driver_.can_send_again(*this, nodes, now); });
  }
  [[nodiscard]] bool holds_deliveries() const override { return driver_.holds_deliveries(); }
  [[nodiscard]] bool finished() const override { return driver_.finished(); }

 private:
  void with(Transport& network, Cycle now, const auto& work) {
    network_ = &network;
    now_ = now;
    work();
  }
  void send(const Packet& packet) override {
    for (MessageObserver* const each : observers_) each->sent(packet, now_);
    network_->send(packet);
  }
  [[nodiscard]] bool can_send(NodeId node, std::uint32_t message_class) const override {
    return network_->can_send(node, message_class);
  }
  void take(std::uint64_t id) override { network_->take(id); }
  void wait_to_send(NodeId node, std::uint32_t message_class, std::optional<std::uint32_t> reply) override {
    network_->wait_to_send(node, message_class, reply);
  }

  Driver& driver_;
  const std::vector<MessageObserver*>& observers_;
  Transport* network_ = nullptr;
  Cycle now_ = 0;
};

}  // namespace flitscope
