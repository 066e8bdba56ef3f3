// What every algorithm of a collective has to move, by the definition of the collective.
#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/algorithm.h"

namespace flitscope {

/// The bytes that an ideal algorithm moves over each node's links for a byte of the operation, whose size is
/// that of the vector, of all parts together with all-gather, gossip and gather, and of what a node sends
/// with all-to-all. Nothing for kinds without such a rule.
[[nodiscard]] std::optional<double> bytes_of_each_node(CollectiveKind kind, double nodes);

/// A collective operation, identified by its data.
struct OperationData {
  CollectiveKind kind = CollectiveKind::other;
  /// Its size, as bytes_of_each_node() takes it; 0 of `other`.
  double bytes = 0;
};
/// The operation among all nodes that are not missing, two at least, whose data this is: what they hold,
/// contribute and want. A gossip is an all-gather. Parts may differ in size, but with an all-to-all every
/// node sends equally much to every other one, up to a byte for each chunk.
[[nodiscard]] OperationData operation_of(const Collective& collective, const Topology& topology);

/// The bytes of all parts of a gossip, of which each node has one; the largest number if they are more.
[[nodiscard]] std::uint64_t gossip_bytes(std::uint64_t part, const Topology& topology);

/// The least that any algorithm without reduction in routers puts on the busiest link, in bytes. `message` is
/// the length that CollectiveKind says; `sources` are those of a multinode broadcast.
[[nodiscard]] double least_link_bytes(CollectiveKind kind, const Topology& topology, std::uint64_t message,
                                      std::size_t sources = 1);

}  // namespace flitscope
