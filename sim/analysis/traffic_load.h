// The load of synthetic traffic on links and nodes, without a run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "routers/routing/paths.h"
#include "traffic/traffic.h"

namespace flitscope {

/// On the shortest paths, dimension 0 first, with ties as the configuration has them; on other networks than
/// whole tori and meshes on the paths of the routing function. Loads are flits per cycle for an offered load
/// of one flit per node and cycle.
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
  /// Sent and received by every node.
  std::vector<double> injected;
  std::vector<double> ejected;

  /// The offered load at which a link, or the injection or ejection channels of a node, are always busy: an
  /// upper bound of saturation.
  [[nodiscard]] double ideal_saturation(const Topology& topology, const MachineConfig& machine) const;
  /// The same beside other traffic; 0 if that alone saturates the network.
  [[nodiscard]] double ideal_saturation(const Topology& topology, const MachineConfig& machine,
                                        const TrafficLoad& beside) const;
  /// Cycles that a message spends on links, on average.
  [[nodiscard]] double mean_link_delay(const Topology& topology, const MachineConfig& machine) const;
};

/// The dimensions in which both directions are equally long, as bits.
[[nodiscard]] std::uint32_t ties_between(const Topology& topology, NodeId source, NodeId destination);

/// One of several kinds of traffic, and its weight.
struct LoadPart {
  const TrafficLoad& load;
  double part = 1;
};
/// The sum of at least one kind of traffic, each times its weight: shares that add up to 1, or loads in flits
/// per node and cycle.
[[nodiscard]] TrafficLoad sum_of(const std::vector<LoadPart>& parts);

/// Nothing if it would take more than `limit` steps along links.
[[nodiscard]] std::optional<TrafficLoad> traffic_load(const Paths& paths, const TrafficConfig& config,
                                                      const TrafficPattern& pattern, double limit = 3e8);

}  // namespace flitscope
