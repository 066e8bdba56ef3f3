// What is known of a run before it: the same configuration, run once before, gives the same run.
#pragma once

#include <functional>
#include <vector>

#include "model/types.h"
#include "sim/run/result.h"

namespace flitscope {

/// What a first run found. A list is empty if there is nothing of what it names.
struct FirstRun {
  std::vector<NodeId> circle;           ///< nodes of a deadlock's circle
  std::vector<NodeId> busiest_node;     ///< the one that sends most flits
  std::vector<ChannelId> busiest_link;  ///< the one that moves most flits
  std::vector<ChannelId> awaited_link;  ///< the one that flits wait for longest
};

using RunFunction = std::function<RunResult(ExperimentConfig)>;

/// Runs the experiment with `run`, unobserved, in a process of its own. `config` must be complete (see
/// complete_machine); the calling process must not have simulated. If that run fails nothing is found: the
/// run itself will meet the error again.
[[nodiscard]] FirstRun run_first(const ExperimentConfig& config, const RunFunction& run);

}  // namespace flitscope
