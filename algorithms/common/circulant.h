// All-gathers in which every position of a circle does the same in a step: ring, Bruck, direct.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "algorithms/common/spread.h"
#include "model/node_set.h"

namespace flitscope::common {

/// Position i sends the `count` blocks from that of position i + `first` on to position i + `to`. Positions
/// are modulo their number.
struct CirculantStep {
  std::uint32_t to = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

enum class Circulant : std::uint8_t {
  ring,    ///< every block goes round: n - 1 steps, one block a message
  bruck,   ///< to distance -1, -2, -4, .. all that is there: ceil(log_2 n) steps
  direct,  ///< every block by itself to every other position: n - 1 steps, one block a message
};

/// The steps of `positions` positions, each with a block of its own at the start, until each has every block.
/// No position gets a block twice.
[[nodiscard]] std::vector<CirculantStep> circulant_steps(Circulant method, std::uint32_t positions);

/// The all-gather of all nodes, whose positions are in an order in which neighbours are close (NodeGroups).
[[nodiscard]] Spread circulant_spread(const Topology& topology, Circulant method);

/// `group_size`, and the groups that it gives.
[[nodiscard]] Parameter group_size_parameter();
[[nodiscard]] NodeGroups groups_of(const Topology& topology, const ParameterValues& values);

/// "ring" or "bruck".
[[nodiscard]] Parameter circulant_parameter(std::string name, std::string summary);
[[nodiscard]] Circulant circulant_of(const ParameterValues& values, const std::string& name);

}  // namespace flitscope::common
