// Results as JSON, with the keys that docs/user-guide.md lists.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/run/experiment.h"

namespace flitscope {

/// The result of a run. All but "host" is the same for the same configuration.
[[nodiscard]] nlohmann::ordered_json to_json(const RunResult& result);

}  // namespace flitscope
