#include "sim/analysis/traffic_load.h"

#include <algorithm>
#include <cmath>

#include "model/route.h"

namespace flitscope {

namespace {

/// Dimensions in which both ways are equally long, as bits.
std::uint32_t ties_between(const Topology& topology, NodeId source, NodeId destination) {
  std::uint32_t ties = 0;
  for (unsigned dimension = 0; topology.wraps() && dimension < topology.dimensions(); ++dimension) {
    const std::uint32_t from = topology.coordinate(source, dimension);
    const std::uint32_t to = topology.coordinate(destination, dimension);
    if (2 * (from < to ? to - from : from - to) == topology.sides()[dimension]) ties |= 1U << dimension;
  }
  return ties;
}

class Loads {
 public:
  Loads(const Ways& ways, bool splits_ties)
      : ways_(ways),
        topology_(ways.topology()),
        splits_ties_(splits_ties),
        channels_(ways.topology().channel_ids()) {}

  /// `flits` flits a cycle from one node to another. A way is the same whatever the other dimensions do, so
  /// ties can be split leg by leg.
  void add(NodeId source, NodeId destination, double flits) {
    if (!ways_.follow_routes() && source != destination) {
      ways_.for_each_channel(source, destination, Route{}, [&](ChannelId channel) {
        channels_[channel] += flits;
        flit_hops_ += flits;
      });
      return;
    }
    const std::uint32_t ties = splits_ties_ ? ties_between(topology_, source, destination) : 0;
    const Route route = shortest_route(topology_, source, destination);
    NodeId at = source;
    for_each_leg(topology_, source, destination, route,
                 [&](unsigned dimension, Sign sign, std::uint32_t hops) {
                   const bool tie = (ties >> dimension & 1) != 0;
                   const double share = tie ? flits / 2 : flits;
                   walk(at, dimension, sign, hops, share);
                   if (tie) walk(at, dimension, opposite(sign), hops, share);
                   at = topology_.moved(at, dimension, sign, hops);
                   flit_hops_ += flits * hops;
                 });
  }

  [[nodiscard]] const std::vector<double>& channels() const { return channels_; }
  [[nodiscard]] double flit_hops() const { return flit_hops_; }

 private:
  void walk(NodeId at, unsigned dimension, Sign sign, std::uint32_t hops, double flits) {
    for (std::uint32_t hop = 0; hop < hops; ++hop) {
      channels_[topology_.channel(at, port_of(dimension, sign))] += flits;
      at = topology_.moved(at, dimension, sign, 1);
    }
  }

  const Ways& ways_;
  const Topology& topology_;
  bool splits_ties_;
  std::vector<double> channels_;
  double flit_hops_ = 0;
};

}  // namespace

double TrafficLoad::ideal_saturation(const Topology& topology, const MachineConfig& machine) const {
  const double node = node_channels(topology, machine);
  double load = std::max(max_injected / (node / machine.injection_pace()),
                         max_ejected / (node / machine.ejection_pace()));
  for (ChannelId channel = 0; channel < channels.size(); ++channel) {
    load = std::max(load, channels[channel] * machine.link(topology, channel).rate);
  }
  return load > 0 ? 1 / load : 0;
}

double TrafficLoad::mean_link_delay(const Topology& topology, const MachineConfig& machine) const {
  if (machine.links.none()) return hops_mean * machine.link_delay;
  double cycles = 0;
  for (ChannelId channel = 0; channel < channels.size(); ++channel) {
    cycles += channels[channel] * machine.link(topology, channel).delay;
  }
  return sent > 0 ? cycles / (sent * topology.nodes()) : 0;
}

std::optional<TrafficLoad> traffic_load(const Ways& ways, const TrafficConfig& config,
                                        const TrafficPattern& pattern, double limit) {
  const Topology& topology = ways.topology();
  const double nodes = topology.nodes();
  double diameter = 0;
  for (const std::uint32_t side : topology.sides()) diameter += topology.wraps() ? side / 2 : side - 1;
  if (!topology.is_grid()) diameter = std::log2(nodes) * 2;
  if (nodes * nodes * (1 + diameter / 2) > limit) return std::nullopt;

  Loads loads(ways, config.ties == Ties::random);
  std::vector<double> ejected(topology.nodes());
  TrafficLoad load;
  double sent = 0;
  for (NodeId source = 0; source < topology.nodes(); ++source) {
    double injected = 0;
    pattern.for_each_share(source, [&](NodeId destination, double share) {
      if (destination == source && !config.self) return;
      const double flits = share * pattern.rate(source);
      injected += flits;
      ejected[destination] += flits;
      loads.add(source, destination, flits);
    });
    load.max_injected = std::max(load.max_injected, injected);
    sent += injected;
  }
  load.max_ejected = *std::ranges::max_element(ejected);
  load.sent = sent / nodes;
  if (sent > 0) load.hops_mean = loads.flit_hops() / sent;
  const auto busiest = std::ranges::max_element(loads.channels());
  load.max_channel_load = *busiest;
  if (*busiest > 0) load.busiest = static_cast<ChannelId>(busiest - loads.channels().begin());
  load.channels = loads.channels();
  return load;
}

}  // namespace flitscope
