#include "sim/config/section_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "model/text.h"

namespace flitscope {

namespace {

using Kind = YamlNode::Kind;

/// A section that has a key of this name, or nullptr.
const Section* owner_of(const std::string& key) {
  const auto& sections = config_sections();
  const auto at = std::ranges::find_if(
      sections, [&](const Section& section) { return std::ranges::count(names_of(section.keys), key) > 0; });
  return at == sections.end() ? nullptr : &*at;
}

}  // namespace

const YamlNode* find_section(const YamlNode& root, const std::string& section) {
  const YamlNode* map = &root;
  for (std::size_t from = 0; map != nullptr && from < section.size();) {
    const std::size_t dot = std::min(section.find('.', from), section.size());
    map = map->kind == Kind::map ? map->find(section.substr(from, dot - from)) : nullptr;
    from = dot + 1;
  }
  return map;
}

const Place& ReadingContext::place_of_section(const std::string& name) const {
  const YamlNode* const section = name.empty() ? nullptr : find_section(root, name);
  return section == nullptr ? root.place : section->key_place;
}

bool is_readable(const std::string& section, const ReadingContext& context) {
  const YamlNode* const map = find_section(context.root, section);
  if (map == nullptr || map->kind == Kind::map) return true;
  if (map->kind == Kind::refused) return false;
  const auto names = names_of(config_section(section).keys);
  context.mistakes.add(map->place, fmt::format("section '{}' must be a map with keys such as {}, not {}",
                                               section, names.front(),
                                               map->kind == Kind::null       ? "nothing"
                                               : map->kind == Kind::sequence ? "a list"
                                                                             : in_quotes(map->text)));
  return false;
}

ParameterValues read_keys(const std::string& section, const std::vector<Key>& keys,
                          const ReadingContext& context) {
  const YamlNode* const map = find_section(context.root, section);
  ParameterValues values;
  std::vector<std::string> missing;
  for (const Key& key : keys) {
    const std::string& name = key.parameter.name;
    const std::string path = path_of(section, name);
    const YamlNode* const node = map == nullptr ? nullptr : map->find(name);
    std::optional<ParameterValues::Value> value;
    if (node == nullptr && key.parameter.fallback.empty()) {
      missing.push_back(name);
    } else if (node == nullptr || (node->kind == Kind::null && key.parameter.fallback == "null")) {
      value = default_value(key, path);
    } else {
      value = read_value(key, path, *node, context.clock, context.mistakes);
    }
    if (value) values.set(name, std::move(*value));
  }
  if (missing.empty()) return values;
  if (map == nullptr) {
    context.mistakes.add(context.root.place, fmt::format("section '{}' is missing; it must have {}", section,
                                                         fmt::join(missing, ", ")));
    return values;
  }
  for (const std::string& name : missing) {
    const auto key = std::ranges::find(keys, name, [](const Key& each) { return each.parameter.name; });
    context.mistakes.add(
        context.place_of_section(section),
        fmt::format("key '{}' is missing; it must be {}", path_of(section, name), expected(*key)));
  }
  return values;
}

void refuse_unknown_keys(const std::string& section, const YamlNode& map, std::span<const std::string> known,
                         Mistakes& mistakes) {
  for (const YamlNode& item : map.items) {
    if (std::ranges::count(known, item.key) == 0) {
      mistakes.add(item.key_place, unknown_key(section, item.key, known));
    }
  }
}

std::vector<std::string> names_of(const std::vector<Key>& keys) {
  std::vector<std::string> result;
  for (const Key& key : keys) result.push_back(key.parameter.name);
  return result;
}

std::vector<std::string> names_in(const std::string& section) {
  auto result = names_of(config_section(section).keys);
  std::ranges::move(sections_in(section), std::back_inserter(result));
  return result;
}

std::vector<std::string> top_level_names() {
  return names_in("");
}

std::string unknown_key(const std::string& section, const std::string& key,
                        std::span<const std::string> known) {
  const std::string unknown = fmt::format("unknown key {}", in_quotes(path_of(section, key)));
  if (const std::string near = did_you_mean(key, known); !near.empty()) return unknown + near;
  if (const Section* const owner = owner_of(key); owner != nullptr) {
    return fmt::format("{}; did you mean '{}'?", unknown, path_of(owner->name, key));
  }
  return fmt::format("{}; possible are {}", unknown, fmt::join(known, ", "));
}

}  // namespace flitscope
