// One value of the configuration: from YAML to what its key declares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/units.h"
#include "params/diagnostics.h"
#include "params/key.h"
#include "params/parameter.h"
#include "sim/formats/yaml_source.h"

namespace flitscope {

/// The length of a cycle, as far as it is known while the configuration is read.
struct CycleLength {
  enum class State : std::uint8_t { absent, known, broken };
  State state = State::absent;
  ClockPeriod clock{1};
};

/// The value of a key, checked against type, range and choices; adds what is wrong to `diagnostics` and
/// returns nothing then. Lists and nodes are held as coordinates (the node `origin` as none), sets of nodes
/// as they are written, words in place of a number as text. `path` is the key as messages name it, such as
/// "router.buffer".
[[nodiscard]] std::optional<ParameterValues::Value> read_value(const Key& key, const std::string& path,
                                                               const YamlNode& node, const CycleLength& clock,
                                                               Diagnostics& diagnostics);

/// The value a key has if the configuration is silent; nothing if it has none then. Throws std::logic_error
/// if the declaration's own default does not fit it.
[[nodiscard]] std::optional<ParameterValues::Value> default_value(const Key& key);

}  // namespace flitscope
