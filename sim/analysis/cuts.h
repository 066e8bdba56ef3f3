// What would break the dependency cycles of a dependency graph: layers of virtual channels, or turns that
// nobody takes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/analysis/flows.h"
#include "sim/analysis/path_enumerator.h"

namespace flitscope {

/// From one link port into another.
struct Turn {
  unsigned from = 0;
  unsigned into = 0;
  bool operator==(const Turn&) const = default;
};

/// Puts every way into the first layer of channels in which it closes no dependency cycle, and returns how
/// many layers that takes: with so many virtual channels, and each message in that of its layer, there is no
/// deadlock. Nothing if there are more ways than `max_ways` or more layers than 16. Requires a deterministic
/// routing function.
[[nodiscard]] std::optional<unsigned> layers_of(PathEnumerator& ways, const Flows& flows,
                                                std::uint64_t max_ways);

/// A smallest set of kinds of turns without which there is no dependency cycle and every message still has a
/// way: those of an adaptive function. Nothing if it takes more than four, or the network is too large to
/// try.
[[nodiscard]] std::optional<std::vector<Turn>> turns_to_forbid(PathEnumerator& ways, const Flows& flows);

}  // namespace flitscope
