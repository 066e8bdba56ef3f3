// Requests and replies as text, JSON and CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/run/result.h"

namespace flitscope {

/// What a protocol does, as the configuration has it.
[[nodiscard]] std::string protocol_config_text(const ExperimentConfig& config);
/// What was measured.
[[nodiscard]] std::string protocol_text(const RunResult& result, const ProtocolResult& protocol);
/// The object `protocol` of result.json.
[[nodiscard]] nlohmann::ordered_json protocol_json(const RunResult& result, const ProtocolResult& protocol);

/// Files of a run directory: nodes, the course of the measurement, and how long round trips took.
[[nodiscard]] std::string protocol_nodes_csv(const RunResult& result, const ProtocolResult& protocol);
[[nodiscard]] std::string protocol_course_csv(const ProtocolResult& protocol);
[[nodiscard]] std::string round_trips_csv(const ProtocolResult& protocol);

}  // namespace flitscope
