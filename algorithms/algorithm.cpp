#include "algorithms/algorithm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/collective.h"
#include "model/error.h"

namespace flitscope {

const char* name_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::other:
      return "other";
    case CollectiveKind::broadcast:
      return "broadcast";
    case CollectiveKind::multinode_broadcast:
      return "multinode-broadcast";
    case CollectiveKind::scatter:
      return "scatter";
    case CollectiveKind::gather:
      return "gather";
    case CollectiveKind::all_gather:
      return "all-gather";
    case CollectiveKind::gossip:
      return "gossip";
    case CollectiveKind::reduce:
      return "reduce";
    case CollectiveKind::reduce_scatter:
      return "reduce-scatter";
    case CollectiveKind::all_reduce:
      return "all-reduce";
    case CollectiveKind::all_to_all:
      return "all-to-all";
  }
  return "?";
}

std::vector<Parameter> broadcast_parameters() {
  return {
      {.name = "source",
       .type = ParameterType::node,
       .summary = "the node that holds the message at the start",
       .fallback = "origin"},
      {.name = "message",
       .type = ParameterType::bytes,
       .summary = "length of the message",
       .fallback = "64",
       .unit = "bytes",
       .minimum = 1,
       .maximum = std::int64_t{1} << 40},
  };
}

NodeId node_parameter(const Topology& topology, const ParameterValues& values, const std::string& name) {
  const auto& coordinates = values.coordinates(name);
  // Empty: "origin".
  const NodeId node = coordinates.empty() ? 0 : node_at(topology, coordinates, "workload." + name);
  if (!topology.is_missing(node)) return node;
  throw Inadmissible("workload." + name,
                     fmt::format("{} is missing; name a node that is there, such as {}",
                                 topology.node_name(node), topology.node_name(Participants(topology)[0])));
}

std::vector<NodeId> node_set_parameter(const Topology& topology, const ParameterValues& values,
                                       const std::string& name) {
  return nodes_of(values.node_set(name), topology, "workload." + name);
}

std::uint32_t equal_torus_side(const Topology& topology, const std::string& algorithm, std::uint32_t least) {
  require_torus(topology, algorithm);
  const auto sides = topology.sides();
  const std::uint32_t nearest = std::max(least, std::ranges::max(sides));
  const std::string instead = fmt::format("; nearest admissible: [{}]",
                                          fmt::join(std::vector<std::uint32_t>(sides.size(), nearest), ", "));
  if (std::ranges::any_of(sides, [&](std::uint32_t side) { return side != sides[0]; })) {
    throw Inadmissible("topology.shape", fmt::format("{} needs equal sides, not {}{}", algorithm,
                                                     fmt::join(sides, "x"), instead));
  }
  if (sides[0] < least) {
    throw Inadmissible("topology.shape", fmt::format("{} needs sides of at least {}, not {}{}", algorithm,
                                                     least, sides[0], instead));
  }
  return sides[0];
}

void require_torus(const Topology& topology, const std::string& algorithm) {
  if (topology.wraps()) return;
  throw Inadmissible("topology.kind",
                     fmt::format("{} needs a torus, not a {}", algorithm, name_of(topology.kind())));
}

}  // namespace flitscope
