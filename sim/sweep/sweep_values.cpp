#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "model/numbers.h"
#include "model/text.h"
#include "model/units.h"
#include "networks/network_family.h"
#include "sim/config/config_source.h"
#include "sim/config/section_reader.h"
#include "sim/sweep/sweep_plan.h"

namespace flitscope {

namespace {

using Kind = YamlNode::Kind;
using Value = ParameterValues::Value;

/// The relations between numbers.
const std::map<std::string, std::function<bool(double, double)>> kComparisons{
    {"above", std::greater<>()},
    {"at_least", std::greater_equal<>()},
    {"at_most", std::less_equal<>()},
    {"below", std::less<>()}};

std::string section_is_compared_by_keys(const std::string& section) {
  return fmt::format(
      "'{0}' is a section; compare its keys, such as {{{0}: {{one_of: [{{KEY: VALUE}}]}}}} or {{{0}.KEY: "
      "VALUE}}",
      section);
}

std::optional<Condition> read_condition(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.kind == Kind::refused) return std::nullopt;
  Condition condition{node.key, node.key_place, "", {node}};
  if (node.kind != Kind::map) return condition;
  const std::vector<std::string> names{"above", "at_least", "at_most", "below", "not", "one_of"};
  const auto is_relation = [&](const YamlNode& item) { return std::ranges::count(names, item.key) > 0; };
  if (is_section(node.key) && std::ranges::none_of(node.items, is_relation))
    return diagnostics.add(node.place, section_is_compared_by_keys(node.key));
  refuse_unknown_keys("", node, names, diagnostics);
  if (node.items.size() != 1)
    return diagnostics.add(node.place, "a condition must be a value or one relation, such as {above: 4KiB}");
  const YamlNode& operand = node.items.front();
  if (!is_relation(operand)) return std::nullopt;
  condition.relation = operand.key;
  condition.operands = {operand};
  if (condition.relation != "one_of") return condition;
  if (operand.kind != Kind::sequence || operand.items.empty())
    return diagnostics.add(operand.place, "'one_of' must be a list of values");
  condition.operands = operand.items;
  return condition;
}

/// The declared key of a path, in this configuration.
std::optional<Key> find_key(const KeyPath& path, const ExperimentConfig& config) {
  if (!is_section(path.section)) return std::nullopt;
  for (const Key& key : config_section(path.section).rows) {
    if (key.name == path.key && applies(key, config.workload.work())) return key;
  }
  const auto* const parameters = chosen_in(path.section, config).parameters;
  if (parameters == nullptr) return std::nullopt;
  const auto found = std::ranges::find(*parameters, path.key, &Parameter::name);
  return found == parameters->end() ? std::nullopt : std::optional(Key{*found});
}

/// Adds a mistake if no configuration can have such a key.
void require_known(const KeyPath& path, const Condition& condition, Diagnostics& diagnostics) {
  const auto sections = names_in("");
  if (!path.section.empty() && std::ranges::count(sections, path.section) == 0) {
    diagnostics.add(condition.path_place, unknown_key("", path.section, sections));
    return;
  }
  auto known = names_of(config_section(path.section).rows);
  const auto add_parameters_of = [&](const auto& parts) {
    for (const auto& part : parts) {
      for (const Parameter& parameter : part.parameters) known.push_back(parameter.name);
    }
  };
  if (path.section == "workload") {
    add_parameters_of(AlgorithmRegistry::all());
    add_parameters_of(TrafficRegistry::all());
  }
  if (path.section == "topology") add_parameters_of(FamilyRegistry::all());
  if (path.section.empty()) known.insert(known.end(), sections.begin(), sections.end());
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
  if (const auto* const ratio = std::get_if<Ratio>(&value)) return ratio->approximate();
  return std::nullopt;
}

bool holds(const std::string& relation, const Value& value, const Value& operand) {
  const auto comparison = kComparisons.find(relation);
  if (comparison == kComparisons.end()) return equal(value, operand) != (relation == "not");
  const auto left = number(value);
  const auto right = number(operand);
  return left && right && comparison->second(*left, *right);  // 'auto' is not above 4
}

using ResolvedValues = std::map<std::string, Value>;

bool applies(const Condition& condition, const ExperimentConfig& config, const ResolvedValues& values,
             Diagnostics& diagnostics);

/// A condition on a section: a value is a map of some of its keys, all of which must be equal.
bool applies_to_section(const Condition& condition, const ExperimentConfig& config,
                        const ResolvedValues& values, Diagnostics& diagnostics) {
  bool any = false;
  for (const YamlNode& operand : condition.operands) {
    if (operand.kind != Kind::map || kComparisons.contains(condition.relation)) {
      diagnostics.add(operand.place, section_is_compared_by_keys(condition.path));
      continue;
    }
    bool all = true;
    for (const YamlNode& item : operand.items) {
      const Condition of_key{path_of(condition.path, item.key), item.key_place, "", {item}};
      all = applies(of_key, config, values, diagnostics) && all;  // every key is read, for its mistakes
    }
    any = any || all;
  }
  return any != (condition.relation == "not");
}

bool applies(const Condition& condition, const ExperimentConfig& config, const ResolvedValues& values,
             Diagnostics& diagnostics) {
  if (is_section(condition.path)) return applies_to_section(condition, config, values, diagnostics);
  const auto path = split_path(condition.path, condition.path_place, diagnostics);
  if (!path) return false;
  const auto key = find_key(*path, config);
  if (!key) {
    require_known(*path, condition, diagnostics);
    return false;
  }
  const bool compares = kComparisons.contains(condition.relation);
  const ParameterType type = key->type;
  const bool is_number = !key->is_list && (type <= ParameterType::cycles || type == ParameterType::sizes);
  if (compares && !is_number) {
    diagnostics.add(condition.operands.front().key_place, "{} is no number; use a value, 'not' or 'one_of'",
                    condition.path);
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

constexpr std::size_t kMaxValues = 1'000'000;

/// The quantity that a range counts.
enum class Quantity : std::uint8_t { whole, real, bytes, picoseconds };

struct Amount {
  double value = 0;
  Quantity quantity = Quantity::whole;
};

std::optional<Amount> read_amount(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.kind == Kind::refused) return std::nullopt;
  if (node.kind == Kind::scalar) {
    const auto number = node.quoted ? std::nullopt : number_in<double>(node.text);
    if (number && std::isfinite(*number)) {
      const bool whole = node.text.find_first_not_of("-0123456789") == std::string::npos;
      return Amount{*number, whole ? Quantity::whole : Quantity::real};
    }
    if (const auto bytes = parse_bytes(node.text); bytes.value) {
      return Amount{static_cast<double>(*bytes.value), Quantity::bytes};
    }
    if (const auto time = parse_time(node.text); time.value) {
      return Amount{static_cast<double>(*time.value), Quantity::picoseconds};
    }
  }
  return diagnostics.add(node.place,
                         "'{}' of a range must be a number, a size such as 4KiB or a time such as 30us{}",
                         node.key, node.kind == Kind::scalar ? ", not " + in_quotes(node.text) : "");
}

std::string text_of(double value, Quantity quantity) {
  constexpr std::array kUnits{"", "", "B", "ps"};
  if (quantity != Quantity::real)
    return fmt::format("{:.0f}{}", value, kUnits.at(static_cast<std::size_t>(quantity)));
  return fmt::format("{:.12g}", value);  // 0.1 + 0.2 is 0.3 in a range
}

/// A size may begin with a plain number: {from: 64, to: 4KiB}. Nothing if the two cannot be mixed.
std::optional<Quantity> common(Quantity one, Quantity other) {
  if (one == other) return one;
  const auto either = [&](Quantity a, Quantity b) {
    return (one == a && other == b) || (one == b && other == a);
  };
  if (either(Quantity::whole, Quantity::real)) return Quantity::real;
  if (either(Quantity::whole, Quantity::bytes)) return Quantity::bytes;
  return std::nullopt;
}

std::vector<YamlNode> nodes_of(const std::vector<double>& values, Quantity quantity, const YamlNode& range) {
  std::vector<YamlNode> nodes;
  for (const double value : values) {
    YamlNode node{.kind = Kind::scalar, .place = range.place, .text = text_of(value, quantity)};
    if (nodes.empty() || nodes.back().text != node.text) nodes.push_back(std::move(node));
  }
  return nodes;
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

std::vector<YamlNode> values_of_range(const YamlNode& range, Diagnostics& diagnostics) {
  const std::vector<std::string> known{"from", "to", "step", "times"};
  refuse_unknown_keys("", range, known, diagnostics);
  const YamlNode* const from_node = range.find("from");
  const YamlNode* const to_node = range.find("to");
  const YamlNode* const step_node = range.find("step");
  const YamlNode* const times_node = range.find("times");
  if (from_node == nullptr || to_node == nullptr || (step_node == nullptr) == (times_node == nullptr)) {
    diagnostics.add(range.place, "a range must have from, to, and either step or times");
    return {};
  }
  const auto from = read_amount(*from_node, diagnostics);
  const auto to = read_amount(*to_node, diagnostics);
  const YamlNode& by_node = step_node != nullptr ? *step_node : *times_node;
  const auto by = read_amount(by_node, diagnostics);
  if (!from || !to || !by) return {};

  auto quantity = common(from->quantity, to->quantity);
  if (quantity && step_node != nullptr) quantity = common(*quantity, by->quantity);
  if (!quantity) {
    diagnostics.add(range.place, "a range must not mix numbers, sizes and times");
    return {};
  }
  const bool by_is_right = step_node != nullptr
                               ? by->value > 0
                               : by->value > 1 && from->value > 0 && by->quantity <= Quantity::real;
  if (!by_is_right) {
    diagnostics.add(by_node.place, step_node != nullptr
                                       ? "'step' of a range must be above 0"
                                       : "'times' of a range must be a number above 1, and 'from' above 0");
    return {};
  }
  if (from->value > to->value) {
    diagnostics.add(to_node->place, "'to' of a range must not be below 'from', {}", from_node->text);
    return {};
  }

  std::vector<double> values;
  const double end = to->value + std::abs(to->value) * 1e-9;  // tolerance for rounding
  while (values.size() <= kMaxValues) {
    const auto index = static_cast<double>(values.size());
    const double value =
        step_node != nullptr ? from->value + index * by->value : from->value * std::pow(by->value, index);
    if (value > end) break;
    values.push_back(value);
  }
  if (values.size() > kMaxValues) {
    diagnostics.add(range.place, "a range of more than {} values", kMaxValues);
    return {};
  }
  return nodes_of(values, *quantity, range);
}

}  // namespace flitscope
