#include "sim/config/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "model/error.h"
#include "model/text.h"

namespace flitscope {

namespace {

/// Takes a number from the front of `text`.
std::optional<std::uint32_t> take_number(std::string_view& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Takes "[1,2]" from the front of a text without blanks.
std::optional<NodeId> take_node(std::string_view& text, const Topology& topology) {
  std::vector<std::uint32_t> coordinates;
  for (char before = '['; coordinates.size() < topology.dimensions(); before = ',') {
    if (!text.starts_with(before)) return std::nullopt;
    text.remove_prefix(1);
    const auto coordinate = take_number(text);
    if (!coordinate || *coordinate >= topology.side(static_cast<unsigned>(coordinates.size()))) {
      return std::nullopt;
    }
    coordinates.push_back(*coordinate);
  }
  if (!text.starts_with(']')) return std::nullopt;
  text.remove_prefix(1);
  return topology.node(coordinates);
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

}  // namespace

void read_missing_link(const std::string& text, const Topology& whole, Faults& faults) {
  const std::string plain = without_blanks(text);
  std::string_view left = plain;
  const auto node = take_node(left, whole);
  const bool minus = left.starts_with('-');
  if (node && (minus || left.starts_with('+'))) {
    left.remove_prefix(1);
    const auto dimension = take_number(left);
    const bool fits = dimension && *dimension < whole.dimensions() && (left.empty() || left == "both");
    const unsigned port = fits ? port_of(*dimension, minus ? Sign::minus : Sign::plus) : 0;
    const auto there = fits ? whole.neighbour(*node, port) : std::nullopt;
    if (there) {
      faults.links.push_back(whole.channel(*node, port));
      if (!left.empty()) faults.links.push_back(whole.channel(*there, whole.opposite_port(port)));
      return;
    }
  }
  throw InputError(fmt::format("{} is no link of the {}; the one that leaves {} in direction {} is '{}', and '{} both' "
                               "is also the one that leads back",
                               in_quotes(text), whole.name(), whole.node_name(0), whole.port_name(0),
                               whole.channel_name(whole.channel(0, 0)), whole.channel_name(whole.channel(0, 0))));
}

void read_missing_node(const std::string& text, const Topology& whole, Faults& faults) {
  const std::string plain = without_blanks(text);
  std::string_view left = plain;
  const auto node = take_node(left, whole);
  if (node && left.empty()) {
    faults.nodes.push_back(*node);
    return;
  }
  throw InputError(fmt::format("{} is no node of the {}; its nodes are {} to {}", in_quotes(text), whole.name(),
                               whole.node_name(0), whole.node_name(whole.nodes() - 1)));
}

std::vector<std::string> missing_links_text(const Topology& topology) {
  std::vector<std::string> texts;
  for (const ChannelId link : topology.graph()->faults().links) texts.push_back(topology.channel_name(link));
  return texts;
}

std::vector<std::string> missing_nodes_text(const Topology& topology) {
  std::vector<std::string> texts;
  for (const NodeId node : topology.graph()->faults().nodes) texts.push_back(topology.node_name(node));
  return texts;
}

}  // namespace flitscope
