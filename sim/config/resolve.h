// From the typed configuration to its text.
#pragma once

#include <map>
#include <string>

#include "params/parameter.h"
#include "sim/config/config.h"

namespace flitscope {

/// The complete configuration as YAML text, defaults filled in, in canonical order. Read again it gives the
/// same configuration, wherever the text is put: paths are absolute, times are in cycles.
[[nodiscard]] std::string resolve(const ExperimentConfig& config);

/// The same, value by value: "router.buffer" and its value. Keys that have none are absent.
[[nodiscard]] std::map<std::string, ParameterValues::Value> resolved_values(const ExperimentConfig& config);

/// A value on one line as a configuration has it: "[0, 1]", "{count: 20, seed: 1}".
[[nodiscard]] std::string value_text(const ParameterValues::Value& value);

}  // namespace flitscope
