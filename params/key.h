// A key of the configuration as one row: its declaration, and the field it is bound to. Reading, printing
// (`config.yaml`), `flitscope list keys` and the tables of the user guide are made of the row. A key's
// default is what its field holds in a fresh object, so it is written down once: docs/adding-a-key.md.
//
// A part of the program that has keys of its own registers them in its own file: settings.h.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/error.h"
#include "model/text.h"
#include "model/topology.h"
#include "model/units.h"
#include "params/parameter.h"

namespace flitscope {

/// The networks a key is for.
enum class KeyScope : std::uint8_t {
  all,
  links,     ///< all but complete networks
  grids,     ///< tori and meshes
  graphs,    ///< graphs from files
  circuits,  ///< complete networks
};
template <>
inline constexpr std::array kNamesOf<KeyScope>{"all", "links", "tori and meshes", "graphs", "circuits"};

/// The workloads a key is for.
enum class KeyWork : std::uint8_t {
  all,
  schedules,  ///< of an algorithm or a file
  traffic,    ///< synthetic traffic, of one class or several
  one_class,  ///< synthetic traffic of a single class
  protocol,   ///< requests and replies
};
template <>
inline constexpr std::array kNamesOf<KeyWork>{"all", "schedules", "traffic", "traffic of one class",
                                              "protocols"};

/// A key of the configuration: a parameter of which two fields say a little more than in an algorithm's:
/// - beside a number or a list, `choices` are words that may replace it (`ports: all`);
/// - the fallback "null" means that there is no value unless one is given (`clock`).
struct Key : Parameter {
  /// A list of such values: [8, 8].
  bool is_list = false;
  /// One such number, or a list of them: 4 or [4, 8].
  bool or_list = false;
  KeyScope scope = KeyScope::all;
  KeyWork work = KeyWork::all;
};

/// Whether a network of that kind has the key.
[[nodiscard]] bool applies(const Key& key, TopologyKind kind);
/// Whether a workload of that kind (not `all`) has the key.
[[nodiscard]] bool applies(const Key& key, KeyWork work);

/// "router.buffer", or "name" on the top level.
[[nodiscard]] std::string path_of(std::string_view section, std::string_view key);

/// The names of keys, each once.
template <typename Keys>
[[nodiscard]] std::vector<std::string> names_of(const Keys& keys) {
  std::vector<std::string> names;
  for (const Key& key : keys) {
    if (std::ranges::count(names, key.name) == 0) names.push_back(key.name);
  }
  return names;
}

/// What a value must be, in words: "a whole number from 1 to 64", "one of 'torus', 'mesh'".
[[nodiscard]] std::string expected(const Key& key);

/// What a value can mean something by, beside its key.
struct ReadContext {
  const Topology& topology;
  /// Where relative paths start.
  const std::filesystem::path& directory;
  /// The configuration has the section, if only with values that are the default.
  bool has_section = true;
};

/// A key and the field of an Object that it is bound to.
template <typename Object>
struct Row : Key {
  /// Puts a value that fits the key into the field. Throws InputError with what is wrong, without a place, if
  /// the network forbids the value: there is no such node. Empty for a key that is read with others
  /// (`topology.kind`).
  std::function<void(Object&, const ParameterValues::Value&, const ReadContext&)> put;
  /// The field as a configuration has it; nothing if it has no value.
  std::function<std::optional<ParameterValues::Value>(const Object&, const Topology&)> take;
};

/// A map of keys, or what a part adds to it. "observe.waves" is the map `waves` in the map `observe`. A key
/// may be declared twice in it, once for links and once for circuits.
template <typename Object>
struct RowSection {
  /// Empty: the top level.
  std::string name;
  /// Empty if another part declares the section.
  std::string summary = {};
  std::vector<Row<Object>> rows;
  /// What no key can say alone: throws Inadmissible with the path of the key to blame and a whole sentence.
  /// Called when all keys of all sections are read.
  std::function<void(const Object&, const Topology&)> check = [](const Object&, const Topology&) {};
  /// Whether an object has the section.
  std::function<bool(const Object&)> is_there = [](const Object&) { return true; };
};

/// How a field of type T is written as a value.
template <typename T>
struct FieldValue {
  static_assert(std::integral<T> || std::same_as<T, Decimal> || std::same_as<T, Ratio> ||
                std::same_as<T, std::string> || std::same_as<T, std::vector<std::uint32_t>> ||
                std::same_as<T, NodeSet>);
  static std::optional<ParameterValues::Value> of(const T& field, const Key& /*key*/) {
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      return static_cast<std::int64_t>(field);
    } else {
      return field;
    }
  }
  static T from(const ParameterValues::Value& value, const Key& /*key*/) {
    if constexpr (std::integral<T> && !std::same_as<T, bool>) {
      return static_cast<T>(std::get<std::int64_t>(value));
    } else {
      return std::get<T>(value);
    }
  }
};

