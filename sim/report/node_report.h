// What nodes do in a run, for whom they wait, and the critical path.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/run/result.h"

namespace flitscope {

/// Which nodes of a schedule wait, for whom, and what decides the end; empty if that is not recorded.
[[nodiscard]] std::string waits_text(const RunResult& result);
/// The nodes that accept least and most of the traffic; empty if that is not recorded.
[[nodiscard]] std::string accepted_text(const RunResult& result);

// docs/results.md has the keys and columns.
[[nodiscard]] nlohmann::ordered_json per_node_json(const RunResult& result);
[[nodiscard]] nlohmann::ordered_json critical_path_json(const RunResult& result);
[[nodiscard]] std::string nodes_csv(const RunResult& result);
[[nodiscard]] std::string critical_path_csv(const RunResult& result);

}  // namespace flitscope
