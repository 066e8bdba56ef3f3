#include "sim/analysis/traffic_load.h"

#include <algorithm>
#include <cmath>

#include "model/route.h"

namespace flitscope {

std::uint32_t ties_between(const Topology& topology, NodeId source, NodeId destination) {
  std::uint32_t ties = 0;
  for (unsigned dimension = 0; topology.wraps() && dimension < topology.dimensions(); ++dimension) {
    const std::uint32_t from = topology.coordinate(source, dimension);
    const std::uint32_t to = topology.coordinate(destination, dimension);
    if (2 * (from < to ? to - from : from - to) == topology.sides()[dimension]) ties |= 1U << dimension;
  }
  return ties;
}

namespace {

class Loads {
 public:
  Loads(const Paths& paths, bool splits_ties)
      : paths_(paths),
        topology_(paths.topology()),
        splits_ties_(splits_ties),
        channels_(paths.topology().channel_ids()) {}

  /// Adds `flits` flits per cycle from one node to another. Ties of dimensions are independent, so each leg
  /// is split by itself.
  void add(NodeId source, NodeId destination, double flits) {
    if (!paths_.follow_routes() && source != destination) {
      paths_.for_each_channel(source, destination, Route{}, [&](ChannelId channel) {
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

  const Paths& paths_;
  const Topology& topology_;
  bool splits_ties_;
  std::vector<double> channels_;
  double flit_hops_ = 0;
};

void find_busiest(TrafficLoad& load) {
  const auto busiest = std::ranges::max_element(load.channels);
  load.max_channel_load = *busiest;
  if (*busiest > 0) load.busiest = static_cast<ChannelId>(busiest - load.channels.begin());
}

}  // namespace

double TrafficLoad::ideal_saturation(const Topology& topology, const MachineConfig& machine) const {
  const double node = node_channels(topology, machine);
  double load = std::max(*std::ranges::max_element(injected) / (node / machine.injection_interval),
                         *std::ranges::max_element(ejected) / (node / machine.ejection_interval));
  for (ChannelId channel = 0; channel < channels.size(); ++channel) {
    load = std::max(load, channels[channel] * machine.link(topology, channel).cycles_per_flit);
  }
  return load > 0 ? 1 / load : 0;
}

double TrafficLoad::ideal_saturation(const Topology& topology, const MachineConfig& machine,
                                     const TrafficLoad& beside) const {
  std::optional<double> most;
  const auto look = [&](double own, double other, double possible) {
    if (own <= 0) return;
    const double load = std::max(0.0, (possible - other) / own);
    most = std::min(load, most.value_or(load));
  };
  const double node = node_channels(topology, machine);
  for (NodeId each = 0; each < topology.nodes(); ++each) {
    look(injected[each], beside.injected[each], node / machine.injection_interval);
    look(ejected[each], beside.ejected[each], node / machine.ejection_interval);
  }
  for (ChannelId channel = 0; channel < channels.size(); ++channel) {
    look(channels[channel], beside.channels[channel], 1.0 / machine.link(topology, channel).cycles_per_flit);
  }
  return most.value_or(0);
}

double TrafficLoad::mean_link_delay(const Topology& topology, const MachineConfig& machine) const {
  if (machine.links.none()) return hops_mean * machine.link_delay;
  double cycles = 0;
  for (ChannelId channel = 0; channel < channels.size(); ++channel) {
    cycles += channels[channel] * machine.link(topology, channel).delay;
  }
  return sent > 0 ? cycles / (sent * topology.nodes()) : 0;
}

std::optional<TrafficLoad> traffic_load(const Paths& paths, const TrafficConfig& config,
                                        const TrafficPattern& pattern, double limit) {
  const Topology& topology = paths.topology();
  const double nodes = topology.nodes();
  double diameter = 0;
  for (const std::uint32_t side : topology.sides()) diameter += topology.wraps() ? side / 2 : side - 1;
  if (!topology.is_grid()) diameter = std::log2(nodes) * 2;
  if (nodes * nodes * (1 + diameter / 2) > limit) return std::nullopt;

  Loads loads(paths, config.ties == Ties::random);
  TrafficLoad load;
  load.injected.resize(topology.nodes());
  load.ejected.resize(topology.nodes());
  double sent = 0;
  for (NodeId source = 0; source < topology.nodes(); ++source) {
    double injected = 0;
    pattern.for_each_share(source, [&](NodeId destination, double share) {
      if (destination == source && !config.self) return;
      const double flits = share * pattern.rate(source);
      injected += flits;
      load.ejected[destination] += flits;
      loads.add(source, destination, flits);
    });
    load.injected[source] = injected;
    sent += injected;
  }
  load.sent = sent / nodes;
  if (sent > 0) load.hops_mean = loads.flit_hops() / sent;
  load.channels = loads.channels();
  find_busiest(load);
  return load;
}

TrafficLoad sum_of(const std::vector<LoadPart>& parts) {
  TrafficLoad all;
  const auto add = [](std::vector<double>& sums, const std::vector<double>& values, double part) {
    sums.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sums[i] += part * values[i];
  };
  double flit_hops = 0;
  for (const auto& [load, part] : parts) {
    add(all.channels, load.channels, part);
    add(all.injected, load.injected, part);
    add(all.ejected, load.ejected, part);
    all.sent += part * load.sent;
    flit_hops += part * load.sent * load.hops_mean;
  }
  if (all.sent > 0) all.hops_mean = flit_hops / all.sent;
  find_busiest(all);
  return all;
}

}  // namespace flitscope
