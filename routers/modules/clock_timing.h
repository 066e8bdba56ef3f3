// Timing of the cycles of a network.
#pragma once

#include <systemc>

namespace flitscope {

/// An edge of a clock.
enum class Edge { rising, falling };

/// Cycle c begins at first + c * period: a clock of the network's own, or one of the model around it. Nothing
/// is sensitive to the clock; the times of its edges are computed, so that a cycle without work costs
/// nothing.
struct ClockTiming {
  // NOLINTBEGIN(google-explicit-constructor): a period or a clock says it all.
  /// A clock of the network's own. Cycle 0 begins at the start of the simulation.
  ClockTiming(const sc_core::sc_time& clock_period) : period(clock_period) {}
  /// Cycle 0 begins with the first edge of `clock`.
  ClockTiming(const sc_core::sc_clock& clock, Edge edge = Edge::rising)
      : period(clock.period()), first(clock.start_time()) {
    if (clock.posedge_first() == (edge == Edge::rising)) return;
    const sc_core::sc_time high = clock.period() * clock.duty_cycle();
    first += clock.posedge_first() ? high : clock.period() - high;
  }
  // NOLINTEND(google-explicit-constructor)

  sc_core::sc_time period;
  sc_core::sc_time first = sc_core::SC_ZERO_TIME;
};

}  // namespace flitscope
