// Basic types: identifiers, time, directions.
#pragma once

#include <cstdint>
#include <limits>

namespace flitscope {

/// Number of a node, 0 .. nodes-1; dimension 0 runs fastest.
using NodeId = std::uint32_t;

/// Number of a directed link between two routers: node * 2 * dimensions + port (see Topology::channel).
using ChannelId = std::uint64_t;

/// Number of a chunk, the unit of a collective's data, 0 .. chunks-1.
using ChunkId = std::uint32_t;

/// Time, counted in clocks of the network.
using Cycle = std::uint64_t;

/// The most dimensions a network can have: a route keeps one bit of sign for each.
inline constexpr unsigned kMaxDimensions = 16;
/// Nodes that a network can have.
inline constexpr std::uint64_t kMaxNodes = std::uint64_t{1} << 31;

inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();
/// The last cycle that a configuration can name.
inline constexpr Cycle kMaxCycles = 1'000'000'000'000'000;
inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// Direction of travel along a dimension.
enum class Sign : std::uint8_t { plus, minus };

[[nodiscard]] constexpr Sign opposite(Sign sign) {
  return sign == Sign::plus ? Sign::minus : Sign::plus;
}

/// On tori and meshes, ports of a router that lead to neighbours are numbered 2 * dimension + (0 for plus, 1
/// for minus).
[[nodiscard]] constexpr unsigned port_of(unsigned dimension, Sign sign) {
  return 2 * dimension + static_cast<unsigned>(sign);
}
[[nodiscard]] constexpr unsigned dimension_of_port(unsigned port) {
  return port / 2;
}
[[nodiscard]] constexpr Sign sign_of_port(unsigned port) {
  return static_cast<Sign>(port % 2);
}

}  // namespace flitscope
