// The chunks that a message lists.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "model/types.h"

namespace flitscope {

/// The first place in `chunks` whose chunk has stood before it; nothing if all differ.
[[nodiscard]] std::optional<std::size_t> first_repeated(std::span<const ChunkId> chunks);

}  // namespace flitscope
