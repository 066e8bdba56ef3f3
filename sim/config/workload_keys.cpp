#include "sim/config/workload_keys.h"

#include <string>
#include <utility>
#include <vector>

#include "model/algorithm.h"
#include "sim/config/traffic_keys.h"

namespace flitscope {

namespace workload_keys {
namespace {

using Value = ParameterValues::Value;

constexpr std::int64_t kMaxLookahead = 1'000'000'000;

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : AlgorithmRegistry::all()) names.push_back(algorithm.name);
  return names;
}

Row<ExperimentConfig> workload(Row<WorkloadConfig> row) {
  return within<ExperimentConfig>(
      [](auto& config) -> auto& { return config.workload; }, std::move(row));
}

Row<WorkloadConfig> algorithm() {
  return {{{.name = "algorithm",
            .type = ParameterType::choice,
            .summary = "algorithm that makes the schedule",
            .fallback = "null",
            .choices = algorithm_names()}},
          [](WorkloadConfig& workload, const Value& value, const Surroundings&) {
            workload.algorithm = AlgorithmRegistry::find(std::get<std::string>(value));
          },
          [](const WorkloadConfig& workload, const Topology&) {
            return workload.algorithm == nullptr ? std::nullopt
                                                 : std::optional<Value>(workload.algorithm->name);
          }};
}

Row<WorkloadConfig> schedule() {
  return {{{.name = "schedule",
            .type = ParameterType::text,
            .summary = "file that holds the schedule, as seen from the configuration's directory",
            .fallback = "null"}},
          [](WorkloadConfig& workload, const Value& value, const Surroundings& surroundings) {
            const auto& file = std::get<std::string>(value);
            workload.schedule_file =
                std::filesystem::absolute(surroundings.directory / file).lexically_normal();
          },
          [](const WorkloadConfig& workload, const Topology&) {
            return workload.schedule_file.empty() ? std::nullopt
                                                  : std::optional<Value>(workload.schedule_file.string());
          }};
}

Row<ExperimentConfig> of_schedules(Row<ExperimentConfig> row) {
  return of_work(KeyWork::schedules, std::move(row));
}

}  // namespace
}  // namespace workload_keys

RowSection<ExperimentConfig> workload_section() {
  using namespace workload_keys;
  RowSection<ExperimentConfig> section{
      .name = "workload",
      .summary =
          "what the network has to do: an algorithm with its parameters, a schedule from a file, or "
          "synthetic traffic with its pattern's parameters",
      .rows = {workload(algorithm()), workload(schedule()),
               of_schedules(workload(row(
                   &WorkloadConfig::schedule_digest,
                   {.name = "schedule_digest",
                    .type = ParameterType::text,
                    .summary =
                        "sha256: and the digits of that file's SHA-256; a file that differs is refused"}))),
               of_schedules(of_links(workload(choice_row(
                   &WorkloadConfig::advance, kAdvances,
                   {.name = "advance",
                    .summary =
                        "when a step starts: barrier, all of the last has arrived; dataflow, a node has "
                        "the data; table: no steps, links send by the algorithm's routing table"})))),
               of_schedules(of_links(workload(
                   row(&WorkloadConfig::lookahead, {.name = "lookahead",
                                                    .type = ParameterType::integer,
                                                    .summary = "messages a dataflow driver reads ahead",
                                                    .unit = "messages",
                                                    .minimum = 1,
                                                    .maximum = kMaxLookahead}))))},
      .check = [](const ExperimentConfig& config, const Topology& topology) {
        if (config.workload.traffic.pattern != nullptr) {
          require_possible(config.workload.traffic, config.machine, topology, "workload");
        }
      }};
  for (Row<TrafficConfig>& row : traffic_rows()) {
    section.rows.push_back(of_links(workload(within<WorkloadConfig>(
        [](auto& workload) -> auto& { return workload.traffic; }, std::move(row)))));
  }
  return section;
}

RowSection<ExperimentConfig> background_section() {
  using namespace workload_keys;
  RowSection<ExperimentConfig> section{
      .name = "workload.background",
      .summary = "traffic beside an algorithm or a schedule, with its pattern's parameters",
      .rows = {},
      .check =
          [](const ExperimentConfig& config, const Topology& topology) {
            const auto& traffic = config.workload.background;
            if (traffic) require_possible(*traffic, config.machine, topology, "workload.background");
          },
      .is_there = [](const ExperimentConfig& config) { return config.workload.background.has_value(); }};
  for (Row<TrafficConfig>& row : background_rows()) {
    section.rows.push_back(of_links(workload(within<WorkloadConfig>(
        [](auto& workload) -> auto& { return *workload.background; }, std::move(row)))));
  }
  return section;
}

}  // namespace flitscope
