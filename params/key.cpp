#include "params/key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <limits>
#include <stdexcept>

namespace flitscope {

namespace {

/// "from 1 to 64", "of at least 1", by what the range excludes.
std::string range_text(const Parameter& parameter) {
  if (parameter.maximum == std::numeric_limits<std::int64_t>::max()) {
    return fmt::format("of at least {}", parameter.minimum);
  }
  if (parameter.minimum == parameter.maximum) return fmt::format("equal to {}", parameter.minimum);
  return fmt::format("from {} to {}", parameter.minimum, parameter.maximum);
}

std::string quoted_list(const std::vector<std::string>& words) {
  return fmt::format("'{}'", fmt::join(words, "', '"));
}

/// "one of 'torus', 'mesh'"; of long lists the beginning.
std::string one_of(const std::vector<std::string>& names) {
  constexpr std::size_t kMaxListed = 12;
  constexpr std::ptrdiff_t kShown = 3;
  if (names.size() <= kMaxListed) return "one of " + quoted_list(names);
  return fmt::format("one of {}, ... ('flitscope list' has all {})",
                     quoted_list({names.begin(), names.begin() + kShown}), names.size());
}

}  // namespace

std::string path_of(std::string_view section, std::string_view key) {
  return section.empty() ? std::string(key) : fmt::format("{}.{}", section, key);
}

bool applies(const Key& key, TopologyKind kind) {
  const bool is_grid = kind == TopologyKind::torus || kind == TopologyKind::mesh;
  return key.scope == KeyScope::all || (key.scope == KeyScope::links && has_links(kind)) ||
         (key.scope == KeyScope::grids && is_grid) ||
         (key.scope == KeyScope::graphs && kind == TopologyKind::graph) ||
         (key.scope == KeyScope::circuits && kind == TopologyKind::complete);
}

bool applies(const Key& key, KeyWork work) {
  if (key.work == KeyWork::traffic && (work == KeyWork::one_class || work == KeyWork::protocol)) return true;
  return key.work == KeyWork::all || key.work == work;
}

std::string expected(const Key& key) {
  const std::string words = key.choices.empty() ? "" : fmt::format(", or {}", quoted_list(key.choices));
  if (key.is_list) {
    Key element = key;
    element.is_list = false;
    element.choices.clear();
    const char* const example = key.type == ParameterType::integer ? "[8, 8]"
                                : key.type == ParameterType::node  ? "[[0, 0], [1, 2]]"
                                                                   : "['a', 'b']";
    return fmt::format("a list, such as {}, each {}{}", example, expected(element), words);
  }
  if (key.or_list) {
    Key element = key;
    element.or_list = false;
    return fmt::format("{}, or a list of them, such as [4, 8]", expected(element));
  }
  return fmt::format(fmt::runtime(info_of(key.type).expected), fmt::arg("range", range_text(key)),
                     fmt::arg("words", words), fmt::arg("choices", one_of(key.choices)));
}

std::string default_text(const std::optional<ParameterValues::Value>& value) {
  if (!value) return "null";
  if (const auto* const text = std::get_if<std::string>(&*value)) return *text;
  if (const auto* const integer = std::get_if<std::int64_t>(&*value)) return fmt::format("{}", *integer);
  if (const auto* const number = std::get_if<Decimal>(&*value)) return number->text();
  if (const auto* const ratio = std::get_if<Ratio>(&*value)) return ratio->text();
  if (const auto* const boolean = std::get_if<bool>(&*value)) return *boolean ? "true" : "false";
  if (const auto* const nodes = std::get_if<NodeSet>(&*value);
      nodes != nullptr && nodes->kind == NodeSet::Kind::all) {
    return "all";
  }
  throw std::logic_error("a list has no default text");
}

}  // namespace flitscope
