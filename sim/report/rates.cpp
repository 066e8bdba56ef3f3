#include "sim/report/rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "algorithms/collective_bounds.h"
#include "model/text.h"
#include "params/units_of_names.h"
#include "sim/config/keys.h"

namespace flitscope {

namespace {

bool is_time(std::string_view object, const std::string& name) {
  constexpr std::array kObjects{"latency", "network_latency", "round_trip", "reads", "writes", "queueing"};
  constexpr std::array kTimes{"min", "mean", "p50", "p99", "p999", "max"};
  if (object == "message_classes") return name == "latency_mean" || name == "latency_max";
  return object == "port_cycles" ||
         (std::ranges::count(kObjects, object) > 0 && std::ranges::count(kTimes, name) > 0);
}

/// A number, or a list of them, times `factor`; null if it is null. Nothing for another value.
std::optional<Json> scaled(const Json& value, double factor) {
  if (value.is_null()) return value;
  if (value.is_number()) return value.get<double>() * factor;
  if (!value.is_array() || value.empty()) return std::nullopt;
  Json list = Json::array();
  for (const Json& each : value) {
    if (!each.is_number()) return std::nullopt;
    list.push_back(each.get<double>() * factor);
  }
  return list;
}

/// `name`: the key of `json` in the object that it is in.
Json with_units(const Json& json, const std::string& name, const ClockUnits& units) {
  if (!json.is_structured()) return json;
  Json result = json.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : json.items()) {
    if (json.is_array()) {
      result.push_back(with_units(value, name, units));
      continue;
    }
    result[key] = with_units(value, key, units);
    const auto other = is_time(name, key) ? std::optional(NamedUnit{key + "_ns", &ClockUnits::cycle_ns})
                                          : name_in_units(key);
    if (!other) continue;
    if (auto in_units = scaled(value, units.*other->factor)) result[other->name] = std::move(*in_units);
  }
  return result;
}

}  // namespace

double gigabytes_per_second(const ExperimentConfig& config, double flits_per_cycle) {
  return flits_per_cycle * config.machine.flit_bytes / config.clock->nanoseconds(1);
}

std::string bandwidth_in_brackets(const ExperimentConfig& config, double flits_per_cycle) {
  return config.clock ? fmt::format(" ({:.5g} GB/s)", gigabytes_per_second(config, flits_per_cycle)) : "";
}

std::string time_in_brackets(const ExperimentConfig& config, double cycles) {
  return config.clock ? fmt::format(" ({})", readable_time(config.clock->seconds(cycles))) : "";
}

std::string cycles_text(const ExperimentConfig& config, Cycle cycles) {
  return fmt::format("{}{}", counted(cycles, "cycle"), time_in_brackets(config, static_cast<double>(cycles)));
}

std::vector<SimulatedQuantity> simulated_quantities(const ExperimentConfig& config) {
  std::vector<SimulatedQuantity> quantities = config.bandwidths;
  const auto add = [&](std::string key, std::uint64_t bytes) {
    const std::uint64_t in_flits = flits_of(bytes, config.machine.flit_bytes) * config.machine.flit_bytes;
    quantities.push_back({std::move(key), bytes_text(bytes), bytes_text(in_flits),
                          static_cast<double>(in_flits - bytes) / static_cast<double>(bytes)});
  };
  const auto add_sizes = [&](const std::string& section, const TrafficConfig& traffic) {
    for (const auto& [bytes, weight] : traffic.message.sizes) add(section + ".message", bytes);
  };
  const WorkloadConfig& workload = config.workload;
  if (const auto& protocol = workload.protocol) {
    if (protocol->reads > Decimal(0)) {
      add("workload.request", protocol->request);
      add("workload.reply", protocol->reply);
    }
    if (protocol->reads < Decimal(1)) {
      add("workload.write_request", protocol->write_request);
      add("workload.write_reply", protocol->write_reply);
    }
    return quantities;
  }
  for (std::size_t item = 0; item < workload.offered().size(); ++item)
    add_sizes(offered_section(workload, item), workload.offered()[item]);
  if (workload.background) add_sizes("workload.background", *workload.background);
  return quantities;
}

std::optional<CollectiveBandwidth> collective_bandwidth(const RunResult& result) {
  const ExperimentConfig& config = result.config;
  if (!config.clock || result.status != RunStatus::completed || result.schedule_cycles() == 0)
    return std::nullopt;
  const double nodes = Participants(config.topology).count();
  OperationData operation;
  if (const Algorithm* const algorithm = config.workload.algorithm; algorithm != nullptr) {
    const auto& chunks = result.facts.collective.chunk_bytes;
    operation.kind = algorithm->collective.kind;
    operation.bytes = static_cast<double>(std::accumulate(chunks.begin(), chunks.end(), std::uint64_t{0}));
    if (operation.kind == CollectiveKind::all_to_all) operation.bytes /= nodes;
  } else {
    operation = operation_of(result.facts.collective, config.topology);
  }
  const auto factor = bytes_of_each_node(operation.kind, nodes);
  if (!factor) return std::nullopt;
  const double rate =
      operation.bytes / config.clock->nanoseconds(static_cast<double>(result.schedule_cycles()));
  return CollectiveBandwidth{operation.kind, rate, rate * *factor};
}

std::string unit_of(const std::string& name) {
  for (const ConfigSection& section : config_sections()) {
    for (const Key& key : section.rows) {
      if (path_of(section.name, key.name) == name && !key.unit.empty()) return key.unit;
    }
  }
  const std::size_t dot = name.rfind('.');
  const std::string last = name.substr(dot + 1);
  const std::string before = dot == std::string::npos ? "" : name.substr(0, dot);
  const std::string object = before.substr(before.rfind('.') + 1);
  if (is_time(object, last) || is_time("message_classes", last)) return "cycles";
  const auto other = name_in_units(last);
  return other && other->name == last + "_GBps" ? "flits/node/cycle" : "";
}

void add_units(Json& json, const ExperimentConfig& config) {
  if (config.clock) json = with_units(json, "", ClockUnits(*config.clock, config.machine.flit_bytes));
}

}  // namespace flitscope
