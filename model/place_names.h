// Nodes and links as configurations and reports name them.
#pragma once

#include <string>

#include "model/topology.h"
#include "model/types.h"

namespace flitscope {

/// How configurations write a node: "[1, 0]"; "5" on a complete network.
[[nodiscard]] std::string node_text(NodeId node, const Topology& topology);
/// The way back. Throws InputError that says what would be right.
[[nodiscard]] NodeId parse_node(const std::string& text, const Topology& topology);
/// "[1, 0]+0", a link of the topology. Throws InputError.
[[nodiscard]] ChannelId parse_channel(const std::string& text, const Topology& topology);

}  // namespace flitscope
