#include "sim/config/keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <vector>

#include "model/units.h"

namespace flitscope {

namespace {

/// Large round numbers as powers: "10^9", "2^31".
std::string power_or_number(std::int64_t number) {
  constexpr std::int64_t kLarge = 1'000'000;
  if (number < kLarge) return fmt::format("{}", number);
  if (std::has_single_bit(static_cast<std::uint64_t>(number))) {
    return fmt::format("2^{}", std::countr_zero(static_cast<std::uint64_t>(number)));
  }
  unsigned zeros = 0;
  while (number % 10 == 0) {
    number /= 10;
    ++zeros;
  }
  if (number == 1) return fmt::format("10^{}", zeros);
  return fmt::format("{}{}", number, std::string(zeros, '0'));
}

std::string as_code(const std::string& word) {
  return "`" + word + "`";
}

std::string list_of(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(texts_of(words, as_code), ", "));
}

/// " 1 to 64", ", 5".
std::string range_text(const Parameter& parameter) {
  if (parameter.minimum == parameter.maximum) return fmt::format(", {}", parameter.minimum);
  return fmt::format(" {} to {}", power_or_number(parameter.minimum), power_or_number(parameter.maximum));
}

/// "integer 1 to 64", "time 0 to 10^12".
std::string type_text(const Parameter& parameter) {
  return fmt::format(fmt::runtime(info_of(parameter.type).listed), fmt::arg("range", range_text(parameter)),
                     fmt::arg("choices", list_of(parameter.choices)));
}

/// The kind of `flitscope list` whose names a key takes; empty if it takes none. Their table would change
/// with every file that registers one.
std::string registered_kind(const std::string& path) {
  static const std::map<std::string, std::string> kinds{
      {"topology.kind", "topologies"},         {"router.routing", "routings"},
      {"workload.algorithm", "algorithms"},    {"workload.traffic", "traffic"},
      {"workload.classes.traffic", "traffic"}, {"workload.background.traffic", "traffic"},
      {"workload.requests.traffic", "traffic"}};
  const auto found = kinds.find(path);
  return found == kinds.end() ? "" : found->second;
}

std::string accepted(const std::string& path, const Key& key) {
  if (const std::string kind = registered_kind(path); !kind.empty())
    return fmt::format("a name of `flitscope list {}`", kind);
  std::string text = key.is_list ? "list, each " + type_text(key) : type_text(key);
  if (key.or_list) text += ", or a list of them";
  if (key.type != ParameterType::choice && !key.choices.empty()) {
    text += ", or " + list_of(key.choices);
  }
  return text;
}

std::string default_of(const Parameter& parameter) {
  if (parameter.fallback.empty()) return "required";
  if (parameter.fallback == "null") return "none";
  return is_whole_number(parameter.fallback) ? parameter.fallback : as_code(parameter.fallback);
}

std::string line(const std::string& path, const Key& key) {
  return fmt::format("| {} | {} | {} | {} | {} |", as_code(path), accepted(path, key), default_of(key),
                     key.unit, key.summary);
}

constexpr const char* kHead = "| key | type, range | default | unit | meaning |";
constexpr const char* kRule = "|---|---|---|---|---|";

/// Lines of one key, with the names of the owners of each.
using OwnersOfLines = std::map<std::string, std::vector<std::string>>;

/// The owners of a line; empty if the key has one line, "the others" if this one has most owners.
std::string owners_of(const std::string& line, const OwnersOfLines& lines) {
  constexpr std::size_t kFew = 3;
  if (lines.size() == 1) return "";
  const std::vector<std::string>& owners = lines.at(line);
  const bool has_most = std::ranges::all_of(
      lines, [&](const auto& other) { return other.first == line || other.second.size() < owners.size(); });
  return has_most && owners.size() > kFew ? "the others" : list_of(owners);
}

}  // namespace

std::string key_table(TopologyKind kind) {
  std::string table = fmt::format("{}\n{}\n", kHead, kRule);
  const auto has_key = [kind](const Key& key) { return applies(key, kind); };
  for (const ConfigSection& section : config_sections()) {
    if (std::ranges::none_of(section.rows, has_key)) continue;
    table += fmt::format("| {} | | | | *{}* |\n",
                         section.name.empty() ? "(top level)" : as_code(section.name), section.summary);
    for (const Key& key : section.rows) {
      if (has_key(key)) table += line(path_of(section.name, key.name), key) + "\n";
    }
  }
  return table;
}

std::string parameter_table(const std::string& section, const std::vector<OwnedParameters>& all) {
  std::map<std::string, OwnersOfLines> keys;
  for (const auto& [owner, parameters] : all) {
    for (const Parameter& parameter : parameters) {
      const std::string path = path_of(section, parameter.name);
      keys[as_code(path)][line(path, {parameter})].push_back(owner);
    }
  }
  std::string table = fmt::format("{} of |\n{}---|\n", kHead, kRule);
  for (const auto& [path, lines] : keys) {
    for (const auto& [line, owners] : lines) {
      table += fmt::format("{} {} |\n", line, owners_of(line, lines));
    }
  }
  return table;
}

}  // namespace flitscope
