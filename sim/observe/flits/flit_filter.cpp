#include "sim/observe/flits/flit_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "model/error.h"
#include "model/schedule.h"
#include "model/text.h"

namespace flitscope {

namespace {

template <typename T>
bool allows(const std::vector<T>& list, const T& value) {
  return list.empty() || std::ranges::find(list, value) != list.end();
}

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

bool FlitFilter::passes_message(std::uint64_t id) const {
  return allows(messages, id) && allows(steps, message_name(id).step);
}

bool FlitFilter::passes(const FlitEvent& event, const Topology& topology) const {
  if (!passes_time(event.cycle, event.end()) || !allows(nodes, event.node)) return false;
  if (!passes_message(event.message) || !allows(events, event.kind)) return false;
  if (channels.empty()) return true;
  const bool link = event.kind != FlitEventKind::inject && event.port < topology.link_ports();
  return link && allows(channels, topology.channel(event.node, event.port));
}

std::optional<std::string> FlitFilter::contradiction(const Topology& topology) const {
  if (to && from > *to) return fmt::format("it begins in cycle {} and ends in cycle {}", from, *to);
  const auto of_steps = [&](std::uint64_t id) { return allows(steps, message_name(id).step); };
  if (!messages.empty() && std::ranges::none_of(messages, of_steps)) {
    return "none of its messages belongs to one of its steps";
  }
  const auto of_nodes = [&](ChannelId channel) { return allows(nodes, topology.channel_node(channel)); };
  if (!channels.empty() && std::ranges::none_of(channels, of_nodes)) {
    return "none of its links leaves one of its nodes";
  }
  return std::nullopt;
}

std::vector<NodeId> FlitFilter::watched_nodes(const Topology& topology) const {
  if (!nodes.empty()) return nodes;
  std::vector<NodeId> result;
  for (const ChannelId channel : channels) result.push_back(topology.channel_node(channel));
  return result;
}

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

std::uint64_t parse_message(const std::string& text) {
  const std::size_t dot = text.find('.');
  const auto step = number_in(std::string_view(text).substr(0, dot));
  const auto place =
      dot == std::string::npos ? std::nullopt : number_in(std::string_view(text).substr(dot + 1));
  if (step && place && *step >= 1 && *place >= 1 && *step < kMessageNumbers && *place < kMessageNumbers) {
    return message_id(*step, *place - 1);
  }
  throw InputError(
      fmt::format("{} is no message; message 5 of step 3 is '3.5', both count from 1", in_quotes(text)));
}

std::uint64_t parse_step(const std::string& text) {
  const auto step = number_in(text);
  if (step && *step >= 1) return *step;
  throw InputError(fmt::format("{} is no step; steps count from 1", in_quotes(text)));
}

std::uint64_t parse_number(const std::string& text, const char* what) {
  if (const auto number = number_in(text)) return *number;
  throw InputError(fmt::format("{} must be a whole number, not {}", what, in_quotes(text)));
}

}  // namespace flitscope
