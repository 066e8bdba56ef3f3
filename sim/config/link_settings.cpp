#include "sim/config/link_settings.h"

#include <fmt/format.h>

#include "model/error.h"
#include "model/topology.h"

namespace flitscope {

std::vector<ChannelId> links_of(const LinkSetting& setting, const Topology& topology) {
  const ChannelId channel = parse_channel(setting.at, topology);
  if (!setting.both) return {channel};
  const unsigned port = topology.channel_port(channel);
  const NodeId here = topology.channel_node(channel);
  const NodeId there = topology.neighbour(here, port).value();
  if (topology.is_grid()) return {channel, topology.channel(there, topology.opposite_port(port))};
  const auto back = topology.graph()->port_to(there, here);
  if (back) return {channel, topology.channel(there, *back)};
  throw InputError(
      fmt::format("no link leads back from {} to {}", topology.node_name(there), topology.node_name(here)));
}

std::vector<LinkSetting> missing_links(const Topology& topology) {
  std::vector<LinkSetting> settings;
  if (!topology.is_grid() || topology.graph() == nullptr) return settings;
  for (const ChannelId link : topology.graph()->faults().links) {
    settings.push_back({.at = topology.channel_name(link), .missing = true});
  }
  return settings;
}

}  // namespace flitscope
