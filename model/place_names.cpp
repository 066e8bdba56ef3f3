#include "model/place_names.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/error.h"
#include "model/text.h"

namespace flitscope {

namespace place_names {
namespace {

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string without_spaces(std::string_view text) {
  std::string result(text);
  std::erase(result, ' ');
  return result;
}

/// The coordinates in "[1,0]", or nothing.
std::optional<std::vector<std::uint32_t>> coordinates_in(std::string_view text) {
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  text = text.substr(1, text.size() - 2);
  std::vector<std::uint32_t> coordinates;
  while (true) {
    const std::size_t comma = text.find(',');
    const auto number = number_in(text.substr(0, comma));
    if (!number || *number > 0xFFFFFFFF) return std::nullopt;
    coordinates.push_back(static_cast<std::uint32_t>(*number));
    if (comma == std::string_view::npos) return coordinates;
    text.remove_prefix(comma + 1);
  }
}

std::optional<NodeId> node_in(std::string_view text, const Topology& topology) {
  if (!topology.is_grid()) {
    for (NodeId node = 0; topology.has_links() && node < topology.routers(); ++node) {
      if (text == topology.node_name(node)) return node;
    }
    const auto number = number_in(text);
    return number && *number < topology.nodes() ? std::optional(static_cast<NodeId>(*number)) : std::nullopt;
  }
  const auto coordinates = coordinates_in(text);
  if (!coordinates || coordinates->size() != topology.dimensions()) return std::nullopt;
  for (unsigned dimension = 0; dimension < topology.dimensions(); ++dimension) {
    if ((*coordinates)[dimension] >= topology.side(dimension)) return std::nullopt;
  }
  return topology.node(*coordinates);
}

}  // namespace
}  // namespace place_names

using place_names::node_in;
using place_names::without_spaces;

std::string node_text(NodeId node, const Topology& topology) {
  return !topology.has_links() ? std::to_string(node) : topology.node_name(node);
}

NodeId parse_node(const std::string& text, const Topology& topology) {
  if (const auto node = node_in(without_spaces(text), topology)) return *node;
  throw InputError(fmt::format("{} is no node of the {}; its nodes are {} to {}", in_quotes(text),
                               topology.name(), node_text(0, topology),
                               node_text(topology.nodes() - 1, topology)));
}

ChannelId parse_channel(const std::string& text, const Topology& topology) {
  const std::string plain = without_spaces(text);
  for (ChannelId channel = 0; topology.kind() == TopologyKind::graph && channel < topology.channel_ids();
       ++channel) {
    const bool there = topology.has_link(topology.channel_node(channel), topology.channel_port(channel));
    if (there && plain == topology.channel_name(channel)) return channel;
  }
  const std::size_t bracket = plain.find(']');
  if (bracket != std::string::npos) {
    const auto node = node_in(plain.substr(0, bracket + 1), topology);
    for (unsigned port = 0; node && port < topology.link_ports(); ++port) {
      if (plain.substr(bracket + 1) == topology.port_name(port) && topology.has_link(*node, port)) {
        return topology.channel(*node, port);
      }
    }
  }
  if (topology.kind() == TopologyKind::graph) {
    throw InputError(
        fmt::format("{} is no channel of the {}; one that leads from r0 to r1 is 'r0>r1', or 'r0:PORT' "
                    "if it has a name",
                    in_quotes(text), topology.name()));
  }
  throw InputError(
      fmt::format("{} is no channel of the {}; the one that leaves node {} in direction {} is '{}'",
                  in_quotes(text), topology.name(), topology.node_name(0), topology.port_name(0),
                  topology.channel_name(topology.channel(0, 0))));
}

}  // namespace flitscope
