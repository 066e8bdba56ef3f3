// What a driver and a network see of each other.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "model/machine.h"
#include "model/route.h"
#include "model/types.h"

namespace flitscope {

/// A message as the network knows it: where it goes and how long it is, not what it carries.
struct Packet {
  /// The driver's own number, given back on delivery. Messages of one network in flight have different ids.
  std::uint64_t id = 0;
  NodeId source = 0;
  NodeId destination = 0;
  Route route;
  std::uint32_t flits = 1;  ///< at least 1, below 2^29
  std::uint32_t step = 0;
};

/// A message that has fully arrived, and where its time went. All times are cycles.
struct Delivery {
  std::uint64_t id = 0;
  Cycle ready = 0;         ///< handed to the network interface
  Cycle head_entered = 0;  ///< head put into the source router
  Cycle head_arrived = 0;  ///< head at the destination's network interface
  Cycle arrived = 0;       ///< tail at the destination's network interface
  /// Cycles the head was stalled, by cause.
  std::array<Cycle, kStallCauses> head_stalls{};
  /// Cycles that its head spent on links beyond MachineConfig::link_delay each; below 0 if they are shorter.
  std::int64_t link_excess = 0;
};

/// A network that takes messages.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Hands a message to its source's network interface in the present cycle. Call it only from within a
  /// Driver's functions. Messages of one source are sent in the order of these calls.
  virtual void send(const Packet& packet) = 0;
};

/// The side that has messages to send. A network calls it once a cycle at most, before routers move.
class Driver {
 public:
  virtual ~Driver() = default;
  /// Cycle 0: the first messages.
  virtual void start(Transport& network) = 0;
  /// Everything that arrived in cycle `now`, sorted by id.
  virtual void delivered(Transport& network, std::span<const Delivery> deliveries, Cycle now) = 0;
  /// The next cycle in which the driver wants to be called whatever arrives; kNever for most drivers.
  [[nodiscard]] virtual Cycle next_event() const { return kNever; }
  /// That cycle has come (after delivered()).
  virtual void at(Transport& /*network*/, Cycle /*now*/) {}
  /// True when no further message will ever be sent, whatever arrives.
  [[nodiscard]] virtual bool finished() const = 0;
};

}  // namespace flitscope
