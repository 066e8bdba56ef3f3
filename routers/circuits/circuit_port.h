// A port of a node of a complete network: what it does in every cycle.
#pragma once

#include <array>
#include <cstdint>

#include "model/types.h"

namespace flitscope {

enum class CircuitPortState : std::uint8_t {
  dark,       ///< never tuned
  tuning,     ///< on the way to a target, sends nothing
  connected,  ///< holds a circuit and sends nothing
  sending,    ///< prepares a message or moves its flits
};
inline constexpr unsigned kCircuitPortStates = 4;

/// "dark", "tuning", "connected", "sending".
[[nodiscard]] const char* name_of(CircuitPortState state);

class CircuitPort {
 public:
  /// A circuit that is there in cycle 0.
  void connect(NodeId target);
  /// Tunes from cycle `now` to `ready` - 1. Requires that the port is free.
  void tune(NodeId target, Cycle now, Cycle ready);
  /// Sends from cycle `now` to `end` - 1. Requires that the port is connected.
  void send(std::uint32_t flits, Cycle now, Cycle end);

  [[nodiscard]] CircuitPortState state(Cycle now) const {
    return now < busy_until_ || state_ == CircuitPortState::dark ? state_ : CircuitPortState::connected;
  }
  /// Where the circuit leads, or will lead when it is tuned; kNoNode: the port is dark.
  [[nodiscard]] NodeId target() const { return target_; }
  /// When tuning or sending ends.
  [[nodiscard]] Cycle busy_until() const { return busy_until_; }

  [[nodiscard]] std::uint64_t tunings() const { return tunings_; }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }
  [[nodiscard]] std::uint64_t flits() const { return flits_; }
  /// Cycles the port was in each state, of the cycles 0 .. `cycles` - 1. `cycles` must not lie before the
  /// last event's begin.
  [[nodiscard]] std::array<Cycle, kCircuitPortStates> cycles_by_state(Cycle cycles) const;

 private:
  void enter(CircuitPortState state, Cycle now, Cycle until);

  NodeId target_ = kNoNode;
  CircuitPortState state_ = CircuitPortState::dark;
  /// state_ lasts from since_ until busy_until_; then the port is connected. A dark port stays dark.
  Cycle since_ = 0;
  Cycle busy_until_ = 0;
  std::array<Cycle, kCircuitPortStates> cycles_{};
  std::uint64_t tunings_ = 0;
  std::uint64_t messages_ = 0;
  std::uint64_t flits_ = 0;
};

}  // namespace flitscope
