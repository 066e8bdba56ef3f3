// What synthetic traffic does to the links of a network, without a run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "routers/routing/paths.h"
#include "traffic/traffic.h"

namespace flitscope {

/// Of the shortest ways, dimension 0 first, with ties as the configuration has them; on other networks than
/// whole tori and meshes of those that the routing function takes. Loads are flits a cycle for a load of one
/// flit per node and cycle.
struct TrafficLoad {
  /// Links that a message travels, on average over all messages that are sent.
  double hops_mean = 0;
  /// Flits sent per node and cycle: below 1 if nodes send nothing to themselves.
  double sent = 0;
  /// Of the link with the highest load, and which it is (the first of several).
  double max_channel_load = 0;
  std::optional<ChannelId> busiest;
  /// Of every link, by number.
  std::vector<double> channels;
  /// What every node sends, and receives.
  std::vector<double> injected;
  std::vector<double> ejected;

  /// The load at which a link, or the injection or ejection channels of a node, are always busy: no router
  /// can accept more.
  [[nodiscard]] double ideal_saturation(const Topology& topology, const MachineConfig& machine) const;
  /// The same beside other traffic, whose loads are those that it has; 0 if nothing is left.
  [[nodiscard]] double ideal_saturation(const Topology& topology, const MachineConfig& machine,
                                        const TrafficLoad& beside) const;
  /// Cycles that a message spends on links, on average.
  [[nodiscard]] double mean_link_delay(const Topology& topology, const MachineConfig& machine) const;
};

/// A kind of traffic, and its part of several.
struct LoadPart {
  const TrafficLoad& load;
  double part = 1;
};
/// Of several kinds together, each times its part: shares that add up to 1, or loads in flits per node and
/// cycle. At least one.
[[nodiscard]] TrafficLoad together(const std::vector<LoadPart>& parts);

/// Nothing if it would take more than `limit` steps along links.
[[nodiscard]] std::optional<TrafficLoad> traffic_load(const Paths& ways, const TrafficConfig& config,
                                                      const TrafficPattern& pattern, double limit = 3e8);

}  // namespace flitscope
