#include "sim/config/config_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/algorithm.h"
#include "model/text.h"
#include "sim/config/keys.h"
#include "sim/config/section_reader.h"

namespace flitscope {

namespace {

using Kind = YamlNode::Kind;

/// An override, taken apart.
struct Override {
  SourceLocation place;
  /// Empty on the top level.
  std::string section;
  std::string key;
  YamlNode value;
};

/// No word is missing before or behind a dot.
bool is_complete(const std::string& path) {
  return !path.empty() && path.front() != '.' && path.back() != '.';
}

std::optional<Override> parse(const std::string& text, Diagnostics& diagnostics) {
  const SourceLocation place{"--set " + text};
  const std::size_t equals = text.find('=');
  const std::string written_path = text.substr(0, equals);
  if (equals == std::string::npos || !is_complete(written_path))
    return diagnostics.add(place, "an override must be PATH=VALUE, such as router.buffer=4");
  auto path = split_path(written_path, place, diagnostics);
  if (!path) return std::nullopt;
  const std::string written = text.substr(equals + 1);
  if (written.find_first_not_of(' ') == std::string::npos)
    return diagnostics.add(place, "a value must follow '=', or null to take the key away");
  auto value = parse_yaml(written, place, diagnostics);
  if (!value) return std::nullopt;
  return Override{place, std::move(path->section), std::move(path->key), std::move(*value)};
}

/// The keys whose values are lists of maps.
constexpr std::array<std::string_view, 3> kLists{kClasses, "classes", "links"};

/// "workload.classes[1]", or "links[0]".
bool is_item(const std::string& section) {
  constexpr std::size_t kMaxDigits = 9;
  const std::size_t bracket = section.find('[');
  if (bracket == std::string::npos || !section.ends_with(']')) return false;
  const std::string number = section.substr(bracket + 1, section.size() - bracket - 2);
  return is_whole_number(number) && number.size() <= kMaxDigits &&
         std::ranges::count(kLists, section.substr(0, bracket)) > 0;
}

bool is_known_section(const std::string& section) {
  const bool is_class = is_item(section) && section.starts_with(kClasses);  // "workload.classes[1]"
  return is_class || is_section(section);
}

/// The section of sweeps. What it may hold is not in the table of keys.
constexpr std::string_view kSweep = "sweep";

std::vector<std::string> known_names(const YamlNode& root, const std::string& section) {
  auto names = names_in(section);
  if (section.empty()) names.emplace_back(kSweep);
  if (!section.starts_with("workload")) return names;
  const auto add_parameters_of = [&](const auto* part) {
    if (part == nullptr) return;
    for (const Parameter& parameter : part->parameters) names.push_back(parameter.name);
  };
  const YamlNode* const workload = find_section(root, section);
  const auto named = [&](const char* key) {
    const YamlNode* const name = workload == nullptr ? nullptr : workload->find(key);
    return name == nullptr ? "" : name->text;
  };
  add_parameters_of(AlgorithmRegistry::find(named("algorithm")));
  add_parameters_of(TrafficRegistry::find(named("traffic")));
  return names;
}

/// Whether a section is that of sweeps or in it.
bool is_of_sweep(const std::string& section) {
  return section == kSweep || section.starts_with(std::string(kSweep) + ".");
}

/// A sweep may hold "run.time" as one word; then this is what an override means.
Override in_one_word(const YamlNode& root, Override what) {
  const YamlNode* const sweep = root.find(kSweep);
  if (sweep == nullptr || !is_of_sweep(what.section) || what.section == kSweep) return what;
  const std::string word = path_of(what.section.substr(kSweep.size() + 1), what.key);
  if (sweep->find(word) == nullptr) return what;
  what.section = kSweep;
  what.key = word;
  return what;
}

/// Why a configuration does not take an override; empty if it does.
std::string objection(const YamlNode& root, const Override& what) {
  const auto& [place, section, key, value] = what;
  if (!is_known_section(section) && std::ranges::count(names_in(""), section) > 0) {
    return fmt::format("'{}' is a key, not a section; it has no '{}'", section, key);
  }
  const YamlNode* const map = find_section(root, section);
  if (is_item(section) && (map == nullptr || map->kind != Kind::map))
    return fmt::format("there is no {}; its items are counted from 0", section);
  if (value.kind != Kind::null) return "";
  if (map != nullptr && map->find(key) != nullptr) return "";
  if (is_of_sweep(section)) return fmt::format("there is no '{}' to take away", path_of(section, key));
  if (is_item(section) && !is_known_section(section)) return "";  // the reader knows the keys of its items
  if (!is_known_section(section)) return unknown_key("", section, names_in(""));
  const auto known = known_names(root, section);
  return std::ranges::count(known, key) == 0 ? unknown_key(section, key, known) : "";
}

/// Sets a key of a map, in its old position or behind the others.
YamlNode& put(YamlNode& map, const std::string& key, const SourceLocation& place, YamlNode value) {
  value.key = key;
  value.key_place = place;
  if (YamlNode* const old = map.find(key); old != nullptr) return *old = std::move(value);
  return map.items.emplace_back(std::move(value));
}

/// The value of a key, an empty map if it is not there.
YamlNode& map_in(YamlNode& map, const std::string& key, const SourceLocation& place) {
  if (YamlNode* const old = map.find(key); old != nullptr) return *old;
  return put(map, key, place, {.kind = Kind::map, .place = place});
}

/// A section, with those round it, where they are not there yet.
YamlNode& section_in(YamlNode& root, const std::string& section, const SourceLocation& place) {
  if (const YamlNode* const found = find_section(root, section)) return const_cast<YamlNode&>(*found);
  YamlNode* map = &root;
  for (std::size_t from = 0; from < section.size() && map->kind == Kind::map;) {
    const std::size_t dot = std::min(section.find('.', from), section.size());
    map = &map_in(*map, section.substr(from, dot - from), place);
    from = dot + 1;
  }
  return *map;
}

void apply(YamlNode& root, Override what, Diagnostics& diagnostics) {
  what = in_one_word(root, std::move(what));
  if (const std::string problem = objection(root, what); !problem.empty()) {
    diagnostics.add(what.place, problem);
  } else if (what.value.kind != Kind::null) {
    YamlNode& section = section_in(root, what.section, what.place);
    // A section that is no map is the reader's to report.
    if (section.kind == Kind::map) put(section, what.key, what.place, std::move(what.value));
  } else if (find_section(root, what.section) != nullptr) {
    std::erase_if(section_in(root, what.section, what.place).items,
                  [&](const YamlNode& item) { return item.key == what.key; });
  }
}

/// "sweep.workload.message" is the path that is varied, in `sweep`; "sweep.run.time" a key in a map in
/// `sweep`.
KeyPath split_path_of_sweep(const std::string& path) {
  const std::string rest = path.substr(kSweep.size() + 1);
  const auto names = names_in("");
  if (std::ranges::count(names, rest.substr(0, rest.find('.'))) > 0) return {std::string(kSweep), rest};
  const std::size_t dot = path.rfind('.');
  return {path.substr(0, dot), path.substr(dot + 1)};
}

}  // namespace

std::optional<KeyPath> split_path(const std::string& path, const SourceLocation& place,
                                  Diagnostics& diagnostics) {
  if (!is_complete(path))
    return diagnostics.add(place, "{} is no path; a path is KEY or SECTION.KEY", in_quotes(path));
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return KeyPath{"", path};
  const std::string section = path.substr(0, dot);
  if (is_of_sweep(section)) return split_path_of_sweep(path);
  const bool is_deep = section.find('.') != std::string::npos;
  if (is_deep && !is_known_section(section))
    return diagnostics.add(place, "{} goes too deep; a path is KEY or SECTION.KEY", in_quotes(path));
  return KeyPath{section, path.substr(dot + 1)};
}

void set_key(YamlNode& root, const std::string& path, const SourceLocation& place, YamlNode value,
             Diagnostics& diagnostics) {
  auto at = split_path(path, place, diagnostics);
  if (!at) return;
  apply(root, {place, std::move(at->section), std::move(at->key), std::move(value)}, diagnostics);
}

void apply_overrides(YamlNode& root, std::span<const std::string> overrides, Diagnostics& diagnostics) {
  for (const std::string& text : overrides) {
    if (auto what = parse(text, diagnostics)) apply(root, std::move(*what), diagnostics);
  }
}

}  // namespace flitscope
