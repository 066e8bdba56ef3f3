// What a parameter is and what values it has: declarations with type, range, unit and default, and checked
// values.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "model/node_set.h"
#include "model/types.h"
#include "model/units.h"

namespace flitscope {

/// A distribution of sizes, by rising size. A single one has the weight 1.
struct MessageSizes {
  struct Size {
    std::uint64_t bytes = 0;
    /// Above 0; weights are relative to their sum.
    Decimal weight{1};
    bool operator==(const Size&) const = default;
  };

  std::vector<Size> sizes{{64, Decimal(1)}};

  bool operator==(const MessageSizes&) const = default;
};

/// The mean of measure(bytes), such as the flits of a message.
template <typename Measure>
[[nodiscard]] double mean_of(const MessageSizes& message, Measure measure) {
  double sum = 0;
  double weights = 0;
  for (const auto& [bytes, weight] : message.sizes) {
    sum += weight.approximate() * static_cast<double>(measure(bytes));
    weights += weight.approximate();
  }
  return sum / weights;
}

/// Longest delay, and most cycles a flit.
inline constexpr std::int64_t kMaxLinkDelay = 65'535;
inline constexpr std::int64_t kMaxCyclesPerFlit = 1024;

/// An item of the key `links`: {at: '[1, 0]+0', delay: 6, cycles_per_flit: 2},
/// {kind: global, delay: 20}, or {at: '[2, 2]-1', missing: true}.
/// What it does not name stays as it is.
struct LinkSetting {
  std::string at{};    ///< the link, as reports name it
  std::string kind{};  ///< or, if not empty: all links of this kind (LinkKinds)
  std::optional<std::uint32_t> delay{};
  std::optional<Ratio> cycles_per_flit{};
  /// In bytes a second: another way to write cycles_per_flit.
  std::optional<std::uint64_t> bandwidth{};
  bool both = false;     ///< the link back as well
  bool missing = false;  ///< it is not there
  bool operator==(const LinkSetting&) const = default;
};

/// An item of the key `classes`: {name: request, vcs: [0, 1], priority: 1}, or {name: request, vcs: 2}.
struct ClassSetting {
  std::string name;
  /// VCs of a link by number, or how many, alone: those behind the ones of the item before.
  std::vector<std::uint32_t> vcs;
  bool counted = false;  ///< `vcs` is how many
  std::uint32_t priority = 0;
  std::uint32_t network = 0;
  bool operator==(const ClassSetting&) const = default;
};

enum class ParameterType : std::uint8_t {
  integer,    ///< a whole number
  integers,   ///< a list of whole numbers: [4, 4, 2]
  number,     ///< a decimal number
  ratio,      ///< a whole number, or a fraction of two: 3/2
  bytes,      ///< a size: a whole number of bytes, or with a unit: 4KiB
  bandwidth,  ///< bytes a second, with a unit: 25GB/s
  cycles,     ///< a time: a whole number of cycles, or with a unit where `clock` is given: 30us
  boolean,    ///< true or false
  choice,     ///< one of `choices`
  text,       ///< any text
  node,       ///< a node by its name: [0, 1, 2]; of a graph n0.1.2
  node_set,   ///< nodes: all, [[0, 1, 2], ...], {count: 20, seed: 1} or {fraction: 0.1, seed: 1}
  file,       ///< the name of a file, as seen from the configuration's directory
  sizes,      ///< a size, or a distribution: {64: 0.8, 4KiB: 0.2}
  links,      ///< single links: [{at: '[1, 0]+0', delay: 6, cycles_per_flit: 2}, ...]
  classes,    ///< message classes: [{name: request, vcs: 2}, ...]
  networks,   ///< how many networks: 2, or [{directions: plus}, {directions: minus}]
};

/// What is said of a type: formats of a parameter's {range}, {choices}, and {words} that may replace a value.
struct ParameterTypeInfo {
  const char* name;
  const char* expected;  ///< in errors
  const char* listed;    ///< in tables of keys
};
[[nodiscard]] const ParameterTypeInfo& info_of(ParameterType type);

/// Admissible numbers, both ends included.
struct Range {
  std::int64_t minimum = 0;
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
};

/// A declared parameter: Parameter::integer("degree", "links of a router", {1, 62}, "links").or_else("3").
struct Parameter {
  std::string name;
  ParameterType type = ParameterType::integer;
  std::string summary;
  /// Value if the configuration is silent, as it would be written there; empty: the parameter is required.
  std::string fallback = {};
  /// Unit of a plain number, such as "bytes" or "cycles"; empty for a mere count.
  std::string unit = {};
  /// Admissible range of a number, both ends included.
  std::int64_t minimum = 0;
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
  std::vector<std::string> choices = {};

