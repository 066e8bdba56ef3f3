// What studies beside measured times share: errors in one summary, and the replay of recordings.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/config/config.h"
#include "sim/formats/recording.h"
#include "sim/studies/studies.h"

namespace flitscope {

/// An error with four digits behind the point.
[[nodiscard]] double rounded_error(double error);

/// Errors of simulated times, in parts of what was measured: 0.1 and -0.1 are 10%.
class ErrorSummary {
 public:
  void add(double error);
  [[nodiscard]] std::size_t count() const { return sizes_.size(); }
  /// The quantile of their sizes, without signs: 0.5 is the median, 1 the worst. "6.2%"; "0.0%" of none.
  [[nodiscard]] std::string quantile(double share) const;
  /// Sets "median", "p90" and "worst" of a record.
  void describe(nlohmann::ordered_json& record) const;

 private:
  std::vector<double> sizes_;
};

/// `columns`, and those of what ErrorSummary::describe() sets.
[[nodiscard]] std::vector<StudyColumn> with_errors(std::vector<StudyColumn> columns);

/// Replays the calls of all networks, as `recording.calls` has it, in this process, on the machine of a
/// configuration, whose workload does not count. Throws InputError. Keys of the result:
///   begins  [cycle, ..]: by call, when it was made
///   ends    [cycle, ..]: by call, when the last packet of its answer has arrived
///   waits   [[call, cause, place, cycles], ..]: flit-cycles that its packets waited (WaitPlace); without
///           `of_calls` those of all calls together, as call 0
[[nodiscard]] nlohmann::ordered_json replay(const ExperimentConfig& config, const Recording& recording,
                                            bool of_calls = true);

}  // namespace flitscope
