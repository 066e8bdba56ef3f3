// What a collective operation starts from and has to achieve, in chunks of data.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/types.h"

namespace flitscope {

/// A node and chunks, sorted by number: what it starts with, or what it must hold at the end.
struct Holding {
  NodeId node = 0;
  std::vector<ChunkId> chunks;
  bool operator==(const Holding&) const = default;
};

/// The data of a collective operation. Chunks are the unit of possession: a message carries whole chunks.
struct Collective {
  /// Bytes of each chunk, by ChunkId.
  std::vector<std::uint64_t> chunk_bytes;
  /// What nodes hold before the first step; a node that is not listed holds nothing.
  std::vector<Holding> initial;
  /// What nodes must hold at the end; nothing here means that everyone must have everything.
  std::optional<std::vector<Holding>> goal;

  bool operator==(const Collective&) const = default;

  /// One chunk of `bytes` bytes from `source` to all nodes.
  [[nodiscard]] static Collective broadcast(NodeId source, std::uint64_t bytes) {
    return {{bytes}, {{source, {0}}}, std::nullopt};
  }
};

}  // namespace flitscope
