// Errors of simulated times beside measured ones, in one summary for all studies.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/studies/studies.h"

namespace flitscope {

/// Errors in parts of what was measured: 0.1 and -0.1 are 10%.
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

}  // namespace flitscope
