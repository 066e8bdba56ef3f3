// `--set PATH=VALUE`: the command line changes the configuration before it is read.
#pragma once

#include <span>
#include <string>

#include "sim/experiment/mistakes.h"
#include "sim/experiment/yaml_source.h"

namespace flitscope {

/// Applies overrides "PATH=VALUE" to a configuration, one after the other. PATH is KEY, SECTION or
/// SECTION.KEY; a section that is not there is made. VALUE is YAML, such as 8, [5, 5] or {kind: mesh}; null
/// takes the key away. What is set has the override as its place. Whether a key exists and may have this
/// value is left to the readers, except for a key that is taken away and was not there: it must be one that
/// the table of keys, or the algorithm the configuration names by now, declares.
void apply_overrides(YamlNode& root, std::span<const std::string> overrides, Mistakes& mistakes);

}  // namespace flitscope
