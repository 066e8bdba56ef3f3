// Scatters deal ranges of consecutive nodes: whoever holds the chunks of nodes first .. first+count-1 is node
// `first`, as seen from the source.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/afsahi/circuit_list.h"

namespace flitscope::afsahi {

/// A node that holds the chunks of a range, its own first, and is free to deal from `ready` on.
struct Share {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t ready = 0;
  /// The circuits of the next deal are there already.
  bool tuned = false;
};

/// The chunks of nodes first .. first+count-1, as seen from the source.
[[nodiscard]] inline std::vector<ChunkId> range(const FromSource& node, std::uint64_t first,
                                                std::uint64_t count) {
  std::vector<ChunkId> chunks(count);
  for (std::uint64_t i = 0; i < count; ++i) chunks[i] = node(first + i);
  return chunks;
}

}  // namespace flitscope::afsahi
