#include "sim/config/workload_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/text.h"

namespace flitscope {

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
          [](WorkloadConfig& workload, const Value& value, const ReadContext&) {
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
          [](WorkloadConfig& workload, const Value& value, const ReadContext& context) {
            const auto& file = std::get<std::string>(value);
            workload.schedule_file = std::filesystem::absolute(context.directory / file).lexically_normal();
          },
          [](const WorkloadConfig& workload, const Topology&) {
            return workload.schedule_file.empty() ? std::nullopt
                                                  : std::optional<Value>(workload.schedule_file.string());
          }};
}

/// The seeds of classes follow one another, if nothing else is said: equal ones would draw equal numbers.
Row<ExperimentConfig> class_seed(std::size_t item) {
  Key key{{.name = "seed",
           .type = ParameterType::integer,
           .summary = "draws all random numbers of the class; auto: workload.seed, and one more for each "
                      "class before",
           .fallback = "auto",
           .maximum = kMaxSeed,
           .choices = {"auto"}}};
  key.work = KeyWork::traffic;
  return {std::move(key),
          [item](ExperimentConfig& config, const Value& value, const ReadContext&) {
            const auto* const given = std::get_if<std::int64_t>(&value);
            config.workload.classes[item].seed =
                given == nullptr ? config.workload.traffic.seed + item : static_cast<std::uint64_t>(*given);
          },
          [item](const ExperimentConfig& config, const Topology&) {
            return std::optional<Value>(static_cast<std::int64_t>(config.workload.classes[item].seed));
          }};
}

Row<ExperimentConfig> class_name(std::size_t item) {
  Key key{{.name = "name",
           .type = ParameterType::text,
           .summary = "what results call the class: letters, digits, - and _; auto: class1, class2, ..",
           .fallback = "auto",
           .choices = {"auto"}}};
  key.work = KeyWork::traffic;
  return {std::move(key),
          [item](ExperimentConfig& config, const Value& value, const ReadContext&) {
            const auto& name = std::get<std::string>(value);
            config.workload.classes[item].name = name == "auto" ? fmt::format("class{}", item + 1) : name;
          },
          [item](const ExperimentConfig& config, const Topology&) {
            return std::optional<Value>(config.workload.classes[item].name);
          }};
}

}  // namespace

bool is_class_name(const std::string& name) {
  const auto is_of_a_word = [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '_';
  };
  return !name.empty() && std::ranges::all_of(name, is_of_a_word);
}

namespace {

/// Names are columns of tables, and seeds make classes independent of one another.
void require_own_name_and_seed(const WorkloadConfig& workload, std::size_t item) {
  const TrafficConfig& own = workload.classes[item];
  const std::string section = class_section_name(item);
  if (!is_class_name(own.name)) {
    throw Inadmissible(section + ".name",
                       fmt::format("{}.name must be a word of letters, digits, - and _, not {}", section,
                                   in_quotes(own.name)));
  }
  for (std::size_t before = 0; before < item; ++before) {
    const TrafficConfig& other = workload.classes[before];
    if (other.name == own.name) {
      throw Inadmissible(section + ".name",
                         fmt::format("{} is called '{}' already; give each class a name of its own",
                                     class_section_name(before), own.name));
    }
    if (other.seed == own.seed) {
      throw Inadmissible(section + ".seed",
                         fmt::format("{} has the seed {} already, and would draw the same numbers; "
                                     "leave the seeds out, or give each class its own",
                                     class_section_name(before), own.seed));
    }
  }
}

Row<ExperimentConfig> of_schedules(Row<ExperimentConfig> row) {
  return of_work(KeyWork::schedules, std::move(row));
}

}  // namespace

RowSection<ExperimentConfig> workload_section() {
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
        require_possible(config.workload, config.machine, topology);
      }};
  for (Row<TrafficConfig>& row : traffic_rows()) {
    section.rows.push_back(of_links(workload(within<WorkloadConfig>(
        [](auto& workload) -> auto& { return workload.traffic; }, std::move(row)))));
  }
  return section;
}

RowSection<ExperimentConfig> background_section() {
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

RowSection<ExperimentConfig> class_section(std::size_t item) {
  RowSection<ExperimentConfig> section{
      .name = class_section_name(item),
      .summary = "a class of traffic among several, with its pattern's parameters; a list has a map for each",
      .rows = {of_links(class_name(item))},
      .check = [item](const ExperimentConfig& config,
                      const Topology&) { require_own_name_and_seed(config.workload, item); },
      .is_there = [item](const ExperimentConfig& config) { return item < config.workload.classes.size(); }};
  for (Row<TrafficConfig>& row : class_rows()) {
    section.rows.push_back(of_links(workload(within<WorkloadConfig>(
        [item](auto& workload) -> auto& { return workload.classes[item]; }, std::move(row)))));
  }
  section.rows.push_back(of_links(class_seed(item)));
  return section;
}

}  // namespace flitscope
