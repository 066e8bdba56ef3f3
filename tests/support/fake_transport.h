// A network without flits: a message arrives when the test says so.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "model/schedule.h"
#include "sim/network/transport.h"

namespace flitscope::test {

/// Plays a driver's network side, and keeps what was sent, in order.
class FakeTransport final : public Transport {
 public:
  explicit FakeTransport(Driver& driver) : driver_(driver) {}

  void send(const Packet& packet) override {
    if (room_) --*room_;
    packets_.push_back(packet);
    in_flight_.push_back({packet.id, now_, 0, 0, 0, {}});
  }

  [[nodiscard]] bool can_send(NodeId, std::uint32_t) const override { return room_ != 0U; }

  void start() { driver_.start(*this); }

  /// From now on there is room for so many messages more.
  void limit_room(unsigned messages) { room_ = messages; }
  /// In cycle `now` the queues of a node have room for so many messages.
  void make_room(Cycle now, NodeId node, unsigned messages) {
    now_ = now;
    room_ = messages;
    driver_.can_send_again(*this, {&node, 1}, now);
  }

  /// In cycle `now` these messages ("step.place") arrive, and no others.
  void arrive(Cycle now, const std::vector<std::string>& names) {
    now_ = now;
    std::vector<Delivery> arriving;
    for (const std::string& name : names) {
      const auto at = std::ranges::find(in_flight_, name, [](const auto& each) { return named(each.id); });
      ASSERT_NE(at, in_flight_.end()) << name << " is not in flight";
      at->arrived = now;
      arriving.push_back(*at);
      in_flight_.erase(at);
    }
    std::ranges::sort(arriving, {}, &Delivery::id);
    driver_.delivered(*this, arriving, now);
  }

  /// What was sent since the last call: "step.place" in the order of sending.
  std::vector<std::string> sent() {
    std::vector<std::string> names;
    for (; told_ < packets_.size(); ++told_) names.push_back(named(packets_[told_].id));
    return names;
  }

  [[nodiscard]] std::vector<std::string> on_their_way() const {
    std::vector<std::string> names;
    for (const Delivery& delivery : in_flight_) names.push_back(named(delivery.id));
    return names;
  }

  [[nodiscard]] const std::vector<Packet>& packets() const { return packets_; }

 private:
  static std::string named(std::uint64_t id) {
    const MessageName name = message_name(id);
    return fmt::format("{}.{}", name.step, name.place);
  }

  Driver& driver_;
  Cycle now_ = 0;
  std::optional<unsigned> room_;  ///< nothing: unlimited
  std::vector<Packet> packets_;
  std::vector<Delivery> in_flight_;
  std::size_t told_ = 0;
};

using Names = std::vector<std::string>;

/// What a driver throws while `act` runs, or "nothing".
template <typename Error, typename Act>
std::string complaint(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

}  // namespace flitscope::test
