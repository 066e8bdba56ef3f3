// A schedule that shows a verdict: it deadlocks when it is run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/schedule.h"
#include "sim/verify/deadlock_check.h"

namespace flitscope {

/// A virtual channel that a deadlocked worm holds.
struct LockedChannel {
  ChannelId channel = 0;
  unsigned vc = 0;
  std::uint64_t message = 0;  ///< number of the worm's message (message_id)
  bool operator==(const LockedChannel&) const = default;
};

/// Messages that deadlock, all of one step, and the dependency cycle in which they do so when they are run.
struct Witness {
  std::vector<Flow> flows;
  std::vector<LockedChannel> dependency_cycle;
};

/// Tries messages until some deadlock: those of the verdict's dependency cycle, a few of each and as short as
/// will do; if it is not proven that these can, and in networks of up to 1024 nodes, then random ones, of
/// which those are left out that it takes none of. Each try is a run, in a process of its own. Nothing if
/// none is found.
[[nodiscard]] std::optional<Witness> find_witness(const DeadlockCheck& check, const ExperimentConfig& config);

/// The schedule of a witness.
[[nodiscard]] std::unique_ptr<Schedule> witness_schedule(const Witness& witness,
                                                         const ExperimentConfig& config);

}  // namespace flitscope
