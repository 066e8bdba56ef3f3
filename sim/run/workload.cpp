#include "sim/run/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <iterator>
#include <limits>
#include <numeric>
#include <tuple>

#include "model/error.h"
#include "model/graph.h"
#include "model/text.h"
#include "routers/modules/limits.h"
#include "sim/config/config_source.h"
#include "sim/config/workload_keys.h"
#include "sim/driver/collective_driver.h"
#include "sim/driver/memories.h"
#include "sim/formats/circuit_schedule_file.h"
#include "sim/formats/recording.h"
#include "sim/formats/schedule_file.h"
#include "sim/formats/schedule_header.h"
#include "sim/formats/schedule_lines.h"
#include "sim/formats/strict_json.h"
#include "sim/host/processes.h"
#include "sim/observe/flits/flit_event.h"
#include "sim/run/barriers.h"
#include "sim/run/packets.h"

namespace flitscope {

namespace {

/// A pipe or device, which can be read once only.
bool is_read_once(const std::filesystem::path& file) {
  return std::filesystem::exists(file) && !std::filesystem::is_regular_file(file) &&
         !std::filesystem::is_directory(file);
}

}  // namespace

void require_rereadable_schedule(const WorkloadConfig& workload) {
  if (workload.schedule_file.empty() || !is_read_once(workload.schedule_file)) return;
  throw Inadmissible("workload.schedule",
                     "{} is no plain file and can be read once only, but is needed several times; write it "
                     "into a file first",
                     printable(workload.schedule_file.string()));
}

std::unique_ptr<std::istream> open_schedule(const WorkloadConfig& workload) {
  const std::filesystem::path& file =
      workload.schedule_copy.empty() ? workload.schedule_file : workload.schedule_copy;
  if (!workload.schedule_digest) return open_file(file);
  refuse_if(is_read_once(file), "workload.schedule_digest",
            "{} is no plain file and can be read once only; leave the digest out",
            printable(workload.schedule_file.string()));
  if (const std::string digest = schedule_digest(*open_file(file)); digest != workload.schedule_digest) {
    throw Inadmissible("workload.schedule_digest", "{} is not the file it was: its digest is {}, not {}",
                       printable(workload.schedule_file.string()), digest,
                       printable(*workload.schedule_digest));
  }
  return open_file(file);
}

namespace {

/// Throws Inadmissible if the process has not enough memory to make the schedule.
void require_memory(const Algorithm& algorithm, const Topology& topology) {
  const double needed = algorithm.memory.bytes(topology.nodes());
  const auto available = static_cast<double>(memory_limit());
  if (needed <= available) return;
  constexpr double kGiB = std::uint64_t{1} << 30;
  const char* const key = topology.is_grid()     ? "topology.shape"
                          : topology.has_links() ? "topology.kind"
                                                 : "topology.nodes";
  throw Inadmissible(
      key, "not enough memory: the schedule of {} for a {} needs up to {:.1f} GiB, {:.1f} GiB available",
      algorithm.name, topology.name(), needed / kGiB, available / kGiB);
}

/// Refuses an algorithm that goes by coordinates on other networks than whole tori and meshes with links in
/// both directions.
void require_any_network(const Algorithm& algorithm, const Topology& topology) {
  const bool grid = topology.is_fault_free_grid() && !topology.is_one_way();
  if (grid || algorithm.any_network) return;
  std::vector<std::string> others;
  for (const Algorithm& each : AlgorithmRegistry::all()) {
    if (each.any_network && each.collective.kind == algorithm.collective.kind) others.push_back(each.name);
  }
  others.emplace_back("schedules from files");
  throw Inadmissible("workload.algorithm",
                     "{} is made for whole tori and meshes, not for a {}; on any network run {}",
                     algorithm.name, topology.name(), fmt::join(others, ", "));
}

/// Refuses a load by which some node generates more than a message per cycle.
void require_possible_rates(const ExperimentConfig& config, const TrafficConfig& traffic,
                            const TrafficPattern& pattern, const std::string& section) {
  const double load = traffic.load.approximate();
  const double possible = mean_flits(traffic, config.machine);
  for (NodeId node = 0; node < config.topology.nodes(); ++node) {
    const double offered = load * pattern.rate(node);
    if (offered <= possible) continue;
    throw Inadmissible(
        section + ".load",
        "node {} would offer {} flits a cycle, more than a message a cycle; lower the load to {} or less",
        config.topology.node_name(node), offered, load * possible / offered);
  }
}

/// Whether any node sends to another one.
bool sends_to_others(const TrafficPattern& pattern, NodeId nodes) {
  bool found = false;
  for (NodeId source = 0; source < nodes && !found; ++source) {
    if (pattern.rate(source) <= 0) continue;
    pattern.for_each_share(source, [&](NodeId destination, double share) {
      found = found || (share > 0 && destination != source);
    });
  }
  return found;
}

/// Refuses messages of a length, that of `key`, that the machine cannot carry.
void require_carriable(const MachineConfig& machine, std::uint64_t bytes, const std::string& key) {
  const std::uint64_t flits = flits_of(bytes, machine.flit_bytes);
  if (carries(machine, flits)) return;
  refuse_length(machine, flits, fmt::format("a message of {} bytes", bytes), key);
}

/// `section` has the keys of the traffic.
std::unique_ptr<TrafficPattern> make_pattern(const ExperimentConfig& config, const TrafficConfig& traffic,
                                             const std::string& section) {
  if (const Graph* const graph = config.topology.graph();
      graph != nullptr && !graph->faults().nodes.empty()) {
    throw Inadmissible(section + ".traffic",
                       "synthetic traffic goes from every node to every node, but {} is missing",
                       config.topology.node_name(graph->faults().nodes.front()));
  }
  auto pattern =
      traffic.pattern->make({config.topology, traffic.parameters, file_text, section, traffic.self});
  refuse_if(!traffic.self && !sends_to_others(*pattern, config.topology.nodes()), section + ".traffic",
            "no node sends a message: the only destination of each is the node itself; with self: "
            "true such messages pass their node's router");
  require_carriable(machine_of_messages(config), traffic.message.sizes.back().bytes, section + ".message");
  require_possible_rates(config, traffic, *pattern, section);
  return pattern;
}

/// Nodes of a protocol by rising number, none if it is all.
std::vector<NodeId> sorted_nodes(const NodeSet& set, const Topology& topology, const std::string& key) {
  if (set.kind == NodeSet::Kind::all) return {};
  std::vector<NodeId> nodes = nodes_of(set, topology, key);
  std::ranges::sort(nodes);
  return nodes;
}

/// The requests of a protocol and their replies.
OfferedPatterns make_protocol_patterns(const ExperimentConfig& config) {
  const ProtocolConfig& protocol = *config.workload.protocol;
  const TrafficConfig& traffic = config.workload.traffic;
  const Topology& topology = config.topology;
  const MachineConfig machine = machine_of_messages(config);
  std::vector<NodeId> targets = sorted_nodes(protocol.targets, topology, "workload.targets");
  refuse_if(!targets.empty() && traffic.pattern->name != "uniform", "workload.requests.traffic",
            "workload.targets draws the target of each request; requests.traffic must be uniform, "
            "not {}, or targets left out",
            traffic.pattern->name);
  const bool reads = protocol.reads > Decimal(0);
  const bool writes = protocol.reads < Decimal(1);
  for (const auto& [bytes, key, is_sent] : {std::tuple{protocol.request, "request", reads},
                                            {protocol.reply, "reply", reads},
                                            {protocol.write_request, "write_request", writes},
                                            {protocol.write_reply, "write_reply", writes}}) {
    if (is_sent) require_carriable(machine, bytes, fmt::format("workload.{}", key));
  }
  OfferedPatterns patterns;
  TrafficConfig offered = protocol.offered.front();
  if (protocol.closed_loop) offered.load = Decimal(0);
  auto requests = std::make_unique<RequestPattern>(
      make_pattern(config, offered, "workload.requests"), std::move(targets),
      sorted_nodes(protocol.sources, topology, "workload.sources"), traffic.self);
  auto replies = std::make_unique<ReplyPattern>(*requests, topology.nodes(), traffic.self);
  refuse_if(!replies->any(), "workload.sources",
            "no node requests anything: the only target of each source is the source itself");
  patterns.push_back(std::move(requests));
  patterns.push_back(std::move(replies));
  return patterns;
}

}  // namespace

OfferedPatterns make_traffic_patterns(const ExperimentConfig& config) {
  if (config.workload.protocol) return make_protocol_patterns(config);
  OfferedPatterns patterns;
  for (const TrafficConfig& traffic : config.workload.offered()) {
    patterns.push_back(make_pattern(config, traffic, offered_section(config.workload, patterns.size())));
  }
  return patterns;
}

std::vector<TrafficConfig> offered_in_classes(const ExperimentConfig& config) {
  const auto offered = config.workload.offered();
  std::vector<TrafficConfig> result(offered.begin(), offered.end());
  const auto& protocol = config.workload.protocol;
  if (!protocol || config.machine.classes.empty()) return result;
  const auto numbers = message_classes(*protocol, config.machine);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i].message_class = config.machine.classes[numbers[i]].name;
  return result;
}

