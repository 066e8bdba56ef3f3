// Nodes of tori and meshes as parameters name them.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "model/node_set.h"

namespace flitscope::test {

/// "[1, 0]"; "origin" without coordinates.
[[nodiscard]] inline NodeName node_name(const std::vector<std::uint32_t>& coordinates) {
  return coordinates.empty() ? NodeName() : NodeName{fmt::format("[{}]", fmt::join(coordinates, ", "))};
}

}  // namespace flitscope::test
