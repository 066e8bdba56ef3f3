// One section of the configuration: its keys, those that are missing and those that do not exist.
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

/// True if the section is absent or a map; otherwise adds an error.
[[nodiscard]] bool is_readable(const std::string& section, const ReadingContext& context);

/// Some of the keys that sections and parameters declare.
using Keys = std::vector<const Key*>;

/// The values of `keys` in a section that is_readable, with their defaults. A key that is missing or wrong is
/// added to the diagnostics and absent from the values; so is, without an error, one whose fallback is
/// "null".
[[nodiscard]] ParameterValues read_keys(const std::string& section, const Keys& keys,
                                        const ReadingContext& context);

/// The values of the keys that an algorithm, a traffic pattern or a family of networks declares, as those of
/// other keys. Files are made absolute.
[[nodiscard]] ParameterValues read_parameters(const std::string& section,
                                              const std::vector<Parameter>& parameters,
                                              const ReadingContext& context);

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
