#include "sim/run/traffic_bounds.h"

#include <algorithm>

#include "model/zero_load_latency.h"
#include "sim/config/workload_keys.h"
#include "sim/run/packets.h"

namespace flitscope {

namespace {

/// Flits on links for each flit of data.
double sent_for_data(const ExperimentConfig& config, const TrafficConfig& traffic) {
  return mean_sent_flits(config, traffic) / mean_flits(traffic, config.machine);
}

/// The interval of all links; nothing if they differ.
std::optional<Ratio> common_interval(const MachineConfig& machine) {
  const LinkTimes& links = machine.links;
  const Ratio common =
      links.by_channel.empty() ? machine.link_cycles_per_flit : links.by_channel.front().cycles_per_flit;
  const bool alike =
      std::ranges::all_of(links.by_channel,
                          [&](const LinkTime& link) { return link.cycles_per_flit == common; }) &&
      std::ranges::all_of(links.single, [&](const auto& link) {
        return link.second.cycles_per_flit.value_or(common) == common;
      });
  return alike ? std::optional(common) : std::nullopt;
}

/// No path of a message alone has more links.
std::uint64_t longest_path(const Topology& topology, const Routing& routing) {
  if (!topology.is_fault_free_grid() || !routing.minimal) return 2 * std::uint64_t{topology.routers()};
  std::uint64_t links = 0;
  for (const std::uint32_t side : topology.sides())
    links += topology.wraps() && !topology.is_one_way() ? side / 2 : side - 1;
  return links;
}

/// The mean latency of a message alone on paths of `load`, whose links take no time, and a flit every
/// `interval` cycles. Nothing if buffers are too short, or it does not grow by as much with every link.
std::optional<double> latency_without_links(const ExperimentConfig& config, const TrafficConfig& traffic,
                                            const TrafficLoad& load, Ratio interval) {
  const MachineConfig& machine = config.machine;
  const LoneWorms worms(config);
  const std::uint64_t shortest = traffic.self ? 0 : 1;
  const std::uint64_t longest =
      std::max(longest_path(config.topology, *RoutingRegistry::find(machine.routing)), shortest + 1);
  bool is_known = true;
  const double mean = mean_of(traffic.message, [&](std::uint64_t bytes) {
    const auto worm = worms.flits(flits_of(bytes, machine.flit_bytes));
    is_known = is_known && worm.has_value();
    const std::uint64_t flits = worm.value_or(1);
    const auto over = [&](std::uint64_t links) {
      ZeroLoadLatency latency(machine, flits);
      latency.pass({0, interval}, links);
      return latency.cycles();
    };
    const Cycle of_link = over(shortest + 1) - over(shortest);
    // The latency is convex in the number of links.
    is_known = is_known && of_link == over(longest) - over(longest - 1) &&
               ZeroLoadLatency(machine, flits).buffers_cover({machine.longest_link().delay, interval});
    return static_cast<double>(over(shortest)) +
           (load.hops_mean - static_cast<double>(shortest)) * static_cast<double>(of_link);
  });
  return is_known ? std::optional(mean) : std::nullopt;
}

/// The mean latency of a message alone in the network, on the paths of `load`.
std::optional<double> zero_load_latency(const ExperimentConfig& config, const TrafficConfig& traffic,
                                        const std::optional<TrafficLoad>& load) {
  const MachineConfig& machine = config.machine;
  const LinkTimes& links = machine.links;
  if (!load || load->sent == 0) return std::nullopt;
  // The path that is chosen in the run is not known here, but its links in every dimension if it is minimal.
  if (!links.none() && chooses_links(config.topology, machine) &&
      !(links.by_channel.empty() && links.single.empty() && RoutingRegistry::find(machine.routing)->minimal))
    return std::nullopt;
  const auto common = common_interval(machine);
  const auto latency = latency_without_links(config, traffic, *load, common.value_or(Ratio()));
  // The messages that pass a slow link are not known either.
  if (!latency || (!common && latency != latency_without_links(config, traffic, *load,
                                                               machine.longest_link().cycles_per_flit)))
    return std::nullopt;
  return *latency + load->mean_link_delay(config.topology, machine);
}

/// Of all classes, and of a protocol for a load of requests alone; the latency is the mean over their
/// messages.
TrafficBounds::Class all_of(const ExperimentConfig& config,
                            const std::vector<TrafficBounds::Class>& classes) {
  if (classes.size() == 1) return classes.front();
  const auto offered = config.workload.offered();
  const double varied =
      config.workload.protocol ? offered.front().load.approximate() : offered_load(config.workload);
  std::vector<LoadPart> parts;
  double latencies = 0;
  double messages = 0;
  bool known = true;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const TrafficBounds::Class& each = classes[i];
    if (!each.load) return {};
    const double load = offered[i].load.approximate();
    parts.push_back({*each.load, load / varied});
    known = known && each.zero_load_latency;
    if (!known) continue;
    const double rate = load * each.load->sent / mean_flits(offered[i], config.machine);
    latencies += rate * *each.zero_load_latency;
    messages += rate;
  }
  TrafficBounds::Class all{sum_of(parts, config.topology, config.machine), std::nullopt};
  if (known && messages > 0) all.zero_load_latency = latencies / messages;
  return all;
}

/// Whether all classes send for the whole run. Otherwise a load beyond the bounds may be accepted.
bool all_last(const ExperimentConfig& config) {
  return std::ranges::all_of(config.workload.offered(),
                             [](const TrafficConfig& traffic) { return traffic.start == 0 && !traffic.end; });
}

}  // namespace

