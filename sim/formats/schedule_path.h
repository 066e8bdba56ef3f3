// Nodes and ways of messages as schedule files write them: coordinates, and legs [dimension, sign, hops].
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/route.h"
#include "model/schedule.h"
#include "model/topology.h"
#include "sim/formats/strict_json.h"

namespace flitscope {

/// [x0, x1, ...]; of a complete network the number.
[[nodiscard]] nlohmann::ordered_json node_json(const Topology& topology, NodeId node);

/// Throws InputError unless the value is a node of the topology by its coordinates.
[[nodiscard]] NodeId read_node(const JsonValue& value, const Topology& topology);

/// The first dimension of every way the routing function allows, if it allows only 0; nothing if messages
/// may start in any dimension, or there is no routing function of that name.
[[nodiscard]] std::optional<unsigned> fixed_first_dimension(const Topology& topology,
                                                            const std::string& routing);

/// The legs of a message's way. Requires that its nodes and the way exist.
[[nodiscard]] nlohmann::ordered_json path_json(const Topology& topology, const Message& message);

/// The route that follows these legs. Dimensions are travelled cyclically from `first_dimension` or, if that
/// is absent, from the first leg's on; dimensions without a leg get the direction of the first leg.
/// Throws InputError if a leg does not exist, the order is another, the path leaves the network, or it does
/// not lead from `source` to `destination`.
[[nodiscard]] Route read_path(const JsonValue& path, const Topology& topology, NodeId source,
                              NodeId destination, std::optional<unsigned> first_dimension);

}  // namespace flitscope
