#include "sim/config/overrides.h"

#include <fmt/format.h>

#include <algorithm>
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
  if (equals == std::string::npos || !is_complete(written_path)) {
    diagnostics.add(place, "an override must be PATH=VALUE, such as router.buffer=4");
    return std::nullopt;
  }
  auto path = split_path(written_path, place, diagnostics);
  if (!path) return std::nullopt;
  const std::string written = text.substr(equals + 1);
  if (written.find_first_not_of(' ') == std::string::npos) {
    diagnostics.add(place, "a value must follow '=', or null to take the key away");
    return std::nullopt;
  }
  auto value = parse_yaml(written, place, diagnostics);
  if (!value) return std::nullopt;
  return Override{place, std::move(path->section), std::move(path->key), std::move(*value)};
}

/// "workload.classes[1]"
bool is_class(const std::string& section) {
  constexpr std::size_t kMaxDigits = 9;
  if (!section.starts_with(kClasses) || section.size() < kClasses.size() + 3) return false;
  const std::string number = section.substr(kClasses.size() + 1, section.size() - kClasses.size() - 2);
  return section[kClasses.size()] == '[' && section.ends_with(']') && is_whole_number(number) &&
         number.size() <= kMaxDigits;
}

std::vector<std::string> known_names(const YamlNode& root, const std::string& section) {
  if (section.empty()) return top_level_names();
  auto names = names_in(section);
  const YamlNode* const workload = section.starts_with("workload") ? find_section(root, section) : nullptr;
  const YamlNode* const name = workload == nullptr ? nullptr : workload->find("algorithm");
  const Algorithm* const algorithm = name == nullptr ? nullptr : AlgorithmRegistry::find(name->text);
  if (algorithm != nullptr) {
    for (const Parameter& parameter : algorithm->parameters) names.push_back(parameter.name);
  }
  const YamlNode* const pattern_name = workload == nullptr ? nullptr : workload->find("traffic");
  const Traffic* const pattern =
      pattern_name == nullptr ? nullptr : TrafficRegistry::find(pattern_name->text);
  if (pattern != nullptr) {
    for (const Parameter& parameter : pattern->parameters) names.push_back(parameter.name);
  }
  return names;
}

YamlNode* find_section(YamlNode& root, const std::string& section) {
  return const_cast<YamlNode*>(flitscope::find_section(std::as_const(root), section));
}

constexpr std::string_view kSweep = "sweep";

/// Whether a section is that of sweeps or in it. What it may hold is not in the table of keys.
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

void remove(YamlNode& root, const Override& what, Diagnostics& diagnostics) {
  YamlNode* const map = find_section(root, what.section);
  if (map != nullptr &&
      std::erase_if(map->items, [&](const YamlNode& item) { return item.key == what.key; }) > 0) {
    return;
  }
  if (is_of_sweep(what.section)) {
    diagnostics.add(what.place,
                    fmt::format("there is no '{}' to take away", path_of(what.section, what.key)));
    return;
  }
  if (!is_class(what.section) && std::ranges::count(config_sections(), what.section, &Section::name) == 0) {
    diagnostics.add(what.place, unknown_key("", what.section, top_level_names()));
    return;
  }
  const auto known = known_names(root, what.section);
  if (std::ranges::count(known, what.key) == 0) {
    diagnostics.add(what.place, unknown_key(what.section, what.key, known));
  }
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
  YamlNode fresh;
  fresh.kind = Kind::map;
  fresh.place = place;
  return put(map, key, place, std::move(fresh));
}

void apply(YamlNode& root, Override what, Diagnostics& diagnostics) {
  what = in_one_word(root, std::move(what));
  const auto& sections = config_sections();
  const bool is_section =
      !what.section.empty() && std::ranges::count(sections, what.section, &Section::name) > 0;
  if (!what.section.empty() && !is_section && std::ranges::count(top_level_names(), what.section) > 0) {
    diagnostics.add(what.place,
                    fmt::format("'{}' is a key, not a section; it has no '{}'", what.section, what.key));
    return;
  }
  if (what.value.kind == Kind::null) return remove(root, what, diagnostics);
  if (what.section.empty()) {
    put(root, what.key, what.place, std::move(what.value));
    return;
  }
  if (is_class(what.section)) {
    YamlNode* const item = find_section(root, what.section);
    if (item == nullptr || item->kind != Kind::map) {
      diagnostics.add(what.place, fmt::format("there is no {}; its items are counted from 0", what.section));
      return;
    }
    put(*item, what.key, what.place, std::move(what.value));
    return;
  }
  YamlNode* section = &root;
  for (std::size_t from = 0; from < what.section.size() && section->kind == Kind::map;) {
    const std::size_t dot = std::min(what.section.find('.', from), what.section.size());
    section = &map_in(*section, what.section.substr(from, dot - from), what.place);
    from = dot + 1;
  }
  // A section that is no map is the reader's to report.
  if (section->kind == Kind::map) put(*section, what.key, what.place, std::move(what.value));
}

}  // namespace

namespace {

/// "sweep.workload.message" is the path that is varied, in `sweep`; "sweep.run.time" a key in a map in
/// `sweep`.
KeyPath split_path_of_sweep(const std::string& path) {
  const std::string rest = path.substr(kSweep.size() + 1);
  const auto names = top_level_names();
  if (std::ranges::count(names, rest.substr(0, rest.find('.'))) > 0) return {std::string(kSweep), rest};
  const std::size_t dot = path.rfind('.');
  return {path.substr(0, dot), path.substr(dot + 1)};
}

}  // namespace

std::optional<KeyPath> split_path(const std::string& path, const SourceLocation& place,
                                  Diagnostics& diagnostics) {
  if (!is_complete(path)) {
    diagnostics.add(place, fmt::format("{} is no path; a path is KEY or SECTION.KEY", in_quotes(path)));
    return std::nullopt;
  }
  const std::size_t dot = path.rfind('.');
  if (dot == std::string::npos) return KeyPath{"", path};
  const std::string section = path.substr(0, dot);
  if (is_of_sweep(section)) return split_path_of_sweep(path);
  const bool is_deep = section.find('.') != std::string::npos;
  if (is_deep && !is_class(section) && std::ranges::count(config_sections(), section, &Section::name) == 0) {
    diagnostics.add(place, fmt::format("{} goes too deep; a path is KEY or SECTION.KEY", in_quotes(path)));
    return std::nullopt;
  }
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
