#include "sim/config/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "params/diagnostics.h"

namespace flitscope {

std::string class_section_name(std::size_t item) {
  return fmt::format("workload.classes[{}]", item);
}

std::string offered_section(const WorkloadConfig& workload, std::size_t item) {
  if (workload.protocol) return "workload.requests";
  return workload.classes.empty() ? "workload" : class_section_name(item);
}

std::string pattern_names(const WorkloadConfig& workload) {
  if (workload.protocol) return fmt::format("{}, {}", kRequestReply, workload.traffic.pattern->name);
  const auto name = [](const TrafficConfig& traffic) { return traffic.pattern->name; };
  return fmt::format("{}", fmt::join(texts_of(workload.offered(), name), " + "));
}

void for_each_traffic_file(
    WorkloadConfig& workload,
    const std::function<void(ParameterValues&, const std::string& key, const std::string& copy)>& take) {
  const auto of = [&](TrafficConfig& traffic, const std::string& prefix) {
    for (const Parameter& parameter : traffic.pattern->parameters) {
      ParameterValues& values = traffic.parameters;
      if (parameter.type != ParameterType::file || !values.has(parameter.name)) continue;
      const std::filesystem::path file = values.text(parameter.name);
      take(values, parameter.name, prefix + parameter.name + file.extension().string());
    }
  };
  if (workload.traffic.pattern != nullptr) of(workload.traffic, "");
  for (TrafficConfig& traffic : workload.classes) of(traffic, traffic.name + "-");
  if (workload.background) of(*workload.background, "background-");
}

double offered_load(const WorkloadConfig& workload) {
  double load = 0;
  for (const TrafficConfig& traffic : workload.offered()) load += traffic.load.approximate();
  return load;
}

const char* load_unit(const WorkloadConfig& workload) {
  return workload.protocol ? "flits of requests/node/cycle" : "flits/node/cycle";
}

}  // namespace flitscope
