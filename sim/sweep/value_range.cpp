#include "sim/sweep/sweep_plan.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "model/numbers.h"
#include "model/text.h"
#include "model/units.h"
#include "sim/config/section_reader.h"

namespace flitscope {

namespace {

using Kind = YamlNode::Kind;

constexpr std::size_t kMaxValues = 1'000'000;

/// The quantity that a range counts.
enum class Quantity : std::uint8_t { whole, real, bytes, picoseconds };

struct Amount {
  double value = 0;
  Quantity quantity = Quantity::whole;
};

std::optional<Amount> read_amount(const YamlNode& node, Diagnostics& diagnostics) {
  if (node.kind == Kind::refused) return std::nullopt;
  if (node.kind == Kind::scalar && !node.quoted) {
    if (const auto number = number_in<double>(node.text); number && std::isfinite(*number)) {
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
  diagnostics.add(node.place,
                  fmt::format("'{}' of a range must be a number, a size such as 4KiB or a time such "
                              "as 30us{}",
                              node.key, node.kind == Kind::scalar ? ", not " + in_quotes(node.text) : ""));
  return std::nullopt;
}

std::string text_of(double value, Quantity quantity) {
  switch (quantity) {
    case Quantity::whole:
      return fmt::format("{:.0f}", value);
    case Quantity::bytes:
      return fmt::format("{:.0f}B", value);
    case Quantity::picoseconds:
      return fmt::format("{:.0f}ps", value);
    case Quantity::real:
      break;
  }
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
    YamlNode node;
    node.kind = Kind::scalar;
    node.place = range.place;
    node.text = text_of(value, quantity);
    if (nodes.empty() || nodes.back().text != node.text) nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace

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
    diagnostics.add(by_node.place, step_node != nullptr ? "'step' of a range must be above 0"
                                                        : "'times' of a range must be a number above 1, and "
                                                          "'from' above 0");
    return {};
  }
  if (from->value > to->value) {
    diagnostics.add(to_node->place,
                    fmt::format("'to' of a range must not be below 'from', {}", from_node->text));
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
    diagnostics.add(range.place, fmt::format("a range of more than {} values", kMaxValues));
    return {};
  }
  return nodes_of(values, *quantity, range);
}

}  // namespace flitscope
