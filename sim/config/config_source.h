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

/// As load_source, from text.
[[nodiscard]] ConfigSource parse_source(std::string_view text, const std::string& file_name,
                                        const std::filesystem::path& base_directory,
                                        std::span<const std::string> overrides, Diagnostics& diagnostics);

/// Reads a configuration whose root is a map. Adds errors to `diagnostics`; there is a result whenever there
/// are no diagnostics. Its `file` and `places` are left empty. Networks that are in `networks` are not read
/// again.
[[nodiscard]] std::optional<ExperimentConfig> read_config(const YamlNode& root,
                                                          const std::filesystem::path& base_directory,
                                                          Diagnostics& diagnostics,
                                                          KnownNetworks* networks = nullptr);

/// The typed configuration. Throws an InputError that names every error, those already in `diagnostics`
/// included.
[[nodiscard]] ExperimentConfig read_source(const ConfigSource& source, Diagnostics& diagnostics);

// From the typed configuration to its text.

/// The complete configuration as YAML text, defaults filled in, in canonical order. Read again it gives the
/// same configuration, wherever the text is put: paths are absolute, times are in cycles.
[[nodiscard]] std::string resolve(const ExperimentConfig& config);

/// The same, value by value: "router.buffer" and its value. Keys that have none are absent.
[[nodiscard]] std::map<std::string, ParameterValues::Value> resolved_values(const ExperimentConfig& config);

/// A value on one line as a configuration has it: "[0, 1]", "{count: 20, seed: 1}".
[[nodiscard]] std::string value_text(const ParameterValues::Value& value);

}  // namespace flitscope
