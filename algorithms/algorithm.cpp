#include "algorithms/algorithm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace flitscope {

Parameter bytes_parameter(std::string name, std::string summary, std::string fallback, std::int64_t minimum) {
  return Parameter::bytes(std::move(name), std::move(summary), {minimum, std::int64_t{1} << 40})
      .or_else(std::move(fallback));
}

Parameter root_parameter(std::string name, std::string summary) {
  return Parameter::of(ParameterType::node, std::move(name), std::move(summary)).or_else("origin");
}

std::vector<Parameter> broadcast_parameters(std::vector<Parameter> more) {
  std::vector<Parameter> all{root_parameter("source", "the node that holds the message at the start"),
                             bytes_parameter("message", "length of the message", "64")};
  std::ranges::move(more, std::back_inserter(all));
  return all;
}

Parameter group_size_parameter() {
  return Parameter::integer(
             "group_size",
             "nodes of a group, in order, the last group may have fewer; 0: the groups of the network",
             {0, std::int64_t{1} << 31}, "nodes")
      .or_else("0");
}

NodeGroups groups_of(const Topology& topology, const ParameterValues& values) {
  return NodeGroups(topology, static_cast<std::uint32_t>(values.integer("group_size")));
}

NodeId node_parameter(const Topology& topology, const ParameterValues& values, const std::string& name) {
  const NodeId node = node_named(values.node(name), topology, "workload." + name);
  if (!topology.is_missing(node)) return node;
  throw Inadmissible("workload." + name, "{} is missing; name a node that is there, such as {}",
                     topology.node_name(node), topology.node_name(Participants(topology)[0]));
}

std::vector<NodeId> node_set_parameter(const Topology& topology, const ParameterValues& values,
                                       const std::string& name) {
  return nodes_of(values.node_set(name), topology, "workload." + name);
}

Inadmissible wrong_shape(const Topology& topology, const std::string& algorithm, const std::string& what,
                         const std::vector<std::uint32_t>& nearest, const std::string& otherwise) {
  return {"topology.shape",
          fmt::format("{} needs {}, not {}; nearest admissible: [{}]{}", algorithm, what,
                      fmt::join(topology.sides(), "x"), fmt::join(nearest, ", "), otherwise)};
}

void require_sides(const Topology& topology, const std::string& algorithm, const std::string& what,
                   std::uint32_t (*nearest_to)(std::uint32_t side), const std::string& otherwise) {
  std::vector<std::uint32_t> nearest;
  for (const std::uint32_t side : topology.sides()) nearest.push_back(nearest_to(side));
  if (std::ranges::equal(nearest, topology.sides())) return;
  throw wrong_shape(topology, algorithm, what, nearest, otherwise);
}

void require_powers_of_two(const Topology& topology, const std::string& algorithm,
                           const std::string& otherwise) {
  const auto nearest_power = [](std::uint32_t side) {
    const std::uint32_t below = std::bit_floor(side);
    return side - below < 2 * below - side ? below : 2 * below;
  };
  require_sides(topology, algorithm, "sides that are powers of two", nearest_power, otherwise);
}

void require_torus(const Topology& topology, const std::string& algorithm, std::uint32_t least) {
  refuse_if(!topology.wraps(), "topology.kind", "{} needs a torus, not a {}", algorithm,
            name_of(topology.kind()));
  if (std::ranges::min(topology.sides()) >= least) return;
  std::vector<std::uint32_t> nearest(topology.sides().begin(), topology.sides().end());
  for (std::uint32_t& side : nearest) side = std::max(side, least);
  throw wrong_shape(topology, algorithm, fmt::format("sides of at least {}", least), nearest);
}

std::uint32_t equal_torus_side(const Topology& topology, const std::string& algorithm, std::uint32_t least) {
  require_torus(topology, algorithm);
  const auto sides = topology.sides();
  const std::vector nearest(sides.size(), std::max(least, std::ranges::max(sides)));
  if (std::ranges::adjacent_find(sides, std::not_equal_to()) != sides.end()) {
    throw wrong_shape(topology, algorithm, "equal sides", nearest);
  }
  require_torus(topology, algorithm, least);
  return sides[0];
}

}  // namespace flitscope
