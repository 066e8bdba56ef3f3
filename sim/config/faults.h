// What a configuration says is missing of a torus or mesh, by the names of links and nodes.
#pragma once

#include <optional>
#include <string>

#include "model/graph.h"
#include "model/topology.h"

namespace flitscope {

/// A link by its name: '[2, 2]-1'; with ' both' behind it also the one that leads back. Appended to `faults`.
/// Throws InputError for what is no link of the network.
void read_missing_link(const std::string& text, const Topology& whole, Faults& faults);
/// A node by its coordinates: '[2, 2]'. Likewise.
void read_missing_node(const std::string& text, const Topology& whole, Faults& faults);

/// The way back, link by link.
[[nodiscard]] std::vector<std::string> missing_links_text(const Topology& topology);
[[nodiscard]] std::vector<std::string> missing_nodes_text(const Topology& topology);

}  // namespace flitscope
