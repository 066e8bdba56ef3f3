// From a configuration file to the typed configuration, through a tree of values with their places, and back
// to its text. A sweep changes the tree for each of its runs.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "params/diagnostics.h"
#include "params/parameter.h"
#include "sim/config/config.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

class KnownNetworks;

/// Reads a configuration file, changed by `overrides` "PATH=VALUE" (see apply_overrides).
/// Throws an InputError that names every error, one line "PLACE: message" each, where PLACE is
/// "file:line:column" (counted from 1, columns in bytes) or "--set PATH=VALUE".
[[nodiscard]] ExperimentConfig load_config(const std::filesystem::path& file,
                                           std::span<const std::string> overrides = {});

/// As load_config, from text: `file_name` names it in messages, relative paths start in `base_directory`.
[[nodiscard]] ExperimentConfig parse_config(std::string_view text, const std::string& file_name,
                                            const std::filesystem::path& base_directory,
                                            std::span<const std::string> overrides = {});

/// A configuration file before it is read.
struct ConfigSource {
  /// A map.
  YamlNode root;
  /// The file, as messages name it.
  std::string file;
  /// Where relative paths start.
  std::filesystem::path base_directory;
  /// What is read of this source and its copies shares the networks in here. Empty: each has its own.
  std::shared_ptr<KnownNetworks> networks = nullptr;
};

/// Reads a file and applies `overrides` (see apply_overrides), whose diagnostics are added to `diagnostics`.
/// Throws InputError if the file cannot be read, or is no YAML map.
[[nodiscard]] ConfigSource load_source(const std::filesystem::path& file,
                                       std::span<const std::string> overrides, Diagnostics& diagnostics);

/// The typed configuration. Throws an InputError that names every error, those already in `diagnostics`
/// included.
[[nodiscard]] ExperimentConfig read_source(const ConfigSource& source, Diagnostics& diagnostics);

// From the typed configuration to its text.

/// The complete configuration as YAML text, defaults filled in, in canonical order. Read again it gives the
/// same configuration, wherever the text is put: paths are absolute, times are in cycles.
[[nodiscard]] std::string resolve(const ExperimentConfig& config);

/// The same, value by value: "router.buffer" and its value. Keys that have none are absent.
[[nodiscard]] std::map<std::string, ParameterValues::Value> resolved_values(const ExperimentConfig& config);

/// What an algorithm, a pattern of traffic or a family of networks declares, and the key that names it.
struct Chosen {
  const char* key = "";
  const std::vector<Parameter>* parameters = nullptr;
  const ParameterValues* values = nullptr;
};
/// What is chosen in a section; no parameters if nothing is.
[[nodiscard]] Chosen chosen_in(const std::string& section, const ExperimentConfig& config);

/// A value on one line as a configuration has it: "[0, 1]", "{count: 20, seed: 1}".
[[nodiscard]] std::string value_text(const ParameterValues::Value& value);

// `--set PATH=VALUE`: the command line changes the configuration before it is read.

/// Applies overrides "PATH=VALUE" to a configuration, one after the other. PATH is KEY, SECTION or
/// SECTION.KEY, or one of these in a sweep: sweep.workload.message, sweep.run.time. A section that is not
/// there is made. VALUE is YAML, such as 8, [5, 5] or {kind: mesh}; null takes the key away. What is set has
/// the override as its place. Whether a key exists and may have this value is left to the readers, except for
/// a key that is taken away and was not there: it must be one that the table of keys, or the algorithm the
/// configuration names by now, declares.
void apply_overrides(YamlNode& root, std::span<const std::string> overrides, Diagnostics& diagnostics);

/// Sets one key, or takes it away, as an override does; messages name `place`.
void set_key(YamlNode& root, const std::string& path, const SourceLocation& place, YamlNode value,
             Diagnostics& diagnostics);

/// A path taken apart; the section of a key of the top level is empty.
struct KeyPath {
  std::string section;
  std::string key;
};
/// Nothing, and an error, if the path is not as for apply_overrides. (SECTION alone counts as a key.)
[[nodiscard]] std::optional<KeyPath> split_path(const std::string& path, const SourceLocation& place,
                                                Diagnostics& diagnostics);

}  // namespace flitscope
