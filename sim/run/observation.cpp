#include "sim/run/observation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "model/text.h"
#include "sim/analysis/channel_load.h"
#include "sim/run/energy.h"

namespace flitscope {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ProfileRun, dependency_cycle, busiest_node, busiest_link, awaited_link)

ProgressReport progress_report(const RunOptions& options, std::uint64_t messages) {
  if (!options.on_progress) return {};
  using Stopwatch = std::chrono::steady_clock;
  return [&options, messages, last_report = Stopwatch::now(), hops_reported = std::uint64_t{0}](
             Cycle now, std::uint64_t arrived, std::uint64_t flit_hops) mutable {
    const auto pause = Stopwatch::now() - last_report;
    if (pause < options.progress_pause) return;
    const double seconds = std::chrono::duration<double>(pause).count();
    const auto hops = static_cast<double>(flit_hops - hops_reported);
    options.on_progress({arrived, messages, now, seconds > 0 ? hops / seconds : 0});
    hops_reported = flit_hops;
    last_report = Stopwatch::now();
  };
}

namespace {

/// The node that sends most flits; the first of several.
std::vector<NodeId> busiest_node(const RunResult& result) {
  const Topology& topology = result.config.topology;
  std::vector<std::uint64_t> flits(topology.routers());
  if (const LinkResult* const links = result.links()) {
    for (const ChannelRecord& channel : links->channels) {
      flits[topology.channel_node(channel.channel)] += channel.flits;
    }
  } else {
    for (const CircuitPortRecord& port : result.circuits()->ports) flits[port.node] += port.flits;
  }
  const auto max = std::ranges::max_element(flits);
  if (*max == 0) return {};
  return {static_cast<NodeId>(max - flits.begin())};
}

ProfileRun profile_of(const RunResult& result) {
  ProfileRun profile;
  profile.busiest_node = busiest_node(result);
  const LinkResult* const links = result.links();
  if (links == nullptr) return profile;
  if (links->deadlock) {
    for (const DeadlockedWorm& worm : links->deadlock->dependency_cycle) {
      for (const HeldChannel& held : worm.holds) {
        profile.dependency_cycle.insert(profile.dependency_cycle.end(),
                                        {held.node, *result.config.topology.neighbour(held.node, held.port)});
      }
    }
  }
  const auto max = std::ranges::max_element(links->channels, {}, &ChannelRecord::flits);
  if (max != links->channels.end() && max->flits > 0) profile.busiest_link = {max->channel};
  const auto worst = worst_channels(links->channels);
  if (!worst.empty()) profile.awaited_link = {worst.front().channel};
  return profile;
}

/// Runs the experiment, unobserved, in a process of its own. A run that fails finds nothing: the run itself
/// will meet the error again.
ProfileRun profile_run(const ExperimentConfig& config) {
  const auto run = [&] { return nlohmann::json(profile_of(run_experiment(config))).dump(); };
  try {
    return nlohmann::json::parse(run_isolated(run)).get<ProfileRun>();
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

ObserverSet::ObserverSet(const ExperimentConfig& config, const RunOptions& options)
    : directory_(options.observed_files) {
  if (directory_.empty()) return;
  wanted_ = wanted_observers(config.settings);
  const bool needs_profile = std::ranges::any_of(
      wanted_, [&](const ObserverKind* kind) { return kind->needs_first_run(config.settings); });
  if (needs_profile) profile_ = profile_run(config);
}

RunFacts ObserverSet::observed(const ExperimentConfig& config, std::uint64_t packet_stride) const {
  return {config.settings, config.topology, config.machine, config.clock,
          directory_,      profile_,        packet_stride};
}

void ObserverSet::watch(ObservedRun& run) {
  for (const ObserverKind* const kind : wanted_) {
    if (auto observer = kind->make(run)) observers_.push_back(std::move(observer));
  }
}

void ObserverSet::ended(Cycle last) {
  for (const auto& observer : observers_) observer->ended(last);
}

void ObserverSet::close(const RunEnd& end) {
  for (const auto& observer : observers_) observer->close(end);
}

std::vector<ChannelRecord> channel_records(const Topology& topology, const RouterGroups& routers) {
  std::vector<ChannelRecord> records;
  records.reserve(topology.channel_ids());
  topology.for_each_link([&](NodeId node, unsigned number, NodeId) {
    const PortCounts port = routers.counts(node, number);
    records.push_back({topology.channel(node, number), port.flits, port.messages, port.stalls});
  });
  return records;
}

namespace {

std::vector<RouterRecord> router_records(const Topology& topology, const MachineConfig& machine,
                                         const RouterGroups& routers) {
  const unsigned ejection_channels = node_channels(topology, machine);
  std::vector<RouterRecord> records;
  records.reserve(topology.routers());
  std::vector<std::pair<std::uint64_t, unsigned>> networks;  // of a router: flits and ports
  for (NodeId router = 0; router < topology.routers(); ++router) {
    const bool has_node = router < topology.nodes();
    if (has_node && topology.is_missing(router)) continue;
    RouterRecord record{.router = router};
    networks.assign(topology.networks(), {});
    for (unsigned number = 0; number < topology.link_ports() + (has_node ? ejection_channels : 0); ++number) {
      const bool is_link = number < topology.link_ports();
      if (is_link && !topology.has_link(router, number)) continue;
      const PortCounts port = routers.counts(router, number);
      auto& [flits, ports] =
          networks[is_link ? topology.network_of_port(number)
                           : network_of_channel(topology, machine, number - topology.link_ports())];
      flits += port.flits;
      ++ports;
      record.flits += port.flits;
      record.messages += port.messages;
      if (!is_link) record.ejected_flits += port.flits;
    }
    for (const auto& [flits, ports] : networks) record.flit_ports += flits * ports;
    records.push_back(record);
  }
  return records;
}

}  // namespace

void TrafficMeter::fill(TrafficClassResult& result, const TrafficTally& from, const TrafficTally& to,
                        NodeId nodes, Cycle cycles) const {
  const auto length = static_cast<double>(cycles);
  fill(result);
  result.messages = to.generated_messages - from.generated_messages;
  result.flits = to.generated_flits - from.generated_flits;
  result.offered = static_cast<double>(result.flits) / nodes / length;
  result.accepted = static_cast<double>(to.arrived_flits - from.arrived_flits) / nodes / length;
  result.messages_in_flight_mean = static_cast<double>(to.message_cycles - from.message_cycles) / length;
}

MessageClasses::MessageClasses(const MachineConfig& machine) : latencies_(machine.classes.size()) {
  for (const MessageClass& each : machine.classes)
    records_.push_back({.name = each.name, .network = each.network});
}

void MessageClasses::add(const ArrivedMessage& message) {
  if (records_.empty()) return;
  const Delivery& delivery = message.delivery;
  const Cycle latency = delivery.arrived - delivery.ready;
  MessageClassRecord& record = records_[delivery.message_class];
  ++record.messages;
  record.flits += message.flits;
  record.latency_max = std::max(record.latency_max, latency);
  latencies_[delivery.message_class] += latency;
}

std::vector<MessageClassRecord> MessageClasses::records(const RouterGroups& routers) const {
  std::vector<MessageClassRecord> records = records_;
  for (unsigned number = 0; number < records.size(); ++number) {
    MessageClassRecord& record = records[number];
    record.stalls = routers.stalls_of(number);
    if (record.messages == 0) continue;
    record.latency_mean = static_cast<double>(latencies_[number]) / static_cast<double>(record.messages);
  }
  return records;
}

bool end_in_deadlock(RunResult& result, LinkResult& links, const ClockDomain& clock,
                     std::uint64_t in_flight) {
  if (!links.deadlock) {
    links.deadlock = find_deadlock(clock);
    if (!links.deadlock) return false;
    links.deadlock->detected = result.cycles;  // at the limit, after the last cycle with work
  }
  result.status = RunStatus::deadlock;
  result.failed_checks.push_back(counted(in_flight, "message") + " never arrived");
  return true;
}

void fill_counters(RunResult& result, LinkResult& links, const MessageClasses& classes, ClockDomain& clock,
                   Cycle last) {
  clock.core().settle_stalls(last + 1);
  links.channels = channel_records(result.config.topology, clock.core());
  links.routers = router_records(result.config.topology, result.config.machine, clock.core());
  links.message_classes = classes.records(clock.core());
  links.stalls = clock.core().stalls();
  links.skipped_cycles = clock.cycles_skipped();
  links.threads = clock.threads();
  result.flit_hops = clock.core().flit_hops();
}

LinkStatistics::LinkStatistics(ObservedRun& run)
    : run_(run),
      paths_(paths_of_networks(run.topology, run.machine.routing)),
      are_paths_taken_(!chooses_links(run.topology, run.machine)),
      waits_(run.topology) {
  run.on_stalls(waits_);
  if (!has_energy_table(run.settings) || !DetourCounter::can_count(run.topology)) return;
  for (unsigned network = 0; network < run.topology.networks(); ++network)
    detours_.emplace_back(run.topology.network(network));
}

void LinkStatistics::ignore(const ArrivedMessage& arrived) {
  static_cast<void>(waits_.take(arrived.delivery.id));
  if (detours_.empty()) return;
  count_detour(arrived, links_of(arrived, paths_of(arrived)));
}

void LinkStatistics::observe(const ArrivedMessage& message) {
  const std::uint64_t id = message.delivery.id;
  const LatencyParts parts = parts_of(message);
  auto longest = waits_.take(id);
  count_detour(message, parts.links);
  run_.arrived({message, parts, longest ? &*longest : nullptr});
  most_delayed_.add({id, message.message.source, message.message.destination, parts, std::move(longest)});
}

void LinkStatistics::fill(RunResult& result, LinkResult& links) const {
  result.latency = latencies_.summary();
  result.latency_distribution = latencies_.distribution();
  if (!detours_.empty()) links.detour_flit_hops = 0;
  for (const DetourCounter& detours : detours_) *links.detour_flit_hops += detours.flit_hops();
  for (const ChannelRecord& channel : links.channels) {
    if (const Wait* const longest = waits_.of(channel.channel)) {
      links.longest_waits.emplace(channel.channel, *longest);
    }
  }
  links.most_delayed = most_delayed_.messages();
}

void CircuitStatistics::arrived(const Transmission& transmission) {
  const Cycle startup = run_.machine.startup;
  const Cycle first_flit = transmission.begin + startup;
  const Message message{.source = transmission.source, .destination = transmission.destination, .route = {}};
  const Delivery delivery{.id = transmission.id,
                          .ready = transmission.begin,
                          .head_entered = first_flit,
                          .head_arrived = first_flit,
                          .arrived = transmission.end};
  const LatencyParts parts{.latency = transmission.end - transmission.begin,
                           .startup = startup,
                           .serialization = transmission.flits};
  latencies_.add(parts.latency);
  run_.arrived({{message, {}, delivery, transmission.flits}, parts, nullptr});
}

std::uint32_t DetourCounter::distance(NodeId source, NodeId destination) {
  if (topology_.is_fault_free_grid()) {
    return route_length(topology_, source, destination, shortest_route(topology_, source, destination));
  }
  auto& distances = distances_[source];
  if (distances.empty()) {
    const std::vector<std::uint32_t> links = links_from(topology_, std::span(&source, 1));
    distances.assign(links.begin(), links.end());
  }
  return distances[destination];
}

}  // namespace flitscope
