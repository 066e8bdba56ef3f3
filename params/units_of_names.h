// Quantities whose names say what they are in: times in cycles and rates of flits, and the same in units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/units.h"

namespace flitscope {

/// What a clock makes of cycles, flits and bytes.
struct ClockUnits {
  double cycle_ns;   ///< nanoseconds of a cycle
  double flit_GBps;  ///< GB/s of a flit a cycle
  double byte_GBps;  ///< GB/s of a byte a cycle

  ClockUnits(const ClockPeriod& clock, std::uint32_t flit_bytes)
      : cycle_ns(clock.nanoseconds(1)), flit_GBps(flit_bytes / cycle_ns), byte_GBps(1 / cycle_ns) {}
};

/// A quantity in units.
struct NamedUnit {
  std::string name;
  double ClockUnits::*factor;
};
/// "latency_mean_ns" of "latency_mean_cycles", "begin_ns" of "begin_cycle", "accepted_GBps" of "accepted":
/// the name of a time in nanoseconds, or of a rate in GB/s; nothing for a name of something else.
[[nodiscard]] std::optional<NamedUnit> name_in_units(const std::string& name);

/// Adds to a CSV table, behind every column of times in cycles, the same in nanoseconds, and behind rates of
/// flits the same in GB/s.
[[nodiscard]] std::string csv_in_units(const std::string& csv, const ClockUnits& units);

}  // namespace flitscope
