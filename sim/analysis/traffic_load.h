// The load of synthetic traffic on links and nodes, without a run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/machine.h"
#include "model/topology.h"
#include "routers/routing/paths.h"
#include "sim/analysis/path_enumerator.h"
#include "traffic/traffic.h"

namespace flitscope {

/// On the paths of the routing function, with ties as the configuration has them. Loads are flits per cycle
/// for an offered load of one flit per node and cycle.
///
/// A deterministic function has one path for two nodes and their ties, so its loads are exact. An adaptive
/// one has the least loads that a cut of the network leaves it: a minimal path on a torus or mesh crosses
/// every plane between two neighbouring coordinates that it must cross by one link, any other path enters its
/// destination by one, and what crosses a cut is spread over its links in proportion to their capacity. No
/// other choice of paths loads all links of a cut less.
struct TrafficLoad {
  /// Links that a message travels, on average over all messages that are sent.
  double hops_mean = 0;
  /// Flits sent per node and cycle: below 1 if nodes send nothing to themselves.
  double sent = 0;
  /// Of the link that is busy for the most cycles, and which it is (the first of several); nothing if the
  /// routing function chooses among links.
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
[[nodiscard]] TrafficLoad sum_of(const std::vector<LoadPart>& parts, const Topology& topology,
                                 const MachineConfig& machine);

/// Whether the routing function of this machine chooses among several links.
[[nodiscard]] bool chooses_links(const Topology& topology, const MachineConfig& machine);

/// Nothing if it would take more than `limit` steps along links.
[[nodiscard]] std::optional<TrafficLoad> traffic_load(const Topology& topology, const MachineConfig& machine,
                                                      const TrafficConfig& config,
                                                      const TrafficPattern& pattern, double limit = 3e8);

// The flows of synthetic traffic, as an analysis of deadlock looks at them.

/// Calls visit(flow) until it returns false, for every node and all others to which traffic has it send, by
/// the shortest paths; returns whether it never did.
bool for_each_pair(const Topology& topology, const MachineConfig& machine, const TrafficConfig& traffic,
                   const TrafficPattern& pattern, const std::function<bool(const Flow&)>& visit);

}  // namespace flitscope
