// Results as JSON, with the keys that docs/results.md lists.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/run/result.h"

namespace flitscope {

/// The result of a run. All but "host" is the same for the same configuration.
[[nodiscard]] nlohmann::ordered_json to_json(const RunResult& result);

}  // namespace flitscope
