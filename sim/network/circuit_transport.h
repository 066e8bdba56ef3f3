// What a driver and a complete network see of each other.
#pragma once

#include <cstdint>
#include <span>

#include "model/circuit_schedule.h"
#include "model/types.h"

namespace flitscope {

/// A message that has fully arrived.
struct CircuitDelivery {
  std::uint64_t id = 0;
  Cycle started = 0;  ///< preparation begins
  Cycle arrived = 0;  ///< its last flit is there
  std::uint32_t flits = 0;
};

/// A network that tunes ports and takes messages, in the present cycle. Call it only from within at().
class CircuitTransport {
 public:
  virtual ~CircuitTransport() = default;
  /// Throws ScheduleError if the port is not free.
  virtual void tune(const Circuit& circuit) = 0;
  /// Throws ScheduleError if the circuit is not there, the port is not free, or the target cannot receive.
  /// Messages in flight have different ids.
  virtual void send(std::uint64_t id, const Circuit& circuit, std::uint32_t flits) = 0;
};

/// The side that has a schedule.
class CircuitDriver {
 public:
  virtual ~CircuitDriver() = default;
  /// Everything that arrived in cycle `now`, sorted by id; before at(now).
  virtual void delivered(std::span<const CircuitDelivery> deliveries, Cycle now) = 0;
  /// The next cycle in which something starts; kNever after the last.
  [[nodiscard]] virtual Cycle next_event() const = 0;
  /// That cycle has come.
  virtual void at(CircuitTransport& network, Cycle now) = 0;
};

}  // namespace flitscope