std::unique_ptr<TrafficPattern> make_background_pattern(const ExperimentConfig& config) {
  return make_pattern(config, *config.workload.background, "workload.background");
}

ScheduleFacts traffic_facts(const ExperimentConfig& config) {
  ScheduleFacts facts(config.topology);
  facts.algorithm = pattern_names(config.workload);
  facts.steps = kMessageNumbers - 1;
  return facts;
}

namespace {

/// The network of an algorithm's messages, which are of the first class.
Topology topology_of_schedule(const ExperimentConfig& config) {
  return config.topology.network(config.machine.network_of(0));
}

/// The schedule, or the recording, in a file.
std::unique_ptr<Schedule> schedule_in(std::unique_ptr<std::istream> stream, const ExperimentConfig& config) {
  const std::string name = config.workload.schedule_file.string();
  if (stream->peek() != '[') {
    return with_data(
        std::make_unique<ScheduleFile>(std::move(stream), name, config.topology, config.machine.classes),
        config.workload.data);
  }
  refuse_if(packet_format(config).has_value(), "workload.schedule",
            "a recording has packets of its own: leave out the section packets");
  refuse_if(config.workload.data.has_value(), "workload.data",
            "a recording has calls of the bytes that were recorded; leave it out");
  const std::string text(std::istreambuf_iterator<char>(*stream), {});
  return std::make_unique<RecordedSchedule>(read_recording(text, name), config.topology,
                                            config.routing.value_or(config.topology.default_routing()),
                                            replay_plan(config));
}

/// A schedule whose chunks have other sizes.
class ScaledSchedule final : public Schedule {
 public:
  ScaledSchedule(std::unique_ptr<Schedule> schedule, std::uint64_t bytes)
      : schedule_(std::move(schedule)), facts_(schedule_->facts()) {
    using Wide = unsigned __int128;
    auto& chunks = facts_.collective.chunk_bytes;
    const Wide all = std::accumulate(chunks.begin(), chunks.end(), Wide{0});
    refuse_if(all == 0, "workload.data", "the chunks of the schedule have no data that could be scaled");
    Wide before = 0;
    for (std::uint64_t& chunk : chunks) {
      const Wide end = before + chunk;
      chunk = static_cast<std::uint64_t>(bytes * end / all - bytes * before / all);
      before = end;
    }
  }

