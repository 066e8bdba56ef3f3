// The k-ary tree of B1 and B3: the children of v are kv+1 .. kv+k, and v reaches child kv+p+1 by port p.
#pragma once

#include <cstdint>

#include "algorithms/afsahi/circuit_list.h"

namespace flitscope::afsahi {

/// Calls visit(circuit, level) for every edge of the tree on N nodes, level by level; the root's are of level
/// 0. Nodes are as seen from the source.
template <typename Visit>
void for_each_edge(std::uint64_t nodes, std::uint64_t k, const FromSource& node, Visit visit) {
  std::uint64_t level = 0;
  std::uint64_t last_of_level = 0;
  for (std::uint64_t v = 0; k * v + 1 < nodes; ++v) {
    if (v > last_of_level) {
      ++level;
      last_of_level = k * last_of_level + k;
    }
    for (std::uint64_t p = 0; p < k && k * v + p + 1 < nodes; ++p) {
      visit(Circuit{node(v), static_cast<std::uint32_t>(p), node(k * v + p + 1)}, level);
    }
  }
}

}  // namespace flitscope::afsahi
