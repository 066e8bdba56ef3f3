// The way back: from the typed configuration to its text.
#include <fmt/format.h>
#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <algorithm>
#include <stdexcept>

#include "model/units.h"
#include "sim/config/config.h"
#include "sim/config/keys.h"
#include "sim/config/observe_reader.h"

namespace flitscope {

namespace {

using Value = ParameterValues::Value;

std::int64_t whole(std::uint64_t number) {
  return static_cast<std::int64_t>(number);
}

Value number_or_word(std::uint64_t number, const char* word) {
  return number == 0 ? Value(std::string(word)) : Value(whole(number));
}

ParameterValues top_level_values(const ExperimentConfig& config) {
  ParameterValues values;
  values.set("flitscope", std::int64_t{1});
  values.set("name", config.name);
  if (config.clock) values.set("clock", time_text(*config.clock));
  return values;
}

ParameterValues topology_values(const Topology& topology) {
  ParameterValues values;
  values.set("kind", std::string(name_of(topology.kind())));
  if (topology.kind() == TopologyKind::complete) {
    values.set("nodes", whole(topology.nodes()));
  } else {
    values.set("shape", std::vector<std::uint32_t>(topology.sides().begin(), topology.sides().end()));
  }
  return values;
}

ParameterValues router_values(const MachineConfig& machine) {
  ParameterValues values;
  values.set("switching", std::string(name_of(machine.switching)));
  values.set("routing", machine.routing.empty() ? "auto" : machine.routing);
  values.set("virtual_channels", number_or_word(machine.virtual_channels, "auto"));
  values.set("buffer", whole(machine.buffer));
  values.set("delay", whole(machine.router_delay));
  values.set("allow_deadlock", machine.allow_deadlock);
  return values;
}

ParameterValues link_values(const MachineConfig& machine) {
  ParameterValues values;
  values.set("delay", whole(machine.link_delay));
  return values;
}

ParameterValues node_values(const MachineConfig& machine) {
  ParameterValues values;
  values.set("ports", number_or_word(machine.ports, "all"));
  values.set("startup", whole(machine.startup));
  values.set("slowdown", whole(machine.slowdown));
  values.set("flit_bytes", whole(machine.flit_bytes));
  values.set("copy", machine.copy);
  return values;
}

ParameterValues workload_values(const WorkloadConfig& workload) {
  ParameterValues values = workload.parameters;
  if (workload.algorithm != nullptr) values.set("algorithm", workload.algorithm->name);
  if (!workload.schedule_file.empty()) values.set("schedule", workload.schedule_file.string());
  values.set("advance", std::string(name_of(workload.advance)));
  values.set("lookahead", whole(workload.lookahead));
  return values;
}

ParameterValues circuits_values(const MachineConfig& machine) {
  ParameterValues values;
  values.set("reconfiguration", whole(machine.reconfiguration));
  return values;
}

ParameterValues limits_values(const ExperimentConfig& config) {
  ParameterValues values;
  values.set("cycles", whole(config.cycle_limit));
  return values;
}

ParameterValues values_of(const std::string& section, const ExperimentConfig& config) {
  if (section.empty()) return top_level_values(config);
  if (section == "topology") return topology_values(config.topology);
  if (section == "router") return router_values(config.machine);
  if (section == "link") return link_values(config.machine);
  if (section == "node") return node_values(config.machine);
  if (section == "workload") return workload_values(config.workload);
  if (section == "circuits") return circuits_values(config.machine);
  if (section == "observe") return observe_values(config.observe);
  if (section == "observe.filter") return filter_values(config.observe.filter, config.topology);
  if (section == "observe.waves") return waves_values(config.observe.waves, config.topology);
  if (section == "limits") return limits_values(config);
  throw std::logic_error("section '" + section + "' cannot be printed");
}

void print(YAML::Emitter& out, const std::vector<std::uint32_t>& coordinates) {
  out << YAML::Flow << YAML::BeginSeq;
  for (const std::uint32_t coordinate : coordinates) out << coordinate;
  out << YAML::EndSeq;
}

/// The shortest text that gives the same number.
std::string number_text(double number) {
  return fmt::format("{}", number);
}

void print(YAML::Emitter& out, const NodeSet& set) {
  switch (set.kind) {
    case NodeSet::Kind::all:
      out << "all";
      return;
    case NodeSet::Kind::listed:
      out << YAML::Flow << YAML::BeginSeq;
      for (const auto& node : set.nodes) print(out, node);
      out << YAML::EndSeq;
      return;
    case NodeSet::Kind::count:
      out << YAML::Flow << YAML::BeginMap << YAML::Key << "count" << YAML::Value << set.count;
      break;
    case NodeSet::Kind::fraction:
      out << YAML::Flow << YAML::BeginMap << YAML::Key << "fraction" << YAML::Value
          << number_text(set.fraction);
      break;
  }
  out << YAML::Key << "seed" << YAML::Value << set.seed << YAML::EndMap;
}

void print(YAML::Emitter& out, const Value& value) {
  if (const auto* const coordinates = std::get_if<std::vector<std::uint32_t>>(&value)) {
    if (coordinates->empty()) {
      out << "origin";
    } else {
      print(out, *coordinates);
    }
  } else if (const auto* const set = std::get_if<NodeSet>(&value)) {
    print(out, *set);
  } else if (const auto* const texts = std::get_if<std::vector<std::string>>(&value)) {
    out << YAML::Flow << YAML::BeginSeq;
    for (const std::string& each : *texts) out << YAML::DoubleQuoted << each;
    out << YAML::EndSeq;
  } else if (const auto* const text = std::get_if<std::string>(&value)) {
    out << *text;
  } else if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
    out << *integer;
  } else if (const auto* const boolean = std::get_if<bool>(&value)) {
    out << *boolean;
  } else {
    out << std::get<Decimal>(value).text();
  }
}

/// Prints the keys that have a value. Only those with the fallback "null" may lack one.
void print(YAML::Emitter& out, const Parameter& parameter, const ParameterValues& values) {
  if (!values.has(parameter.name)) {
    if (parameter.fallback == "null") return;
    throw std::logic_error("key '" + parameter.name + "' has no value to print");
  }
  out << YAML::Key << parameter.name << YAML::Value;
  print(out, values.all().at(parameter.name));
}

/// The keys of a section that a network of this kind has, then the sections in it that have such keys.
void print_section(YAML::Emitter& out, const std::string& name, const ExperimentConfig& config) {
  const auto has_key = [&](const Key& key) { return applies(key, config.topology.kind()); };
  out << YAML::BeginMap;
  const ParameterValues values = values_of(name, config);
  for (const Key& key : config_section(name).keys) {
    if (has_key(key)) print(out, key.parameter, values);
    const bool behind_algorithm = name == "workload" && key.parameter.name == "algorithm";
    if (!behind_algorithm || config.workload.algorithm == nullptr) continue;
    for (const Parameter& parameter : config.workload.algorithm->parameters) print(out, parameter, values);
  }
  for (const std::string& inner : sections_in(name)) {
    if (std::ranges::none_of(config_section(path_of(name, inner)).keys, has_key)) continue;
    out << YAML::Key << inner << YAML::Value;
    print_section(out, path_of(name, inner), config);
  }
  out << YAML::EndMap;
}

}  // namespace

std::string resolve(const ExperimentConfig& config) {
  YAML::Emitter out;
  print_section(out, "", config);
  return std::string(out.c_str()) + "\n";
}

std::map<std::string, Value> resolved_values(const ExperimentConfig& config) {
  std::map<std::string, Value> result;
  for (const Section& section : config_sections()) {
    const ParameterValues values = values_of(section.name, config);
    for (const auto& [name, value] : values.all()) result[path_of(section.name, name)] = value;
  }
  return result;
}

std::string value_text(const Value& value) {
  YAML::Emitter out;
  print(out, value);
  return out.c_str();
}

}  // namespace flitscope