  [[nodiscard]] const ScheduleFacts& facts() const override { return facts_; }
  [[nodiscard]] bool next(Step& step) override { return schedule_->next(step); }

 private:
  std::unique_ptr<Schedule> schedule_;
  ScheduleFacts facts_;
};

void refuse_traffic(const WorkloadConfig& workload) {
  if (!workload.has_traffic()) return;
  throw Inadmissible(workload.protocol          ? "workload.protocol"
                     : workload.classes.empty() ? "workload.traffic"
                                                : "workload.classes",
                     "traffic has no schedule; name an algorithm or a schedule instead");
}

}  // namespace

std::unique_ptr<Schedule> with_data(std::unique_ptr<Schedule> schedule, std::optional<std::uint64_t> bytes) {
  if (!bytes) return schedule;
  return std::make_unique<ScaledSchedule>(std::move(schedule), *bytes);
}

std::unique_ptr<Schedule> make_schedule(const ExperimentConfig& config) {
  const WorkloadConfig& workload = config.workload;
  refuse_traffic(workload);
  if (workload.advance == Advance::table) return unroll(make_table(config));
  if (workload.algorithm == nullptr) {
    return schedule_in(open_schedule(workload), config);
  }
  refuse_if(!workload.algorithm->make, "topology.kind", "{} needs a complete network, not a {}",
            workload.algorithm->name, config.topology.name());
  require_any_network(*workload.algorithm, topology_of_schedule(config));
  require_memory(*workload.algorithm, config.topology);
  return workload.algorithm->make(topology_of_schedule(config), workload.parameters);
}

