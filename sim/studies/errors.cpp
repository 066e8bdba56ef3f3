#include "sim/studies/errors.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/observe/flits/latency.h"

namespace flitscope {

void ErrorSummary::add(double error) {
  sizes_.push_back(std::abs(error));
}

std::string ErrorSummary::quantile(double share) const {
  return fmt::format("{:.1f}%", 100 * flitscope::quantile(sizes_, share));
}

void ErrorSummary::describe(nlohmann::ordered_json& record) const {
  record["median"] = quantile(0.5);
  record["p90"] = quantile(0.9);
  record["worst"] = quantile(1);
}

std::vector<StudyColumn> with_errors(std::vector<StudyColumn> columns) {
  columns.insert(columns.end(), {{"median error", "/median"}, {"90%", "/p90"}, {"worst", "/worst"}});
  return columns;
}

}  // namespace flitscope
