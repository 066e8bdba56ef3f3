#include "sim/config/section_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "algorithms/algorithm.h"
#include "model/numbers.h"
#include "model/text.h"
#include "networks/network_family.h"
#include "params/key_names.h"
#include "traffic/traffic.h"

namespace flitscope {

namespace {

using Kind = YamlNode::Kind;

/// A section that has a key of this name, or nullptr.
const ConfigSection* owner_of(const std::string& key) {
  const auto& sections = config_sections();
  const auto at = std::ranges::find_if(sections, [&](const ConfigSection& section) {
    return std::ranges::count(section.rows, key, &Key::name) > 0;
  });
  return at == sections.end() ? nullptr : &*at;
}

/// The entries of a registry with a parameter of this name.
template <typename T>
std::vector<std::string> owners_in_registry(const std::string& parameter) {
  std::vector<std::string> names;
  for (const T& entry : Registry<T>::all()) {
    if (std::ranges::count(entry.parameters, parameter, &Parameter::name) > 0) names.push_back(entry.name);
  }
  return names;
}

/// A key that names an entry of a registry, which has its parameters beside it.
struct NamingKey {
  std::string_view key;
  std::vector<std::string> (*owners)(const std::string& parameter);
};
constexpr std::array kNamingKeys{NamingKey{"kind", owners_in_registry<NetworkFamily>},
                                 NamingKey{"traffic", owners_in_registry<Traffic>},
                                 NamingKey{"algorithm", owners_in_registry<Algorithm>}};

/// "traffic: matrix", or "algorithm: a, b, c, ...": what brings a key into a section with the keys `known`.
std::string owners_of_parameter(const std::string& parameter, std::span<const std::string> known) {
  constexpr std::size_t kMaxNamed = 3;
  std::string text;
  for (const NamingKey& naming : kNamingKeys) {
    std::vector<std::string> owners = naming.owners(parameter);
    if (owners.empty() || std::ranges::count(known, naming.key) == 0) continue;
    if (owners.size() > kMaxNamed) {
      owners.resize(kMaxNamed);
      owners.emplace_back("...");
    }
    text += fmt::format("{}{}: {}", text.empty() ? "" : " or ", naming.key, fmt::join(owners, ", "));
  }
  return text;
}

/// Whether a key is a section and a key in one word: "router.buffer".
bool is_path(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  return dot != std::string::npos && is_section(key.substr(0, dot));
}

/// "router: {buffer: ..}"
std::string nested(const std::string& path) {
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos) return path + ": ..";
  return fmt::format("{}: {{{}}}", path.substr(0, dot), nested(path.substr(dot + 1)));
}

/// The value of a key of a map, or an item of the list that is its value: "links[2]".
const YamlNode* member(const YamlNode& map, const std::string& name) {
  if (map.kind != Kind::map) return nullptr;
  const std::size_t bracket = name.find('[');
  const YamlNode* const value = map.find(name.substr(0, bracket));
  if (bracket == std::string::npos || value == nullptr || value->kind != Kind::sequence) return value;
  const std::string_view number = std::string_view(name).substr(bracket + 1, name.size() - bracket - 2);
  const auto item = whole_number(number, std::size_t{0}, value->items.size());
  return item && *item < value->items.size() ? &value->items[*item] : nullptr;
}

}  // namespace

const YamlNode* find_section(const YamlNode& root, const std::string& section) {
  const YamlNode* map = &root;
  for (std::size_t from = 0; map != nullptr && from < section.size();) {
    const std::size_t dot = std::min(section.find('.', from), section.size());
    map = member(*map, section.substr(from, dot - from));
    from = dot + 1;
  }
  return map;
}

const SourceLocation& place_of(const YamlNode& given) {
  return given.kind == Kind::map && !given.key.empty() ? given.key_place : given.place;
}

const SourceLocation& ReadingContext::place_of_section(const std::string& name) const {
  const YamlNode* const section = name.empty() ? nullptr : find_section(root, name);
  if (section == nullptr) return root.place;
  return section->key.empty() ? section->place : section->key_place;  // an item of a list has no key
}

const SourceLocation& ReadingContext::place_of(const std::string& path) const {
  if (const YamlNode* const given = find_section(root, path)) return flitscope::place_of(*given);
  const std::size_t dot = path.rfind('.');
  return place_of_section(dot == std::string::npos ? "" : path.substr(0, dot));
}

void refuse_unknown_keys(const std::string& section, const YamlNode& map, std::span<const std::string> known,
                         Diagnostics& diagnostics) {
  for (const YamlNode& item : map.items) {
    if (std::ranges::count(known, item.key) == 0) {
      diagnostics.add(item.key_place, unknown_key(section, item.key, known));
    }
  }
}

std::vector<std::string> names_in(const std::string& section) {
  auto result = names_of(config_section(section).rows);
  std::ranges::move(sections_in(section), std::back_inserter(result));
  return result;
}

std::string unknown_key(const std::string& section, const std::string& key,
                        std::span<const std::string> known) {
  const std::string path = path_of(section, key);
  const std::string unknown = fmt::format("unknown key {}", in_quotes(path));
  if (is_path(path) && section.empty()) {
    return fmt::format("{}; write it in its section, {}", unknown, nested(path));
  }
  if (const auto other = other_name_of_key(path)) return fmt::format("{}; {}", unknown, *other);
  if (const std::string owners = owners_of_parameter(key, known); !owners.empty()) {
    return fmt::format("{}; it goes with {}; possible are {}", unknown, owners, fmt::join(known, ", "));
  }
  if (const std::string near = did_you_mean(key, known); !near.empty()) return unknown + near;
  if (const ConfigSection* const owner = owner_of(key); owner != nullptr) {
    return fmt::format("{}; did you mean '{}'?", unknown, path_of(owner->name, key));
  }
  return fmt::format("{}; possible are {}", unknown, fmt::join(known, ", "));
}

}  // namespace flitscope
