#include "sim/experiment/workload.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/error.h"
#include "sim/driver/collective_driver.h"
#include "sim/experiment/schedule_file.h"

namespace flitscope {

std::unique_ptr<Schedule> make_schedule(const ExperimentConfig& config) {
  const WorkloadConfig& workload = config.workload;
  if (workload.advance == Advance::table) return unroll(make_table(config));
  if (workload.algorithm != nullptr) return workload.algorithm->make(config.topology, workload.parameters);
  return std::make_unique<ScheduleFile>(workload.schedule_file);
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
      facts.topology.kind() != topology.kind() ? "topology.kind" : "topology.shape",
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
    if (const auto objection = routing_->objection(message.route)) {
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
