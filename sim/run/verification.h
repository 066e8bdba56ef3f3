// Verification of a finished run, on links and on circuits.
#pragma once

#include <cstdint>

#include "model/possession.h"
#include "sim/run/result.h"

namespace flitscope {

/// Deliveries of a run as its driver and its network counted them.
struct RunTotals {
  const Possession& possession;
  /// Of combined chunks; nullptr if there are none.
  const OperandLedger* operands = nullptr;
  std::uint64_t messages = 0;
  std::uint64_t flits_sent = 0;
  std::uint64_t flits_arrived = 0;
};

/// Compares the deliveries of a completed run with the goal of the collective and the announcement of the
/// schedule. Sets status and failed_checks. The result must have its steps.
void verify(RunResult& result, const RunTotals& totals);

/// Adds a failed check if a number is not the expected one.
void expect(RunResult& result, const char* what, std::uint64_t expected, std::uint64_t actual);

/// Sets status and failed_checks of a run that reached the limit of cycles.
void end_at_limit(RunResult& result);

/// The length of a cycle in picoseconds: 1 ns if the configuration does not say. `planned`: cycles by which
/// the network may schedule events ahead. Throws Inadmissible if SystemC's time, a 64-bit number of
/// picoseconds, cannot count to the limit and `planned` cycles beyond.
[[nodiscard]] std::uint64_t countable_period(const ExperimentConfig& config, Cycle planned);

}  // namespace flitscope