bool is_beyond(const ExperimentConfig& config, const TrafficBounds& bounds) {
  constexpr double kRounded = 1e-3;
  if (config.workload.protocol || bounds.classes.empty() || !all_last(config)) return false;
  const auto offered = config.workload.offered();
  if (const auto item = bounds.rounded_class) {
    const auto possible = bounds.ideal_saturation(config, *item);
    return possible && offered[*item].load.approximate() > *possible * (1 + kRounded);
  }
  std::vector<LoadPart> parts;
  for (std::size_t i = 0; i < bounds.classes.size(); ++i) {
    const auto& load = bounds.classes[i].load;
    if (!load) return false;
    parts.push_back({*load, offered[i].load.approximate() * sent_for_data(config, offered[i])});
  }
  // In parts of the configured loads.
  const double possible = sum_of(parts, config.topology, config.machine).limit.load;
  return possible > 0 && possible * (1 + kRounded) < 1;
}

TrafficBounds traffic_bounds(const ExperimentConfig& config, const OfferedPatterns& patterns) {
  const std::vector<TrafficConfig> offered = offered_in_classes(config);
  TrafficBounds bounds;
  for (std::size_t i = 0; i < offered.size(); ++i) {
    TrafficBounds::Class& each = bounds.classes.emplace_back();
    each.load = traffic_load(config.topology, config.machine, offered[i], *patterns[i],
                             mean_sent_flits(config, offered[i]));
    each.zero_load_latency = zero_load_latency(config, offered[i], each.load);
  }
  bounds.all = all_of(config, bounds.classes);
  return bounds;
}

std::optional<double> TrafficBounds::ideal_saturation(const ExperimentConfig& config) const {
  if (!all.load || !all_last(config)) return std::nullopt;
  std::vector<double> sent;
  for (const TrafficConfig& traffic : config.workload.offered())
    sent.push_back(sent_for_data(config, traffic));
  return all.load->limit.load / std::ranges::min(sent);
}

std::optional<double> TrafficBounds::ideal_saturation(const ExperimentConfig& config,
                                                      std::size_t traffic_class) const {
  if (!all_last(config)) return std::nullopt;
  const auto offered = config.workload.offered();
  std::vector<LoadPart> others;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (!classes[i].load) return std::nullopt;
    if (i == traffic_class) continue;
    others.push_back({*classes[i].load, offered[i].load.approximate() * sent_for_data(config, offered[i])});
  }
  const TrafficLoad& own = *classes[traffic_class].load;
  const double sent = sent_for_data(config, offered[traffic_class]);
  if (others.empty()) return own.limit.load / sent;
  const TrafficLoad beside = sum_of(others, config.topology, config.machine);
  return own.ideal_saturation(config.topology, config.machine, beside) / sent;
}

}  // namespace flitscope
