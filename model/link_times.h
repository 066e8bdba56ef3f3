// Delays and intervals of the links of a network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/topology.h"

namespace flitscope {

/// A directed link.
struct LinkTime {
  std::uint32_t delay = 1;            ///< cycles a flit spends on it
  std::uint32_t cycles_per_flit = 1;  ///< it takes one flit every so many cycles
  bool operator==(const LinkTime&) const = default;
};

/// Links that differ from the rest (MachineConfig::link_delay, link_cycles_per_flit). Settings of a single
/// link have priority, then those of the topology, then those of its dimension.
struct LinkTimes {
  /// Settings of a single link; absent ones keep the common value.
  struct Own {
    std::optional<std::uint32_t> delay{};
    std::optional<std::uint32_t> cycles_per_flit{};
    bool operator==(const Own&) const = default;
  };

  /// Delays, one a dimension. Empty: all dimensions are alike. Only of tori and meshes.
  std::vector<std::uint32_t> by_dimension;
  /// By channel, if the topology has times of its own; otherwise empty.
  std::vector<LinkTime> by_channel;
  std::map<ChannelId, Own> single;

  [[nodiscard]] bool none() const { return by_dimension.empty() && by_channel.empty() && single.empty(); }
  /// The link `channel` where links without settings are `usual`.
  [[nodiscard]] LinkTime of(const Topology& topology, ChannelId channel, LinkTime usual) const {
    LinkTime time = usual;
    if (!by_dimension.empty()) time.delay = by_dimension[dimension_of_port(topology.channel_port(channel))];
    if (!by_channel.empty()) time = by_channel[channel];
    if (const auto own = single.find(channel); own != single.end()) {
      time = {own->second.delay.value_or(time.delay),
              own->second.cycles_per_flit.value_or(time.cycles_per_flit)};
    }
    return time;
  }
  /// No link has a longer delay, or takes longer for a flit.
  [[nodiscard]] LinkTime longest(LinkTime usual) const {
    LinkTime time = usual;
    const auto add = [&](LinkTime other) {
      time = {std::max(time.delay, other.delay), std::max(time.cycles_per_flit, other.cycles_per_flit)};
    };
    for (const std::uint32_t delay : by_dimension) add({delay, 1});
    for (const LinkTime& each : by_channel) add(each);
    for (const auto& [channel, own] : single) add({own.delay.value_or(1), own.cycles_per_flit.value_or(1)});
    return time;
  }
  bool operator==(const LinkTimes&) const = default;
};

}  // namespace flitscope
