// `--set PATH=VALUE`: the command line changes the configuration before it is read.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "params/diagnostics.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

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
