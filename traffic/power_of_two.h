// Patterns that are defined on the bits of a node's number.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <string>

#include "model/error.h"
#include "model/topology.h"

namespace flitscope {

/// The bits of a node's number. Throws Inadmissible if the number of nodes is no power of two.
[[nodiscard]] inline unsigned node_bits(const Topology& topology, const std::string& pattern) {
  const NodeId nodes = topology.nodes();
  if (!std::has_single_bit(nodes)) {
    throw Inadmissible("topology.shape",
                       "{} permutes the bits of a node's number, so the number of nodes must be a "
                       "power of two, such as {}; the {} has {}",
                       pattern, std::bit_floor(nodes), topology.name(), nodes);
  }
  return static_cast<unsigned>(std::countr_zero(nodes));
}

}  // namespace flitscope