namespace {

/// d = ceil(reconfiguration / t_m).
std::uint64_t tuning_units(const MachineConfig& machine, Cycle unit) {
  return machine.reconfiguration / unit + (machine.reconfiguration % unit != 0);
}

/// Refuses a complete network that needs more memory than available; an estimate of modules, ports, events.
void require_circuit_memory(const ExperimentConfig& config) {
  constexpr std::uint64_t kBytesPerNode = 1500;
  constexpr std::uint64_t kBytesPerPort = 120;
  const std::uint64_t nodes = config.topology.nodes();
  const std::uint64_t needed = nodes * (kBytesPerNode + kBytesPerPort * *config.machine.ports);
  const std::uint64_t available = memory_limit();
  if (needed <= available) return;
  throw Inadmissible("topology.nodes", "not enough memory: {} nodes with {} need {} GiB, {} GiB available",
                     nodes, counted(*config.machine.ports, "port"), needed >> 30, available >> 30);
}

}  // namespace

std::unique_ptr<CircuitSchedule> make_circuit_schedule(const ExperimentConfig& config) {
  const WorkloadConfig& workload = config.workload;
  require_circuit_memory(config);
  if (workload.algorithm == nullptr) {
    return std::make_unique<CircuitScheduleFile>(open_schedule(workload), workload.schedule_file.string());
  }
  refuse_if(!workload.algorithm->make_circuits, "topology.kind",
            "{} sends over links, which a complete network does not have; it is made for: {}",
            workload.algorithm->name, workload.algorithm->admissible);
  require_memory(*workload.algorithm, config.topology);
  const Cycle unit = unit_cycles(config.machine, workload.parameters.bytes("message"));
  const std::uint64_t d = tuning_units(config.machine, unit);
  refuse_if(d > kLastStart / config.topology.nodes(), "circuits.reconfiguration",
            "tuning takes {} units of {} cycles; with {} nodes times cannot be counted", d, unit,
            config.topology.nodes());
  return workload.algorithm->make_circuits({config.topology, *config.machine.ports, d}, workload.parameters);
}

Cycle unit_cycles(const MachineConfig& machine, std::uint64_t chunk_bytes) {
  return machine.startup + flits_of(chunk_bytes, machine.flit_bytes);
}

namespace {

/// Refuses a filter all of whose steps or messages lie behind the end of the schedule, or are of background
/// traffic that there is not.
void require_steps(const FlitFilter& filter, const ScheduleFacts& facts, bool has_background) {
  const auto is_there = [&](std::uint64_t step) {
    return step <= facts.steps && (step > 0 || has_background);
  };
  const auto of_step = [&](std::uint64_t id) { return is_there(message_name(id).step); };
  const bool steps = filter.steps.empty() || std::ranges::any_of(filter.steps, is_there);
  const bool messages = filter.messages.empty() || std::ranges::any_of(filter.messages, of_step);
  if (steps && messages) return;
  const bool is_traffic = facts.steps == kMessageNumbers - 1;
  throw Inadmissible(
      steps ? "observe.filter.messages" : "observe.filter.steps", "no event can pass observe.filter: {}{}",
      is_traffic ? "traffic has no step 0" : "the schedule has " + counted(facts.steps, "step"),
      is_traffic || has_background ? "" : ", and no background traffic");
}

}  // namespace

void require_fitting(const ExperimentConfig& config, const CircuitFacts& facts) {
  const MachineConfig& machine = config.machine;
  require_same_network(facts, config.topology);
  require_steps(config.settings.get<FlitFilter>(), facts, false);
  refuse_if(*machine.ports < std::max(facts.send_ports, facts.receive_ports), "node.ports",
            "the schedule uses {} of a node, more than {}",
            counted(std::max(facts.send_ports, facts.receive_ports), "port"), *machine.ports);
  const Cycle unit = unit_cycles(machine, facts.collective.chunk_bytes.front());
  if (facts.reconfiguration >= tuning_units(machine, unit)) return;
  throw Inadmissible("circuits.reconfiguration",
                     "the schedule leaves {} of {} cycles for tuning, less than {} cycles",
                     counted(facts.reconfiguration, "unit"), unit, machine.reconfiguration);
}