/// A single size is written as a whole number.
template <>
struct FieldValue<MessageSizes> {
  static std::optional<ParameterValues::Value> of(const MessageSizes& field, const Key& /*key*/) {
    if (field.sizes.size() > 1) return field;
    return static_cast<std::int64_t>(field.sizes.front().bytes);
  }
  static MessageSizes from(const ParameterValues::Value& value, const Key& /*key*/) {
    const auto* const bytes = std::get_if<std::int64_t>(&value);
    if (bytes == nullptr) return std::get<MessageSizes>(value);
    return {{{static_cast<std::uint64_t>(*bytes), Decimal(1)}}};
  }
};

/// Nothing is written as the key's first word (`auto`), or not at all if it has none.
template <typename T>
struct FieldValue<std::optional<T>> {
  static std::optional<ParameterValues::Value> of(const std::optional<T>& field, const Key& key) {
    if (field) return FieldValue<T>::of(*field, key);
    if (key.choices.empty()) return std::nullopt;
    return key.choices.front();
  }
  static std::optional<T> from(const ParameterValues::Value& value, const Key& key) {
    const auto& words = key.choices;
    const auto* const text = std::get_if<std::string>(&value);
    if (text != nullptr && !words.empty() && *text == words.front()) return std::nullopt;
    return FieldValue<T>::from(value, key);
  }
};

/// An object with its defaults. Specialised for types without a default constructor.
template <typename Object>
[[nodiscard]] Object fresh() {
  return Object{};
}

/// A default as a configuration would have it: "8", "auto"; "null" for none. Not for lists.
[[nodiscard]] std::string default_text(const std::optional<ParameterValues::Value>& value);

/// The row of a field that holds a number, a boolean, a text, coordinates, or one of these optionally.
template <typename Object, typename T>
[[nodiscard]] Row<Object> row(T Object::*field, Parameter parameter) {
  Key key{std::move(parameter)};
  key.fallback = default_text(FieldValue<T>::of(fresh<Object>().*field, key));
  const auto take = [field, key](const Object& object, const Topology&) {
    return FieldValue<T>::of(object.*field, key);
  };
  const auto put = [field, key](Object& object, const ParameterValues::Value& value, const ReadContext&) {
    object.*field = FieldValue<T>::from(value, key);
  };
  return {std::move(key), put, take};
}

/// The type of the values of a field of type T, if nothing else is said.
template <typename T>
struct FieldType {
  static constexpr ParameterType value = std::same_as<T, bool>          ? ParameterType::boolean
                                         : std::integral<T>             ? ParameterType::integer
                                         : std::same_as<T, Decimal>     ? ParameterType::number
                                         : std::same_as<T, Ratio>       ? ParameterType::ratio
                                         : std::same_as<T, std::string> ? ParameterType::text
                                         : std::same_as<T, NodeSet>     ? ParameterType::node_set
                                                                        : ParameterType::sizes;
};
template <typename T>
struct FieldType<std::optional<T>> : FieldType<T> {};

/// The same; the field says the type.
template <typename Object, typename T>
[[nodiscard]] Row<Object> row(T Object::*field, std::string name, std::string summary, Range range = {},
                              std::string unit = {}) {
  return row(field,
             Parameter::of(FieldType<T>::value, std::move(name), std::move(summary), range, std::move(unit)));
}

