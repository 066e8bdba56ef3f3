// Rows of keys that several observers have: nodes, links, times.
#pragma once

#include <string>
#include <utility>

#include "model/topology.h"
#include "model/types.h"
#include "params/key.h"

namespace flitscope {

namespace key_rows {

inline std::string write_node(const NodeId& node, const Topology& topology) {
  return node_text(node, topology);
}
inline std::string write_channel(const ChannelId& channel, const Topology& topology) {
  return topology.channel_name(channel);
}

}  // namespace key_rows

/// Nodes, such as [[0, 0], [1, 2]]; none are written as the first of the key's words.
template <typename Keys>
[[nodiscard]] Row<Keys> nodes_row(std::vector<NodeId> Keys::*field, Parameter parameter) {
  parameter.type = ParameterType::node;
  return list_row(field, parse_node, key_rows::write_node, std::move(parameter));
}

/// Links, such as ['[1, 0]+0'], likewise. Only networks with links have the key.
template <typename Keys>
[[nodiscard]] Row<Keys> links_row(std::vector<ChannelId> Keys::*field, Parameter parameter) {
  parameter.type = ParameterType::text;
  return of_links(list_row(field, parse_channel, key_rows::write_channel, std::move(parameter)));
}

/// The key `from` of a field of that name: the first cycle.
template <typename Keys>
[[nodiscard]] Row<Keys> from_row(const std::string& summary = "first cycle") {
  return row(&Keys::from, Parameter::cycles("from", summary, {0, kMaxCycles}));
}

/// The key `to`: the last cycle, or `end`, which is that of the run.
template <typename Keys>
[[nodiscard]] Row<Keys> to_row() {
  return row(&Keys::to,
             Parameter::cycles("to", "last cycle; end: that of the run", {0, kMaxCycles}).or_words({"end"}));
}

}  // namespace flitscope
