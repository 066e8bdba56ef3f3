// Names of nodes and links as identifiers, which waveforms and SystemC modules need: letters, digits and _.
#pragma once

#include <string>
#include <string_view>

#include "model/topology.h"

namespace flitscope {

/// "r0_3_to_r1_0" for "r0.3>r1.0".
[[nodiscard]] std::string identifier(std::string_view name);

/// "1_2" for node [1, 2] of a torus or mesh; on a graph the identifier of its name.
[[nodiscard]] std::string node_identifier(const Topology& topology, NodeId node);

}  // namespace flitscope
