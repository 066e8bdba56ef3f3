// Which runs of the cross product are left out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "params/diagnostics.h"
#include "sim/config/config.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

/// What the value of one key must be: equal to a value, or {above: V}, {below: V}, {at_least: V},
/// {at_most: V}, {not: V}, {one_of: [V, ...]}.
struct Condition {
  enum class Relation : std::uint8_t { equal, unequal, above, below, at_least, at_most, one_of };

  std::string path;
  SourceLocation path_place;
  Relation relation = Relation::equal;
  /// One; any number for one_of.
  std::vector<YamlNode> operands;
};

/// All conditions of an entry of `exclude` together.
struct Exclusion {
  SourceLocation place;
  std::vector<Condition> conditions;
};

/// An entry of `exclude`: a map from paths to what their values are.
[[nodiscard]] Exclusion read_exclusion(const YamlNode& entry, Diagnostics& diagnostics);

/// True if every condition holds in this configuration. A key that the configuration does not have (another
/// algorithm's parameter) makes its condition false. Operands are read as the key's values are, with units;
/// what is wrong with them is added to `diagnostics`.
[[nodiscard]] bool applies(const Exclusion& exclusion, const ExperimentConfig& config,
                           Diagnostics& diagnostics);

}  // namespace flitscope
