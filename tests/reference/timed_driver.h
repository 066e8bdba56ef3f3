// A driver that replays a list of messages; each is ready at its time or when another has arrived.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sim/network/transport.h"

namespace flitscope::reference {

/// A message of the list and when it is handed over.
struct TimedMessage {
  Packet packet;
  /// Cycle in which it is ready, unless it is released by another.
  Cycle ready = 0;
  /// Position in the list of the message whose delivery makes this one ready, in the same cycle.
  std::optional<std::size_t> released_by;
};

/// Hands over the messages of the list. Those of one cycle: first the released ones, in the order of the
/// deliveries and then of the list, then the timed ones, in the order of the list. Keeps all deliveries. The
/// list must outlive the driver.
class TimedDriver final : public Driver {
 public:
  /// `messages` have different ids, and are released by messages of the list without cycles.
  explicit TimedDriver(const std::vector<TimedMessage>& messages) : messages_(messages) {
    for (std::size_t place = 0; place < messages_.size(); ++place) {
      place_of_[messages_[place].packet.id] = place;
      if (const auto releaser = messages_[place].released_by) {
        released_[*releaser].push_back(place);
      } else {
        timed_[messages_[place].ready].push_back(place);
      }
    }
  }

  void start(Transport& network) override { at(network, 0); }

  void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle /*now*/) override {
    for (const Delivery& delivery : deliveries) {
      deliveries_.push_back(delivery);
      const auto released = released_.find(place_of_.at(delivery.id));
      if (released == released_.end()) continue;
      for (const std::size_t place : released->second) hand_over(network, messages_[place].packet);
    }
  }

  [[nodiscard]] Cycle next_event() const override { return timed_.empty() ? kNever : timed_.begin()->first; }

  void at(Transport& network, Cycle now) override {
    while (!timed_.empty() && next_event() <= now) {
      for (const std::size_t place : timed_.begin()->second) hand_over(network, messages_[place].packet);
      timed_.erase(timed_.begin());
    }
  }

  [[nodiscard]] bool finished() const override { return sent_ == messages_.size(); }

  /// All deliveries so far, in order of time, those of one cycle in order of id.
  [[nodiscard]] const std::vector<Delivery>& deliveries() const { return deliveries_; }

 private:
  void hand_over(Transport& network, const Packet& packet) {
    ++sent_;
    network.send(packet);
  }

  const std::vector<TimedMessage>& messages_;
  std::map<std::uint64_t, std::size_t> place_of_;
  std::map<std::size_t, std::vector<std::size_t>> released_;
  std::map<Cycle, std::vector<std::size_t>> timed_;
  std::size_t sent_ = 0;
  std::vector<Delivery> deliveries_;
};

}  // namespace flitscope::reference
