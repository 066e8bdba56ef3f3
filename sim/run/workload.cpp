#include "sim/run/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "model/error.h"
#include "sim/driver/collective_driver.h"
#include "sim/schedules/circuit_schedule_file.h"
#include "sim/schedules/schedule_file.h"
#include "sim/schedules/schedule_header.h"

namespace flitscope {

std::unique_ptr<Schedule> make_schedule(const ExperimentConfig& config) {
  const WorkloadConfig& workload = config.workload;
  if (workload.advance == Advance::table) return unroll(make_table(config));
  if (workload.algorithm == nullptr) return std::make_unique<ScheduleFile>(workload.schedule_file);
  if (!workload.algorithm->make) {
    throw Inadmissible("topology.kind", fmt::format("{} needs a complete network, not a {}",
                                                    workload.algorithm->name, config.topology.name()));
  }
  return workload.algorithm->make(config.topology, workload.parameters);
}

namespace {

/// A complete network and a collective of about N messages on it, roughly: modules, ports, events.
void require_room(const ExperimentConfig& config) {
  constexpr std::uint64_t kBytesPerNode = 1500;
  constexpr std::uint64_t kBytesPerPort = 120;
  const std::uint64_t nodes = config.topology.nodes();
  const std::uint64_t needed = nodes * (kBytesPerNode + kBytesPerPort * config.machine.ports);
  const auto there =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  if (needed <= there) return;
  throw Inadmissible(
      "topology.nodes",
      fmt::format("{} nodes with {} ports take about {} GiB of memory, but this machine has {}", nodes,
                  config.machine.ports, needed >> 30, there >> 30));
}

}  // namespace

std::unique_ptr<CircuitSchedule> make_circuit_schedule(const ExperimentConfig& config) {
  const WorkloadConfig& workload = config.workload;
  require_room(config);
  if (workload.algorithm == nullptr) return std::make_unique<CircuitScheduleFile>(workload.schedule_file);
  if (!workload.algorithm->make_circuits) {
    throw Inadmissible(
        "topology.kind",
        fmt::format("{} sends over links, which a complete network does not have; it needs a {}",
                    workload.algorithm->name, workload.algorithm->admissible));
  }
  const Cycle unit = unit_cycles(config.machine, workload.parameters.bytes("message"));
  const std::uint64_t d =
      config.machine.reconfiguration / unit + (config.machine.reconfiguration % unit != 0);
  if (d > kLastStart / config.topology.nodes()) {
    throw Inadmissible(
        "circuits.reconfiguration",
        fmt::format("tuning takes {} units of {} cycles; with {} nodes times cannot be counted", d, unit,
                    config.topology.nodes()));
  }
  return workload.algorithm->make_circuits({config.topology, config.machine.ports, d}, workload.parameters);
}

Cycle unit_cycles(const MachineConfig& machine, std::uint64_t chunk_bytes) {
  return machine.startup + flits_of(chunk_bytes, machine.flit_bytes);
}

void require_carriable(const CircuitFacts& facts, const MachineConfig& machine) {
  if (machine.ports < std::max(facts.send_ports, facts.receive_ports)) {
    throw Inadmissible("node.ports",
                       fmt::format("the schedule uses {} ports of a node, more than {}",
                                   std::max(facts.send_ports, facts.receive_ports), machine.ports));
  }
  const Cycle unit = unit_cycles(machine, facts.collective.chunk_bytes.front());
  if (facts.reconfiguration >= machine.reconfiguration / unit + (machine.reconfiguration % unit != 0)) return;
  throw Inadmissible("circuits.reconfiguration",
                     fmt::format("the schedule leaves {} units of {} cycles for tuning, less than {} cycles",
                                 facts.reconfiguration, unit, machine.reconfiguration));
}

RoutingTable make_table(const ExperimentConfig& config) {
  const WorkloadConfig& workload = config.workload;
  if (workload.algorithm != nullptr && workload.algorithm->table) {
    return workload.algorithm->table(config.topology, workload.parameters);
  }
  std::vector<std::string> names;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
    if (algorithm.table) names.push_back(algorithm.name);
  }
  const bool from_file = workload.algorithm == nullptr;
  throw Inadmissible(workload.advance == Advance::table ? "workload.advance"
                     : from_file                        ? "workload.schedule"
                                                        : "workload.algorithm",
                     fmt::format("{} has no time-independent routing table; there are tables of {}",
                                 from_file ? std::string("a schedule from a file") : workload.algorithm->name,
                                 fmt::join(names, ", ")));
}

void require_same_network(const ScheduleFacts& facts, const Topology& topology) {
  if (facts.topology == topology) return;
  throw Inadmissible(
      facts.topology.kind() != topology.kind() ? "topology.kind"
      : !topology.has_links()                  ? "topology.nodes"
                                               : "topology.shape",
      fmt::format("the schedule is made for a {}, not for a {}", facts.topology.name(), topology.name()));
}

void complete_machine(ExperimentConfig& config, const ScheduleFacts& facts) {
  MachineConfig& machine = config.machine;
  if (machine.routing.empty()) machine.routing = facts.routing;
  const Routing* const routing = RoutingRegistry::find(machine.routing);
  if (routing == nullptr) {
    throw Inadmissible(
        "workload.schedule",
        fmt::format("the schedule's routing function '{}' is not one of ours", machine.routing));
  }
  if (machine.virtual_channels == 0) machine.virtual_channels = routing->make(config.topology)->classes();
}

WatchedSchedule::WatchedSchedule(std::unique_ptr<Schedule> schedule, const MachineConfig& machine)
    : schedule_(std::move(schedule)),
      machine_(machine),
      routing_(RoutingRegistry::find(machine.routing)->make(schedule_->facts().topology)),
      load_(schedule_->facts().topology) {}

bool WatchedSchedule::next(Step& step) {
  if (!schedule_->next(step)) return false;
  const Topology& topology = facts().topology;
  load_.start_step();
  MessageName name{loads_.size() + 1, 0};
  for (const Message& message : step.messages()) {
    ++name.place;
    if (const auto objection = routing_->objection(message.source, message.destination, message.route)) {
      throw Inadmissible("router.routing",
                         fmt::format("{} by {} cannot travel: {} (the schedule is made for {})",
                                     message_text(topology, name, message),
                                     route_name(topology, message.source, message.destination, message.route),
                                     *objection, facts().routing));
    }
    (void)carriable_flits(machine_, topology, message_bytes(facts().collective, step, message), name,
                          message);
    load_.add(message);
  }
  loads_.push_back(load_.load());
  return true;
}

}  // namespace flitscope
