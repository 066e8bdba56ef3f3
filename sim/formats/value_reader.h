// One value of the configuration: from YAML to what its key declares.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

/// A kind of links, in a graph file or an item of `links`: one line of text without control characters, not
/// empty. Adds what is wrong to `diagnostics` and returns nothing then.
[[nodiscard]] std::optional<std::string> read_link_kind(const YamlNode& node, const std::string& path,
                                                        Diagnostics& diagnostics);

/// The value a key has if the configuration is silent; nothing if it has none then. Throws std::logic_error
/// if the declaration's own default does not fit it.
[[nodiscard]] std::optional<ParameterValues::Value> default_value(const Key& key);

/// A key of a map, and what takes its value.
struct Member {
  Key key;
  std::function<void(const ParameterValues::Value&)> put;
  bool is_required = false;
};

/// The key of a field, which keeps what it has if a map does not have the key.
template <typename Field>
[[nodiscard]] Member member(Field& field, Key key, bool is_required = false) {
  const auto put = [&field, key](const ParameterValues::Value& value) {
    if constexpr (std::same_as<Field, double> || std::same_as<Field, std::optional<double>>) {
      field = std::get<Decimal>(value).approximate();
    } else if constexpr (NamedEnum<Field>) {
      field = enumerator_named<Field>(std::get<std::string>(value)).value();
    } else {
      field = FieldValue<Field>::from(value, key);
    }
  };
  return {std::move(key), put, is_required};
}

struct MembersRead {
  bool values_fit = true;  ///< and none that is required is missing
  bool keys_are_known = true;
};
/// Reads the members that a map has; adds what is wrong to `diagnostics`, also keys that are neither members
/// nor `others`, which the caller reads.
[[nodiscard]] MembersRead read_members(const YamlNode& map, const std::string& path,
                                       const std::vector<Member>& members, const CycleLength& clock,
                                       Diagnostics& diagnostics, const std::vector<std::string>& others = {});

}  // namespace flitscope
