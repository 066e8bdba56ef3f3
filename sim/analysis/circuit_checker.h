// Checks of an event schedule without a simulation: circuits, ports, arrivals, possession of chunks, goal.
#pragma once

#include <cstdint>

#include "model/circuit_schedule.h"
#include "sim/analysis/legality.h"

namespace flitscope {

/// The result of the check of an event schedule. Times in units of t_m. Violation::step is the number of the
/// send time, Violation::message the place among the messages of that time. The claim is the time of the last
/// arrival.
struct CircuitReport : Legality {
  std::uint64_t tunings = 0;
  /// Chunks of all messages together.
  std::uint64_t chunks_sent = 0;
  /// Most chunks of one message.
  std::uint64_t longest_message = 0;
  /// Last arrival.
  std::uint64_t units = 0;
  /// Most messages that arrive at one node at the same time.
  std::uint32_t max_arrivals = 0;
};

/// Consumes and checks all events of `schedule`.
///
/// A message needs the circuit to its target on its port, tuned to the end; the port must be free for as many
/// units as the message has chunks, and so must one of the target's k; and the sender must hold the chunks:
/// those that arrive at a time can be sent from that time on. The chunks of an impossible message do not
/// arrive. Throws Inadmissible if the schedule is too large for Possession::kMemoryLimit, and passes on what
/// reading the schedule throws.
[[nodiscard]] CircuitReport check_events(CircuitSchedule& schedule);

}  // namespace flitscope
