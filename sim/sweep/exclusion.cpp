#include "sim/sweep/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "model/text.h"
#include "sim/config/config_source.h"
#include "sim/config/overrides.h"
#include "sim/config/section_reader.h"

namespace flitscope {

namespace {

using Kind = YamlNode::Kind;
using Value = ParameterValues::Value;

/// The relations between numbers.
const std::map<std::string, std::function<bool(double, double)>>& comparisons() {
  static const std::map<std::string, std::function<bool(double, double)>> list{
      {"above", std::greater<>()},
      {"at_least", std::greater_equal<>()},
      {"at_most", std::less_equal<>()},
      {"below", std::less<>()}};
  return list;
}

std::optional<Condition> read_condition(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.kind == Kind::refused) return std::nullopt;
  Condition condition{node.key, node.key_place, "", {node}};
  if (node.kind != Kind::map) return condition;
  const std::vector<std::string> names{"above", "at_least", "at_most", "below", "not", "one_of"};
  refuse_unknown_keys("", node, names, diagnostics);
  if (node.items.size() != 1) {
    diagnostics.add(node.place, "a condition must be a value or one relation, such as {above: 4KiB}");
    return std::nullopt;
  }
  const YamlNode& operand = node.items.front();
  if (std::ranges::count(names, operand.key) == 0) return std::nullopt;
  condition.relation = operand.key;
  condition.operands = {operand};
  if (condition.relation != "one_of") return condition;
  if (operand.kind != Kind::sequence || operand.items.empty()) {
    diagnostics.add(operand.place, "'one_of' must be a list of values");
    return std::nullopt;
  }
  condition.operands = operand.items;
  return condition;
}

/// The declared key of a path, in a configuration with this workload.
std::optional<Key> find_key(const KeyPath& path, const WorkloadConfig& workload) {
  const auto& sections = config_sections();
  const auto section = std::ranges::find(sections, path.section, &Section::name);
  if (section == sections.end()) return std::nullopt;
  for (const Key& key : section->keys) {
    if (key.parameter.name == path.key && applies(key, workload.work())) return key;
  }
  if (path.section != "workload") return std::nullopt;
  const std::vector<Parameter> none;
  const auto& parameters = workload.traffic.pattern != nullptr ? workload.traffic.pattern->parameters
                           : workload.algorithm != nullptr     ? workload.algorithm->parameters
                                                               : none;
  for (const Parameter& parameter : parameters) {
    if (parameter.name == path.key) return Key{parameter};
  }
  return std::nullopt;
}

/// Adds a mistake if no configuration can have such a key.
void require_known(const KeyPath& path, const Condition& condition, Diagnostics& diagnostics) {
  const auto sections = top_level_names();
  if (!path.section.empty() && std::ranges::count(sections, path.section) == 0) {
    diagnostics.add(condition.path_place, unknown_key("", path.section, sections));
    return;
  }
  auto known = names_of(config_section(path.section).keys);
  if (path.section == "workload") {
    for (const Algorithm& algorithm : AlgorithmRegistry::all()) {
      for (const Parameter& parameter : algorithm.parameters) known.push_back(parameter.name);
    }
    for (const Traffic& traffic : TrafficRegistry::all()) {
      for (const Parameter& parameter : traffic.parameters) known.push_back(parameter.name);
    }
  }
  if (std::ranges::count(known, path.key) == 0) {
    diagnostics.add(condition.path_place, unknown_key(path.section, path.key, known));
  }
}

/// Compares values. The origin of a grid equals [0, 0].
bool equal(const Value& one, const Value& other) {
  const auto is_origin = [](const Value& value) {
    const auto* const node = std::get_if<NodeName>(&value);
    return node != nullptr &&
           (node->text == "origin" || node->text.find_first_not_of("[0, ]") == std::string::npos);
  };
  return one == other || (is_origin(one) && is_origin(other));
}

std::optional<double> number(const Value& value) {
  if (const auto* const integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* const decimal = std::get_if<Decimal>(&value)) return decimal->approximate();
  return std::nullopt;
}

bool holds(const std::string& relation, const Value& value, const Value& operand) {
  const auto comparison = comparisons().find(relation);
  if (comparison == comparisons().end()) return equal(value, operand) != (relation == "not");
  const auto left = number(value);
  const auto right = number(operand);
  return left && right && comparison->second(*left, *right);  // 'auto' is not above 4
}

bool applies(const Condition& condition, const ExperimentConfig& config,
             const std::map<std::string, Value>& values, Diagnostics& diagnostics) {
  const auto path = split_path(condition.path, condition.path_place, diagnostics);
  if (!path) return false;
  const auto key = find_key(*path, config.workload);
  if (!key) {
    require_known(*path, condition, diagnostics);
    return false;
  }
  const bool compares = comparisons().contains(condition.relation);
  if (compares && (key->is_list || (key->parameter.type > ParameterType::cycles))) {
    diagnostics.add(condition.operands.front().key_place,
                    fmt::format("{} is no number; use a value, 'not' or 'one_of'", condition.path));
    return false;
  }
  CycleLength clock;
  if (config.clock) clock = {CycleLength::State::known, *config.clock};
  const auto value = values.find(condition.path);
  bool result = false;
  for (const YamlNode& node : condition.operands) {
    const auto operand = read_value(*key, condition.path, node, clock, diagnostics);
    result =
        result || (operand && value != values.end() && holds(condition.relation, value->second, *operand));
  }
  return result;
}

}  // namespace

Exclusion read_exclusion(const YamlNode& entry, Diagnostics& diagnostics) {
  Exclusion exclusion{entry.place, {}};
  if (entry.kind == Kind::refused) return exclusion;
  if (entry.kind != Kind::map || entry.items.empty()) {
    diagnostics.add(entry.place,
                    "an entry of 'exclude' must be a map of conditions, such as {node.ports: 1, "
                    "workload.message: {above: 4KiB}}");
    return exclusion;
  }
  for (const YamlNode& item : entry.items) {
    if (auto condition = read_condition(item, diagnostics))
      exclusion.conditions.push_back(std::move(*condition));
  }
  return exclusion;
}

bool applies(const Exclusion& exclusion, const ExperimentConfig& config, Diagnostics& diagnostics) {
  const auto values = resolved_values(config);
  bool all = true;
  for (const Condition& condition : exclusion.conditions) {
    all = applies(condition, config, values, diagnostics) && all;  // every operand is read, for its mistakes
  }
  return all && !exclusion.conditions.empty();
}

}  // namespace flitscope
