#include "sim/formats/node_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "model/graph.h"
#include "model/text.h"

namespace flitscope {
namespace {

NodeId read_node_of_graph(const JsonValue& value, const Topology& topology) {
  const auto node = value.is_text() ? topology.graph()->router_named(value.text()) : std::nullopt;
  if (node && *node < topology.nodes()) return *node;
  value.fail_wanted(
      fmt::format("the name of a node of the {}, such as \"{}\"", topology.name(), topology.node_name(0)));
}

NodeId read_node_of_grid(const JsonValue& value, const Topology& topology) {
  const unsigned dimensions = topology.dimensions();
  if (value.size() != dimensions) {
    value.fail_wanted(fmt::format("a node of the {}, {}", topology.name(),
                                  counted(dimensions, "coordinate", "coordinates")));
  }
  std::array<std::uint32_t, kMaxDimensions> coordinates{};
  for (unsigned k = 0; k < dimensions; ++k) {
    coordinates[k] =
        static_cast<std::uint32_t>(value.at(k).whole(0, std::numeric_limits<std::uint32_t>::max()));
  }
  const std::span<const std::uint32_t> given(coordinates.data(), dimensions);
  for (unsigned k = 0; k < dimensions; ++k) {
    if (coordinates[k] < topology.side(k)) continue;
    value.fail(fmt::format("names a node that does not exist: [{}]; on the {}, coordinate {} must be 0 to {}",
                           fmt::join(given, ", "), topology.name(), k, topology.side(k) - 1));
  }
  return topology.node(given);
}

}  // namespace

nlohmann::ordered_json node_json(const Topology& topology, NodeId node) {
  if (topology.is_grid()) return topology.coordinates(node);
  if (topology.has_links()) return topology.node_name(node);
  return node;
}

NodeId read_node(const JsonValue& value, const Topology& topology) {
  if (topology.is_grid()) return read_node_of_grid(value, topology);
  if (topology.has_links()) return read_node_of_graph(value, topology);
  return static_cast<NodeId>(value.whole(0, topology.nodes() - 1));
}

}  // namespace flitscope
