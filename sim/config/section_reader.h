// Sections of the configuration: where they and their keys are, and keys that do not exist.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/config/keys.h"
#include "sim/formats/value_reader.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

class KnownNetworks;

/// What all readers of one configuration share.
struct ReadingContext {
  /// The whole configuration, a map.
  const YamlNode& root;
  /// Where relative paths start.
  const std::filesystem::path& directory;
  CycleLength clock;
  /// Of the network, if it is known.
  std::optional<TopologyKind> kind;
  Diagnostics& diagnostics;
  /// Networks need not be read again that are in here; nullptr: there are none.
  KnownNetworks* networks = nullptr;

  /// The place of a section; of a missing one, the beginning of the file.
  [[nodiscard]] const SourceLocation& place_of_section(const std::string& name) const;
  /// The place of the key at a path; of a missing one, that of its section.
  [[nodiscard]] const SourceLocation& place_of(const std::string& path) const;
};

/// The map of a section, the root for the top level; nullptr if it is absent. Or the value of a key, by its
/// path, or an item of a list ("links[2]").
[[nodiscard]] const YamlNode* find_section(const YamlNode& root, const std::string& section);

/// The place of a value or, of a section, of its name.
[[nodiscard]] const SourceLocation& place_of(const YamlNode& given);

/// Adds an error for every key in a map that is not one of `known`; `section` is its name.
void refuse_unknown_keys(const std::string& section, const YamlNode& map, std::span<const std::string> known,
                         Diagnostics& diagnostics);

/// The names of a section, "" for the top level: its keys and the sections in it.
[[nodiscard]] std::vector<std::string> names_in(const std::string& section);

/// "unknown key 'router.bufer'; did you mean 'buffer'?", or where it belongs, or which pattern, algorithm or
/// family has it, or what there is.
[[nodiscard]] std::string unknown_key(const std::string& section, const std::string& key,
                                      std::span<const std::string> known);

}  // namespace flitscope