/// The row of a field that holds an enumerator, written by its name: `names` has them all.
template <typename Object, typename T, std::size_t count>
[[nodiscard]] Row<Object> choice_row(T Object::*field, const std::array<const char*, count>& names,
                                     std::string name, std::string summary) {
  Key key{Parameter::choice(std::move(name), std::move(summary), {names.begin(), names.end()})};
  const auto name_of = [field, names](const Object& object) {
    return std::string(names[static_cast<std::size_t>(object.*field)]);
  };
  key.fallback = name_of(fresh<Object>());
  const auto put = [field, names](Object& object, const ParameterValues::Value& value, const ReadContext&) {
    object.*field = static_cast<T>(std::ranges::find(names, std::get<std::string>(value)) - names.begin());
  };
  const auto take = [name_of](const Object& object, const Topology&) {
    return std::optional<ParameterValues::Value>(name_of(object));
  };
  return {std::move(key), put, take};
}
template <typename Object, typename T>
[[nodiscard]] Row<Object> choice_row(T Object::*field, std::string name, std::string summary) {
  return choice_row(field, kNamesOf<T>, std::move(name), std::move(summary));
}

/// The row of a list of things that are named by text, such as nodes: `read` makes one of its text and throws
/// InputError, `write` is the inverse. The empty list is written as the key's first word (`all`).
template <typename Object, typename T, typename Read, typename Write>
[[nodiscard]] Row<Object> list_row(std::vector<T> Object::*field, Read read, Write write,
                                   Parameter parameter) {
  Key key{std::move(parameter), true};
  key.fallback = key.choices.front();
  const std::string word = key.fallback;
  const auto put = [field, read](Object& object, const ParameterValues::Value& value,
                                 const ReadContext& context) {
    (object.*field).clear();
    const auto* const texts = std::get_if<std::vector<std::string>>(&value);
    if (texts == nullptr) return;
    for (const std::string& text : *texts) (object.*field).push_back(read(text, context.topology));
  };
  const auto take = [field, write, word](const Object& object, const Topology& topology) {
    if ((object.*field).empty()) return std::optional<ParameterValues::Value>(word);
    std::vector<std::string> texts;
    for (const T& each : object.*field) texts.push_back(write(each, topology));
    return std::optional<ParameterValues::Value>(std::move(texts));
  };
  return {std::move(key), put, take};
}

/// The same key, which every configuration must give.
template <typename Object>
[[nodiscard]] Row<Object> required(Row<Object> row) {
  row.fallback.clear();
  return row;
}

/// The same key, of networks of the kinds that `scope` has.
template <typename Object>
[[nodiscard]] Row<Object> of_scope(KeyScope scope, Row<Object> row) {
  row.scope = scope;
  return row;
}

/// The same key, of networks with links only.
template <typename Object>
[[nodiscard]] Row<Object> of_links(Row<Object> row) {
  return of_scope(KeyScope::links, std::move(row));
}

/// The same key, of workloads of one kind only.
template <typename Object>
[[nodiscard]] Row<Object> of_work(KeyWork work, Row<Object> row) {
  row.work = work;
  return row;
}

/// The row of an object as one of the object it is in; `access` is its member, or a function of both.
template <typename Outer, typename Inner, typename Access>
[[nodiscard]] Row<Outer> within(Access access, Row<Inner> row) {
  Row<Outer> result{static_cast<Key&&>(row), {}, {}};
  if (row.put) {
    result.put = [access, put = std::move(row.put)](Outer& outer, const ParameterValues::Value& value,
                                                    const ReadContext& context) {
      put(std::invoke(access, outer), value, context);
    };
  }
  result.take = [access, take = std::move(row.take)](const Outer& outer, const Topology& topology) {
    return take(std::invoke(access, outer), topology);
  };
  return result;
}

/// The same of a whole section.
template <typename Outer, typename Inner, typename Access>
[[nodiscard]] RowSection<Outer> within(Access access, RowSection<Inner> section) {
  RowSection<Outer> result{std::move(section.name), std::move(section.summary), {}};
  for (Row<Inner>& row : section.rows) result.rows.push_back(within<Outer>(access, std::move(row)));
  result.check = [access, check = std::move(section.check)](const Outer& outer, const Topology& topology) {
    check(std::invoke(access, outer), topology);
  };
  result.is_there = [access, is_there = std::move(section.is_there)](const Outer& outer) {
    return is_there(std::invoke(access, outer));
  };
  return result;
}

}  // namespace flitscope
