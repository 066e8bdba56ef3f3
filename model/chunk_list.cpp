#include "model/chunk_list.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

namespace flitscope {

std::optional<std::size_t> first_repeated(std::span<const ChunkId> chunks) {
  // Mostly they rise.
  if (std::ranges::adjacent_find(chunks, std::greater_equal()) == chunks.end()) return std::nullopt;
  std::unordered_set<ChunkId> seen;
  for (std::size_t place = 0; place < chunks.size(); ++place) {
    if (!seen.insert(chunks[place]).second) return place;
  }
  return std::nullopt;
}

}  // namespace flitscope
