// Nodes in JSON: schedules, results and verdicts name them alike.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "model/topology.h"
#include "sim/formats/strict_json.h"

namespace flitscope {

/// [1, 0] on a grid; the name of a router of a graph, "n0.1"; the number of a node of a complete network.
[[nodiscard]] nlohmann::ordered_json node_json(const Topology& topology, NodeId node);

/// Throws InputError unless the value is a node of the topology.
[[nodiscard]] NodeId read_node(const JsonValue& value, const Topology& topology);

}  // namespace flitscope
