// How runs end, on links and on circuits alike: verified, or at a limit.
#pragma once

#include <cstdint>

#include "model/operand_ledger.h"
#include "model/possession.h"
#include "sim/run/result.h"

namespace flitscope {

/// What a run has delivered, as its driver and its network counted it.
struct RunTotals {
  const Possession& possession;
  /// Of combined chunks; nothing if there are none.
  const OperandLedger* operands = nullptr;
  std::uint64_t messages = 0;
  std::uint64_t flits_sent = 0;
  std::uint64_t flits_arrived = 0;
};

/// Everything has arrived: is it what the collective wanted, and what the schedule announced? Sets status and
/// failed_checks. The result must have its steps.
void verify(RunResult& result, const RunTotals& delivered);

/// Objects if a number is not the expected one.
void expect(RunResult& result, const char* what, std::uint64_t expected, std::uint64_t actual);

/// The limit of cycles came before the end.
void end_at_limit(RunResult& result);

/// The length of a cycle in picoseconds: 1 ns if the configuration does not say. `planned`: how many cycles
/// ahead of the present one the network may plan something. Throws Inadmissible if SystemC, whose time is a
/// 64-bit number of picoseconds, cannot count to the limit and so far beyond.
[[nodiscard]] std::uint64_t countable_period(const ExperimentConfig& config, Cycle planned);

}  // namespace flitscope
