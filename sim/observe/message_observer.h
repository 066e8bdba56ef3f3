// Messages on links, as they are handed to the network and as they arrive.
#pragma once

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

/// Reports the messages of a driver. All must outlive it.
class ObservedDriver final : public RelayDriver {
 public:
  ObservedDriver(Driver& driver, const std::vector<MessageObserver*>& observers)
      : RelayDriver(driver), observers_(observers) {}

  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    for (const Delivery& delivery : deliveries) {
      for (MessageObserver* const each : observers_) each->delivered(delivery);
    }
    RelayDriver::delivered(network, deliveries, now);
  }

 private:
  void send(const Packet& packet) override {
    for (MessageObserver* const each : observers_) each->sent(packet, now());
    RelayDriver::send(packet);
  }

  const std::vector<MessageObserver*>& observers_;
};

}  // namespace flitscope
