// A run as a row of the table: a flat JSON object, a key for each column.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/config/config.h"
#include "sim/host/worker_pool.h"
#include "sim/sweep/sweep_plan.h"

namespace flitscope {

/// Labels (see Sweep::labels), then "status", the keys of the result ("stalls.vc_taken" for a key of a key;
/// lists and the deadlock stay JSON), "error", "version", "config" (resolved), "host.*". Beside the statuses
/// of a result there are:
///   refused        the experiment turned out not to be admissible
///   illegal        the schedule breaks its own rules
///   time-limit     it took longer than the limit of a run
///   memory-limit   it needed more memory than the limit of a run, or than was available
///   crashed        an error of the program
///   killed         a signal from outside ended its process, such as that of the system's shortage of memory;
///                  --resume runs it again
/// With these the keys of the result are absent and "error" has the reason.
using RunRecord = nlohmann::ordered_json;

/// Simulates in this process, which can do that once.
[[nodiscard]] RunRecord run_to_record(const nlohmann::ordered_json& labels, const ExperimentConfig& config);

/// The record of a run whose process did not answer.
[[nodiscard]] RunRecord record_of_end(const nlohmann::ordered_json& labels, const JobEnd& end,
                                      const RunLimits& limits);

}  // namespace flitscope
