#include "sim/report/rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "algorithms/algorithm.h"

namespace flitscope {

namespace {

using Json = nlohmann::ordered_json;

/// Bytes on each node's links for a byte of the operation.
std::optional<double> bus_factor(CollectiveKind kind, double nodes) {
  const double others = (nodes - 1) / nodes;
  switch (kind) {
    case CollectiveKind::all_reduce:
      return 2 * others;
    case CollectiveKind::all_gather:
    case CollectiveKind::gossip:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_to_all:
    case CollectiveKind::gather:
    case CollectiveKind::scatter:
      return others;
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return 1;
    case CollectiveKind::other:
    case CollectiveKind::multinode_broadcast:
      break;
  }
  return std::nullopt;
}

/// The same name with another ending.
std::string with_ending(const std::string& name, std::string_view ending, std::string_view other) {
  return name.substr(0, name.size() - ending.size()).append(other);
}

/// Of a time in nanoseconds; nothing for a name that is not of one in cycles.
std::optional<std::string> name_in_nanoseconds(const std::string& name) {
  if (name == "cycles") return "ns";
  if (!name.ends_with("_cycles") || name.ends_with("flit_cycles") || name == "skipped_cycles")
    return std::nullopt;
  return with_ending(name, "_cycles", "_ns");
}

/// Of a rate in GB/s; nothing for a name that is not of one in flits a cycle.
std::optional<std::string> name_in_gigabytes(const std::string& name) {
  if (name == "offered" || name == "accepted") return name + "_GBps";
  for (const std::string_view ending : {"flits_per_node_cycle", "flits_per_cycle"}) {
    if (name.ends_with(ending)) return with_ending(name, ending, "GBps");
  }
  return std::nullopt;
}

bool is_latency(std::string_view object, const std::string& name) {
  constexpr std::array kTimes{"min", "mean", "p50", "p99", "p999", "max"};
  return (object == "latency" || object == "network_latency") && std::ranges::count(kTimes, name) > 0;
}

/// A number, or a list of them, times `factor`; null if it is null. Nothing for another value.
std::optional<Json> scaled(const Json& value, double factor) {
  if (value.is_null()) return value;
  if (value.is_number()) return value.get<double>() * factor;
  if (!value.is_array()) return std::nullopt;
  Json list = Json::array();
  for (const Json& each : value) {
    if (!each.is_number()) return std::nullopt;
    list.push_back(each.get<double>() * factor);
  }
  return list;
}

/// `name`: the key of `json` in the object that it is in.
Json with_units(const Json& json, const std::string& name, double nanoseconds, double gigabytes_per_second) {
  if (!json.is_structured()) return json;
  Json result = json.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : json.items()) {
    if (json.is_array()) {
      result.push_back(with_units(value, name, nanoseconds, gigabytes_per_second));
      continue;
    }
    if (result.contains(key)) continue;  // of an earlier call; what it is computed from may have changed
    result[key] = with_units(value, key, nanoseconds, gigabytes_per_second);
    const auto time = is_latency(name, key) ? std::optional(key + "_ns") : name_in_nanoseconds(key);
    const auto rate = name_in_gigabytes(key);
    if (!time && !rate) continue;
    if (auto other = scaled(value, time ? nanoseconds : gigabytes_per_second)) {
      result[time ? *time : *rate] = std::move(*other);
    }
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

std::vector<SimulatedQuantity> simulated_quantities(const ExperimentConfig& config) {
  std::vector<SimulatedQuantity> quantities = config.bandwidths;
  const auto offered = config.workload.offered();
  for (std::size_t item = 0; item < offered.size(); ++item) {
    for (const auto& [bytes, weight] : offered[item].message.sizes) {
      const std::uint64_t in_flits = flits_of(bytes, config.machine.flit_bytes) * config.machine.flit_bytes;
      quantities.push_back({offered_section(config.workload, item) + ".message", bytes_text(bytes),
                            bytes_text(in_flits),
                            static_cast<double>(in_flits - bytes) / static_cast<double>(bytes)});
    }
  }
  return quantities;
}

std::optional<CollectiveBandwidth> collective_bandwidth(const RunResult& result) {
  const ExperimentConfig& config = result.config;
  const Algorithm* const algorithm = config.workload.algorithm;
  if (!config.clock || algorithm == nullptr || result.status != RunStatus::completed || result.cycles == 0) {
    return std::nullopt;
  }
  const double nodes = Participants(config.topology).count();
  const auto factor = bus_factor(algorithm->collective.kind, nodes);
  if (!factor) return std::nullopt;
  const auto& chunks = result.facts.collective.chunk_bytes;
  double size = static_cast<double>(std::accumulate(chunks.begin(), chunks.end(), std::uint64_t{0}));
  if (algorithm->collective.kind == CollectiveKind::all_to_all) size /= nodes;
  const double rate = size / config.clock->nanoseconds(static_cast<double>(result.cycles));
  return CollectiveBandwidth{rate, rate * *factor};
}

std::optional<std::string> name_in_units(const std::string& name) {
  const auto time = name_in_nanoseconds(name);
  return time ? time : name_in_gigabytes(name);
}

void add_units(Json& json, const ExperimentConfig& config) {
  if (config.clock)
    json = with_units(json, "", config.clock->nanoseconds(1), gigabytes_per_second(config, 1));
}

}  // namespace flitscope
