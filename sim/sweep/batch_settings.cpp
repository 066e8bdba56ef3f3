#include "sim/sweep/batch_settings.h"

#include <fmt/format.h>

#include "model/text.h"
#include "model/units.h"
#include "sim/formats/value_reader.h"

namespace flitscope {

namespace {

constexpr std::int64_t kMaxMemory = std::int64_t{1} << 50;
constexpr std::int64_t kMaxTasks = 1'000'000;
constexpr std::uint64_t kPicosecondsPerMillisecond = 1'000'000'000;

Key time_key(const char* summary) {
  return {{.name = "time", .type = ParameterType::text, .summary = summary, .fallback = "null"}};
}

Key memory_key(const char* summary) {
  return {{.name = "memory",
           .type = ParameterType::bytes,
           .summary = summary,
           .fallback = "null",
           .unit = "bytes",
           .minimum = 1 << 20,
           .maximum = kMaxMemory}};
}

Key count_key(const char* name, const char* summary) {
  return {{.name = name,
           .type = ParameterType::integer,
           .summary = summary,
           .fallback = "null",
           .minimum = 1,
           .maximum = kMaxTasks}};
}

Key text_key(const char* name, const char* summary) {
  return {{.name = name, .type = ParameterType::text, .summary = summary, .fallback = "null"}};
}

/// "90s", "1500ms" or seconds without a unit.
std::uint64_t milliseconds(const std::string& path, const YamlNode& node, Diagnostics& diagnostics) {
  const bool plain = is_whole_number(node.text);
  const auto time = parse_time(plain ? node.text + "s" : node.text);
  if (time.value && *time.value >= kPicosecondsPerMillisecond) {
    return *time.value / kPicosecondsPerMillisecond;
  }
  diagnostics.add(node.place,
                  fmt::format("{} must be a time of at least 1ms, such as 90s or 90 (seconds), not {}", path,
                              in_quotes(node.text)));
  return 0;
}

}  // namespace

const std::vector<Section>& batch_sections() {
  static const std::vector<Section> sections{
      {.name = "run",
       .summary = "what one run may take",
       .keys = {time_key("real time a run may take, such as 90s"), memory_key("memory a run may take")}},
      {.name = "slurm",
       .summary = "what is asked of a Slurm cluster",
       .keys = {text_key("partition", "partition of the cluster"),
                count_key("at_once", "tasks that run at the same time"),
                count_key("runs_per_task", "runs that one task does, one after the other"),
                time_key("real time a task may take"), memory_key("memory a task may take"),
                text_key("program", "path of flitscope on the nodes")}}};
  return sections;
}

void read_batch_value(const std::string& section, const Key& key, const YamlNode& given,
                      BatchSettings& settings, Diagnostics& diagnostics) {
  const std::string& name = key.parameter.name;
  const std::string path = fmt::format("sweep.{}.{}", section, name);
  const auto value = read_value(key, path, given, {}, diagnostics);
  if (!value) return;
  const auto number = [&] { return static_cast<std::uint64_t>(std::get<std::int64_t>(*value)); };
  SlurmSettings& slurm = settings.slurm;
  if (name == "time") {
    (section == "run" ? settings.run.milliseconds : slurm.task_milliseconds) =
        milliseconds(path, given, diagnostics);
  } else if (name == "memory") {
    (section == "run" ? settings.run.memory_bytes : slurm.task_memory_bytes) = number();
  } else if (name == "at_once") {
    slurm.at_once = number();
  } else if (name == "runs_per_task") {
    slurm.runs_per_task = number();
  } else if (name == "partition") {
    slurm.partition = std::get<std::string>(*value);
  } else if (name == "program") {
    slurm.program = std::get<std::string>(*value);
  }
}

}  // namespace flitscope
