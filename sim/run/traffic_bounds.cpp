#include "sim/run/traffic_bounds.h"

#include <algorithm>

#include "sim/config/workload_keys.h"
#include "sim/run/packets.h"

namespace flitscope {

namespace {

/// Flits on links for each flit of data.
double sent_for_data(const ExperimentConfig& config, const TrafficConfig& traffic) {
  const auto format = packet_format(config);
  if (!format) return 1;
  const double sent = mean_of(traffic.message, [&](std::uint64_t bytes) {
    return format->sent_flits(flits_of(bytes, config.machine.flit_bytes));
  });
  return sent / mean_flits(traffic, config.machine);
}

/// Whether packets of a message follow each other like the flits of one worm.
bool packets_stream(const MachineConfig& machine) {
  return machine.switching == Switching::wormhole && machine.vc_allocation == VcAllocation::non_atomic &&
         machine.vc_delay == 0 && machine.vc_reallocation_delay == 1;
}

/// The mean latency of a message alone in the network, on the paths of `load`. Nothing for store-and-forward,
/// and where buffers are too short to stream.
std::optional<double> zero_load_latency(const ExperimentConfig& config, const TrafficConfig& traffic,
                                        const std::optional<TrafficLoad>& load) {
  const MachineConfig& machine = config.machine;
  const LinkTime slowest = machine.longest_link();
  Ratio pace = std::max(machine.injection_interval, machine.ejection_interval);
  // The path that is chosen in the run is not known here.
  const bool alike_in_dimensions = machine.links.by_channel.empty() && machine.links.single.empty();
  if (!alike_in_dimensions && chooses_links(config.topology, machine)) return std::nullopt;
  // The messages that pass a slow link are not known either.
  const bool alike = machine.link_cycles_per_flit == slowest.cycles_per_flit && !traffic.self;
  if (slowest.cycles_per_flit > pace && mean_flits(traffic, machine) > 1) {
    if (!alike) return std::nullopt;
    pace = slowest.cycles_per_flit;
  }
  const Cycle round = machine.credit_loop(slowest.delay);
  const bool streams = pace.times_rounded_down(machine.window()) >= round;
  if (!load || machine.switching == Switching::store_and_forward || !streams) return std::nullopt;
  const double delays =
      machine.links.none()
          ? (load->hops_mean + 1) * static_cast<double>(machine.head_delay() + machine.link_delay)
          : (load->hops_mean + 1) * static_cast<double>(machine.head_delay()) + machine.link_delay +
                load->mean_link_delay(config.topology, machine);
  const auto format = packet_format(config);
  if (format && !packets_stream(machine)) return std::nullopt;
  const double behind_head = mean_of(traffic.message, [&](std::uint64_t bytes) {
    const std::uint64_t flits = flits_of(bytes, machine.flit_bytes);
    return pace.times_rounded_down((format ? format->sent_flits(flits) : flits) - 1);
  });
  return static_cast<double>(machine.startup) + delays + behind_head;
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

}  // namespace

bool is_beyond(const ExperimentConfig& config, const TrafficBounds& bounds) {
  constexpr double kRounded = 1e-3;
  if (config.workload.protocol || bounds.classes.empty()) return false;
  const auto offered = config.workload.offered();
  const auto lasts = [](const TrafficConfig& traffic) { return traffic.start == 0 && !traffic.end; };
  if (!std::ranges::all_of(offered, lasts)) return false;
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
  const auto offered = config.workload.offered();
  TrafficBounds bounds;
  for (std::size_t i = 0; i < offered.size(); ++i) {
    TrafficBounds::Class& each = bounds.classes.emplace_back();
    TrafficConfig traffic = offered[i];
    if (const auto& protocol = config.workload.protocol; protocol && !config.machine.classes.empty())
      traffic.message_class = config.machine.classes[message_classes(*protocol, config.machine)[i]].name;
    each.load = traffic_load(config.topology, config.machine, traffic, *patterns[i]);
    each.zero_load_latency = zero_load_latency(config, offered[i], each.load);
  }
  bounds.all = all_of(config, bounds.classes);
  return bounds;
}

std::optional<double> TrafficBounds::ideal_saturation(const ExperimentConfig& config) const {
  if (!all.load) return std::nullopt;
  std::vector<double> sent;
  for (const TrafficConfig& traffic : config.workload.offered())
    sent.push_back(sent_for_data(config, traffic));
  return all.load->limit.load / std::ranges::min(sent);
}

std::optional<double> TrafficBounds::ideal_saturation(const ExperimentConfig& config,
                                                      std::size_t traffic_class) const {
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
