// Checks a schedule without simulating it: who holds what, ports, ways, load of links, goal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "model/operand_ledger.h"
#include "model/possession.h"
#include "model/schedule.h"
#include "sim/analysis/check_report.h"

namespace flitscope {

struct CheckOptions {
  /// Violations to describe; more are only counted.
  std::size_t most_violations = 20;
  /// Memory for the possession of chunks, in bytes.
  std::uint64_t possession_limit = Possession::kMemoryLimit;
  /// Memory up to which operands are counted one by one (OperandLedger), in bytes.
  std::uint64_t operand_set_limit = OperandLedger::kSetLimit;
  /// Called after each step, if given.
  std::function<void(const StepSummary&)> on_step = {};
  /// The routing function of the machine: on other networks than whole tori and meshes it decides over the
  /// ways. Empty: the usual one of the network.
  std::string routing = {};
  /// Also count bytes and links of messages (CheckReport), which takes as long again.
  bool volumes = false;
};

/// Takes all steps of `schedule` (which is used up by that) and checks them.
///
/// A chunk can be sent from the step after its arrival on. What an impossible message carries (its sender
/// does not hold it, or there is no way) does not arrive. Throws Inadmissible if the schedule is too large
/// for the memory allowed, and passes on what reading the schedule throws.
[[nodiscard]] CheckReport check_schedule(Schedule& schedule, const CheckOptions& options = {});

}  // namespace flitscope
