// What a network costs, and what it offers at best, without a simulation: its links, wires and buffers, and
// the width and distances of its topology.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/link_kinds.h"
#include "model/machine.h"
#include "model/topology.h"
#include "model/units.h"

namespace flitscope {

/// By router: whether it is a node that is attached to a router, and no router itself. Its family or file
/// says so by the kind "node" of its links, one each way.
[[nodiscard]] std::vector<bool> attached_nodes(const Topology& topology);

inline constexpr std::uint32_t kUnreachable = 0xFFFFFFFF;
/// By router: the links from the nearest of some nodes to it, or kUnreachable.
[[nodiscard]] std::vector<std::uint32_t> links_from(const Topology& topology, std::span<const NodeId> nodes);

/// Links of one kind.
struct LinkKind {
  std::string name;
  std::uint64_t links = 0;
  /// The sum of their lengths on the layout, where a link of length 1 counts 1.
  double length = 0;
  /// Of their wires, if the length of such a link was given.
  std::optional<double> mm;
};

/// The flits that cross a cut between two halves of the nodes, each way, in a cycle.
struct Bisection {
  double flits_per_cycle = 0;
  /// The least of all cuts. Otherwise the least of those that were tried: an upper bound.
  bool is_exact = false;
  /// "closed form", or the order of routers whose first ones are one side: "breadth-first from [0, 0]";
  /// "links of nodes": attached nodes without their routers. With ", improved": after moves.
  std::string found_by;
};

/// Of a network with so many nodes that are there. Searches take some `max_work` steps along links at most.
[[nodiscard]] Bisection bisection_of(const Topology& topology, const MachineConfig& machine,
                                     std::uint64_t nodes, double max_work);

/// Links are directed, distances are of shortest paths between different nodes. Of several networks, by each
/// of which messages of other classes go, these are the farthest of all and the mean over them.
struct NetworkCost {
  std::uint64_t nodes = 0;
  /// Without attached nodes.
  std::uint64_t routers = 0;
  std::uint64_t links = 0;
  std::vector<LinkKind> kinds;
  /// Of all wires, if the lengths of all kinds were given.
  std::optional<double> wire_mm;
  Bisection bisection;
  /// Nothing where the network has too many nodes to look from each.
  std::optional<std::uint32_t> diameter;
  std::optional<double> hops_mean;
  /// Ports of the router that has most: links, and channels of its own node.
  unsigned radix = 0;
  /// Of all input buffers.
  std::uint64_t buffer_bits = 0;
};

/// `mm`: the length of a link of each kind, or one for all; empty: not known. The network must have links.
/// Searches take some `max_work` steps along links at most.
[[nodiscard]] NetworkCost network_cost(const Topology& topology, const MachineConfig& machine,
                                       std::span<const Decimal> mm, double max_work);

}  // namespace flitscope