LinkPrograms make_table(const ExperimentConfig& config) {
  const WorkloadConfig& workload = config.workload;
  refuse_traffic(workload);
  if (workload.algorithm != nullptr && workload.algorithm->table) {
    require_any_network(*workload.algorithm, topology_of_schedule(config));
    require_memory(*workload.algorithm, config.topology);
    return workload.algorithm->table(topology_of_schedule(config), workload.parameters);
  }
  std::vector<std::string> names;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
    if (algorithm.table) names.push_back(algorithm.name);
  }
  const bool from_file = workload.algorithm == nullptr;
  throw Inadmissible(workload.advance == Advance::table ? "workload.advance"
                     : from_file                        ? "workload.schedule"
                                                        : "workload.algorithm",
                     "{} has no time-independent routing table; there are tables of {}",
                     from_file ? std::string("a schedule from a file") : workload.algorithm->name,
                     fmt::join(names, ", "));
}

void require_same_network(const ScheduleFacts& facts, const Topology& topology) {
  if (facts.topology == topology) return;
  for (unsigned network = 0; network < topology.networks(); ++network) {
    if (facts.topology == topology.network(network)) return;
  }
  throw Inadmissible(facts.topology.kind() != topology.kind() ? "topology.kind"
                     : topology.kind() == TopologyKind::graph ? "topology"
                     : !topology.has_links()                  ? "topology.nodes"
                                                              : "topology.shape",
                     "the schedule is made for a {}, not for a {}", facts.topology.name(), topology.name());
}

void resolve_auto_routing(ExperimentConfig& config, const ScheduleFacts& facts) {
  require_same_network(facts, config.topology);
  if (!config.routing) {
    const Routing* const made_for = RoutingRegistry::find(facts.routing);
    const bool other = made_for != nullptr && !made_for->serves(config.topology);
    config.routing = other ? config.topology.default_routing() : facts.routing;
  }
  const Routing* const routing = RoutingRegistry::find(*config.routing);
  refuse_if(routing == nullptr, "workload.schedule", "the schedule's routing function '{}' does not exist",
            *config.routing);
  config.machine.routing = *config.routing;
  // Only a function that serves the network knows its classes there.
  if (!routing->serves(config.topology)) {
    require_buildable(config.topology, config.machine, std::numeric_limits<std::uint64_t>::max());
  }
  if (!config.virtual_channels) {
    std::uint64_t vcs = 0;
    for (const MessageClass& each : config.machine.classes) vcs |= each.vcs;
    config.virtual_channels =
        vcs != 0 ? static_cast<unsigned>(std::popcount(vcs)) : routing->make(config.topology)->classes();
  }
  config.machine.virtual_channels = *config.virtual_channels;
}

void resolve_auto_settings(ExperimentConfig& config, const ScheduleFacts& facts) {
  resolve_auto_routing(config, facts);
  require_steps(config.settings.get<FlitFilter>(), facts, config.workload.background.has_value());
  require_buildable(config.topology, config.machine, std::numeric_limits<std::uint64_t>::max());
  static_cast<void>(packet_format(config));
  set_read_intervals(config.machine, memory_map(config).value_or(MemoryMap()));
  config.machine.requests_at = controller_requests(config);
  refuse_if(config.machine.requests &&
                (config.workload.has_traffic() || config.workload.protocol || packet_format(config)),
            "node.requests",
            "node.requests is for messages of a schedule that have replies, without traffic, protocols "
            "and packets; a protocol has workload.service");
  if (!std::has_single_bit(std::max(config.machine.banks, 1U)))
    throw Inadmissible("node.banks", "node.banks must be a power of two, not {}", config.machine.banks);
  refuse_if(config.machine.banks != 0 && config.topology.networks() == 1, "node.banks",
            "node.banks is for several networks, which share a node's memory (topology.networks)");
}

namespace {

/// The lines of messages of a schedule file: "file:12", or the file alone if the line is not known.
std::vector<std::string> places_in(const WorkloadConfig& workload, std::span<const MessageName> messages) {
  const auto& [file, copy] = std::tie(workload.schedule_file, workload.schedule_copy);
  const std::string name = printable(file.string());
  std::vector<std::string> places;
  for (const auto& line : message_lines(copy.empty() ? file : copy, messages)) {
    places.push_back(line ? fmt::format("{}:{}", name, *line) : name);
  }
  return places;
}

std::string place_in(const WorkloadConfig& workload, MessageName message) {
  return places_in(workload, std::span(&message, 1)).front();
}

}  // namespace

void add_places(Legality& legality, const ExperimentConfig& config) {
  if (config.workload.schedule_file.empty()) return;
  std::vector<MessageName> messages;
  std::vector<Violation*> violations;
  for (Violation& violation : legality.violations) {
    if (violation.message == 0) continue;
    messages.push_back({violation.step, violation.message});
    violations.push_back(&violation);
  }
  if (messages.empty()) return;
  const auto places = places_in(config.workload, messages);
  for (std::size_t i = 0; i < places.size(); ++i) violations[i]->place = places[i];
}

