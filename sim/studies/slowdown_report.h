// The time of a schedule against the load beside it, for people, programs and spreadsheets, and as a picture.
#pragma once

#include <string>
#include <vector>

#include "sim/report/run_directory.h"
#include "sim/studies/slowdown_curve.h"

namespace flitscope {

[[nodiscard]] std::string slowdown_text(const ExperimentConfig& config,
                                        const std::vector<SlowdownPoint>& points);
[[nodiscard]] std::string slowdown_json(const ExperimentConfig& config,
                                        const std::vector<SlowdownPoint>& points);
[[nodiscard]] std::string slowdown_csv(const std::vector<SlowdownPoint>& points);
[[nodiscard]] std::string slowdown_svg(const ExperimentConfig& config,
                                       const std::vector<SlowdownPoint>& points);

/// config.yaml, slowdown.json, slowdown.csv and slowdown.svg.
void write_slowdown_files(const RunDirectory& directory, const ExperimentConfig& config,
                          const std::vector<SlowdownPoint>& points);

}  // namespace flitscope
