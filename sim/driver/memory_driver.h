// Hands messages over when the memories that they come from have read them: a driver between a driver of
// messages and the network.
#pragma once

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/driver/memories.h"
#include "sim/network/transport.h"

namespace flitscope {

class MemoryDriver final : public RelayDriver {
 public:
  /// All must outlive it. The network's nodes have injection queues without limit.
  MemoryDriver(Driver& messages, const MemoryMap& map, const Topology& topology)
      : RelayDriver(messages), memories_(map, topology) {}

  /// Called with each message, its id as tag, whose service has to wait, and these cycles.
  void on_wait(std::function<void(const MemoryRead&, Cycle)> callback) {
    memories_.on_wait(std::move(callback));
  }

  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) override {
    enter(network, now);
    deliveries_.assign(deliveries.begin(), deliveries.end());
    for (Delivery& delivery : deliveries_) {
      const auto found = sent_.find(delivery.id);
      if (found == sent_.end()) continue;
      delivery.ready = found->second.ready;
      memories_.write(found->second.packet.destination, found->second.packet.flits, now);
      sent_.erase(found);
    }
    inner().delivered(*this, deliveries_, now);
  }
  [[nodiscard]] Cycle next_event() const override {
    return std::min(memories_.next_event(), inner().next_event());
  }
  void at(Transport& network, Cycle now) override {
    enter(network, now);
    if (inner().next_event() <= now) inner().at(*this, now);
    memories_.serve(now);
    while (const auto read = memories_.take(now)) network.send(sent_.at(read->tag).packet);
  }
  [[nodiscard]] bool finished() const override { return inner().finished() && memories_.is_empty(); }

 private:
  void send(const Packet& packet) override {
    if (!memories_.serves(packet.message_class)) return network().send(packet);
    sent_[packet.id] = {packet, now()};
    memories_.put({.node = packet.source,
                   .reader = packet.destination,
                   .message_class = packet.message_class,
                   .flits = packet.flits,
                   .tag = packet.id},
                  now());
  }

  /// A message of a memory from when it is handed over until it is delivered.
  struct Sent {
    Packet packet;
    Cycle ready = 0;
  };
  Memories memories_;
  std::unordered_map<std::uint64_t, Sent> sent_;  ///< by id
  std::vector<Delivery> deliveries_;
};

}  // namespace flitscope
