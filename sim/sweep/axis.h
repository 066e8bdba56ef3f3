// What a sweep varies: axes, whose choices are crossed with one another.
#pragma once

#include <string>
#include <vector>

#include "params/diagnostics.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

/// One key of the configuration and the value it takes.
struct Setting {
  /// As in an override: SECTION.KEY, KEY or SECTION.
  std::string path;
  SourceLocation path_place;
  YamlNode value;
};

/// One position on an axis.
struct Choice {
  /// Of a replica; empty elsewhere.
  std::string name;
  std::vector<Setting> settings;
};

/// A list of values of one key, a group of keys that move together, or the named replicas.
struct Axis {
  /// What its choices set, as paths, each once.
  std::vector<std::string> paths;
  /// At least one.
  std::vector<Choice> choices;
};

}  // namespace flitscope