  [[nodiscard]] static Parameter of(ParameterType type, std::string name, std::string summary,
                                    Range range = {}, std::string unit = {});
  [[nodiscard]] static Parameter integer(std::string name, std::string summary, Range range = {},
                                         std::string unit = {}) {
    return of(ParameterType::integer, std::move(name), std::move(summary), range, std::move(unit));
  }
  [[nodiscard]] static Parameter integers(std::string name, std::string summary, Range range = {},
                                          std::string unit = {}) {
    return of(ParameterType::integers, std::move(name), std::move(summary), range, std::move(unit));
  }
  [[nodiscard]] static Parameter number(std::string name, std::string summary, Range range = {},
                                        std::string unit = {}) {
    return of(ParameterType::number, std::move(name), std::move(summary), range, std::move(unit));
  }
  [[nodiscard]] static Parameter bytes(std::string name, std::string summary, Range range = {}) {
    return of(ParameterType::bytes, std::move(name), std::move(summary), range, "bytes");
  }
  [[nodiscard]] static Parameter cycles(std::string name, std::string summary, Range range = {}) {
    return of(ParameterType::cycles, std::move(name), std::move(summary), range, "cycles");
  }
  [[nodiscard]] static Parameter boolean(std::string name, std::string summary) {
    return of(ParameterType::boolean, std::move(name), std::move(summary));
  }
  [[nodiscard]] static Parameter text(std::string name, std::string summary) {
    return of(ParameterType::text, std::move(name), std::move(summary));
  }
  [[nodiscard]] static Parameter choice(std::string name, std::string summary,
                                        std::vector<std::string> choices) {
    return of(ParameterType::choice, std::move(name), std::move(summary)).or_words(std::move(choices));
  }

  /// The same with a fallback.
  [[nodiscard]] Parameter or_else(std::string value) &&;
  /// The same with words that may replace the value: `choices`.
  [[nodiscard]] Parameter or_words(std::vector<std::string> words) &&;
};

/// Values for declared parameters, checked against type and range.
class ParameterValues {
 public:
  /// Nodes are held by their names, since parameters are read before the topology is known.
  using Value =
      std::variant<std::int64_t, Decimal, Ratio, bool, std::string, std::vector<std::uint32_t>, NodeName,
                   NodeSet, std::vector<std::string>, MessageSizes, std::vector<LinkSetting>,
                   std::vector<ClassSetting>, std::vector<PhysicalNetwork>, std::vector<Decimal>>;

  // Not in this header, since each source would compile them for all types again.
  ParameterValues();
  ParameterValues(const ParameterValues& other);
  ParameterValues(ParameterValues&& other) noexcept;
  ParameterValues& operator=(const ParameterValues& other);
  ParameterValues& operator=(ParameterValues&& other) noexcept;
  ~ParameterValues();

  void set(const std::string& name, Value value);
  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }

  /// The value of a declared parameter. Throws std::out_of_range for a name that was never declared and
  /// std::bad_variant_access for another type: both are errors of the program, not of its user.
  template <typename T>
  [[nodiscard]] const T& get(const std::string& name) const {
    return std::get<T>(values_.at(name));
  }
  [[nodiscard]] std::int64_t integer(const std::string& name) const { return get<std::int64_t>(name); }
  [[nodiscard]] std::uint64_t bytes(const std::string& name) const {
    return static_cast<std::uint64_t>(integer(name));
  }
  [[nodiscard]] const Decimal& number(const std::string& name) const { return get<Decimal>(name); }
  [[nodiscard]] Ratio ratio(const std::string& name) const { return get<Ratio>(name); }
  [[nodiscard]] bool boolean(const std::string& name) const { return get<bool>(name); }
  [[nodiscard]] const std::string& text(const std::string& name) const { return get<std::string>(name); }
  [[nodiscard]] const NodeName& node(const std::string& name) const { return get<NodeName>(name); }
  /// Of a list of whole numbers.
  [[nodiscard]] const std::vector<std::uint32_t>& integers(const std::string& name) const {
    return get<std::vector<std::uint32_t>>(name);
  }
  [[nodiscard]] const NodeSet& node_set(const std::string& name) const { return get<NodeSet>(name); }
  /// A list of texts; empty if a word replaces it.
  [[nodiscard]] std::vector<std::string> texts(const std::string& name) const;
  [[nodiscard]] const std::map<std::string, Value>& all() const { return values_; }

 private:
  std::map<std::string, Value> values_;
};

}  // namespace flitscope