void complete_for_messages(ExperimentConfig& config) {
  with_places(config, [&] {
    refuse_if(has_packets(config), "packet.payload",
              "messages that a program sends are not split into packets; leave out 'packet', and send "
              "a message for each packet");
    resolve_auto_settings(config, traffic_facts(config));
    require_buildable(config.topology, config.machine, memory_limit());
  });
}

ExperimentConfig read_imported_machine(const std::string& configuration, const std::string& file,
                                       const std::filesystem::path& directory) {
  const std::string name = file + " (as a configuration)";
  try {
    ExperimentConfig config = parse_config(configuration, name, directory);
    complete_for_messages(config);
    return config;
  } catch (const InputError& error) {
    std::string text = error.what();
    const std::string place = printable(name) + ":";
    for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += place.size()) {
      // "NAME:4:40: "
      const std::size_t begin = at + place.size();
      const std::size_t end = text.find_first_not_of("0123456789:", begin);
      if (end != std::string::npos && end > begin) text.erase(begin, end - begin);
    }
    throw InputError(text);
  }
}

void throw_located(const ExperimentConfig& config) {
  const std::filesystem::path& file = config.workload.schedule_file;
  try {
    throw;
  } catch (const UncarriableMessage& reason) {
    if (file.empty()) throw located(config, reason);
    throw InputError("{}: {}", place_in(config.workload, reason.message()), reason.what());
  } catch (const Inadmissible& reason) {
    throw located(config, reason);
  } catch (const IllegalMessage& error) {
    if (file.empty()) throw;
    throw ScheduleError("{}: {}", place_in(config.workload, error.message()), error.what());
  } catch (const ScheduleError& error) {
    if (file.empty()) throw;
    throw ScheduleError("{}: {}", printable(file.string()), error.what());
  }
}

CheckedSchedule::CheckedSchedule(std::unique_ptr<Schedule> schedule, const Topology& topology,
                                 const MachineConfig& machine)
    : schedule_(std::move(schedule)),
      machine_(machine),
      classes_(class_numbers(schedule_->facts(), machine)),
      load_(topology, machine.routing) {
  for (unsigned network = 0; network < topology.networks(); ++network)
    routings_.push_back(RoutingRegistry::find(machine.routing)->make(topology.network(network)));
}

/// Why a message cannot travel so in a network.
std::optional<std::string> CheckedSchedule::objection(const Message& message, unsigned network) const {
  const Topology& topology = load_.paths(network).topology();
  const Route route = in_order_of(topology, message.source, message.destination, message.route);
  if (auto reason = routings_[network]->objection(message.source, message.destination, route)) return reason;
  if (routings_.size() == 1 || !topology.is_fault_free_grid() ||
      route_exists(topology, message.source, message.destination, route))
    return std::nullopt;
  return fmt::format("links of network {} lead in direction {} only", network,
                     name_of(topology.directions()));
}

bool CheckedSchedule::next(Step& step) {
  if (!schedule_->next(step)) return false;
  const Topology& topology = facts().topology;
  load_.start_step();
  MessageName name{loads_.size() + 1, 0};
  for (const Message& message : step.messages()) {
    ++name.place;
    const unsigned network = machine_.network_of(classes_[step.message_class(message)]);
    if (const auto objection = this->objection(message, network)) {
      const Paths& paths = load_.paths(network);
      // The network may not have the links of a route.
      const std::string path = paths.follow_routes()
                                   ? route_name(topology, message.source, message.destination, message.route)
                                   : paths.name(message.source, message.destination, message.route);
      throw UncarriableMessage(
          "router.routing", name,
          fmt::format("{} by {} cannot travel: {} (the schedule is made for {})",
                      message_text(topology, name, message), path, *objection, facts().routing));
    }
    for (const NodeId node : {message.source, message.destination}) {
      if (!topology.is_missing(node)) continue;
      throw UncarriableMessage("topology.missing_nodes", name,
                               fmt::format("{} cannot travel: {} is missing",
                                           message_text(topology, name, message), topology.node_name(node)));
    }
    (void)carriable_flits(machine_, topology, message_bytes(facts().collective, step, message), name,
                          message);
    load_.add(message, network);
  }
  loads_.push_back(load_.load());
  return true;
}

}  // namespace flitscope
