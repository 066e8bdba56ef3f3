#include "sim/formats/value_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <type_traits>

#include "model/numbers.h"
#include "model/text.h"
#include "params/key_names.h"

namespace flitscope {

namespace {

using Value = ParameterValues::Value;
using Kind = YamlNode::Kind;

constexpr std::int64_t kMaxWeight = 1'000'000'000;

/// The value that was found, for "..., not ...".
std::string found(const YamlNode& node) {
  if (node.kind == Kind::null) return "nothing";
  if (node.kind == Kind::sequence) return node.items.empty() ? "an empty list" : "a list";
  if (node.kind == Kind::map) return "a map";
  return node.quoted ? fmt::format("the text {} in quotes", in_quotes(node.text)) : in_quotes(node.text);
}

/// True for the digits of a whole number with or without a minus.
bool is_signed_whole_number(std::string_view text) {
  return is_whole_number(text.starts_with('-') ? text.substr(1) : text);
}

/// Reads one value; what it reads and where diagnostics go stay the same throughout.
class Reading {
 public:
  Reading(const Key& key, const std::string& path, const YamlNode& node, const CycleLength& clock,
          Diagnostics& diagnostics)
      : key_(key), path_(path), node_(node), clock_(clock), diagnostics_(diagnostics) {}

  std::optional<Value> run() const {
    if (node_.kind == Kind::refused) return std::nullopt;
    if (is_word()) return node_.text;
    if (key_.or_list && node_.kind == Kind::sequence) {
      return key_.type == ParameterType::number ? numbers() : list(key_);
    }
    if (key_.is_list) return key_.type == ParameterType::integer ? list(key_) : texts();
    /// By ParameterType.
    using Read = std::optional<Value> (Reading::*)() const;
    static constexpr std::array<Read, 17> kReads{
        &Reading::integer,   &Reading::integers, &Reading::number,  &Reading::ratio,  &Reading::bytes,
        &Reading::bandwidth, &Reading::cycles,   &Reading::boolean, &Reading::choice, &Reading::text,
        &Reading::node,      &Reading::node_set, &Reading::file,    &Reading::sizes,  &Reading::links,
        &Reading::classes,   &Reading::networks};
    return (this->*kReads.at(static_cast<std::size_t>(key_.type)))();
  }

 private:
  /// Adds "router.buffer must be a whole number from 1 to 64, not 'eight'" and why.
  std::nullopt_t refuse(std::string_view why = "") const {
    return diagnostics_.add(node_.place, "{} must be {}, not {}{}", path_, expected(key_), found(node_), why);
  }

  /// What `read(item, path)` makes of the items of a list, if it does of all. At least one.
  template <typename Read>
  auto items(const Read& read) const {
    using Item = typename std::invoke_result_t<Read, const YamlNode&, const std::string&>::value_type;
    std::optional<std::vector<Item>> result;
    if (node_.kind != Kind::sequence || node_.items.empty()) {
      refuse();
      return result;
    }
    result.emplace();
    for (std::size_t i = 0; i < node_.items.size(); ++i) {
      if (node_.items[i].kind == Kind::refused) continue;
      if (auto item = read(node_.items[i], fmt::format("{}[{}]", path_, i))) {
        result->push_back(*std::move(item));
      }
    }
    if (result->size() != node_.items.size()) result.reset();
    return result;
  }

  bool is_plain() const { return node_.kind == Kind::scalar && !node_.quoted; }
  bool is_word() const {
    return node_.kind == Kind::scalar && std::ranges::find(key_.choices, node_.text) != key_.choices.end();
  }

  std::optional<Value> in_range(std::int64_t value) const {
    if (value < key_.minimum || value > key_.maximum) return refuse(range_in_time());
    return value;
  }

  /// ": with a clock of 1ns from 1 ns to 65.535 us"
  std::string range_in_time() const {
    if (key_.type != ParameterType::cycles || clock_.state != CycleLength::State::known) return "";
    return fmt::format(": with a clock of {} from {} to {}", clock_.clock.text(), time_of(key_.minimum),
                       time_of(key_.maximum));
  }
  std::string time_of(std::int64_t cycles) const {
    return readable_time(clock_.clock.seconds(static_cast<double>(cycles)));
  }

  std::optional<Value> integer() const {
    if (!is_plain()) return refuse();
    if (!is_signed_whole_number(node_.text)) return refuse(did_you_mean(node_.text, key_.choices));
    const auto value = number_in<std::int64_t>(node_.text);
    return value ? in_range(*value) : refuse(largest());
  }

  /// ": the largest is 9223372036854775807", of a number above a maximum that expected() leaves out.
  std::string largest() const {
    const bool is_unlimited = key_.maximum == std::numeric_limits<std::int64_t>::max();
    const bool is_above = !node_.text.starts_with('-');
    return is_unlimited && is_above ? fmt::format(": the largest is {}", key_.maximum) : "";
  }

  std::optional<Value> number() const {
    if (!is_plain()) return refuse();
    const auto number = parse_decimal(node_.text);
    if (!number.value) return refuse(": " + number.problem);
    const auto bound = [](std::int64_t limit) { return Decimal(static_cast<std::uint64_t>(limit)); };
    if (*number.value < bound(key_.minimum) || *number.value > bound(key_.maximum)) {
      return refuse();
    }
    return *number.value;
  }

  std::optional<Value> ratio() const {
    if (!is_plain()) return refuse();
    const auto ratio = parse_ratio(node_.text);
    if (!ratio.value) return refuse(": " + ratio.problem);
    if (*ratio.value > Ratio(static_cast<std::uint32_t>(key_.maximum))) return refuse();
    return *ratio.value;
  }

  std::optional<Value> from_quantity(std::uint64_t value) const {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return refuse();
    return in_range(static_cast<std::int64_t>(value));
  }

  /// `plain`: what a number without a unit counts.
  std::optional<Value> refuse_quantity(const std::string& problem, const char* plain) const {
    const bool has_no_unit = parse_decimal(node_.text).value.has_value();
    return refuse(": " + problem + (has_no_unit ? fmt::format("; {} without a unit are whole", plain) : ""));
  }

  /// With a unit, or a whole number without one, of what `plain` says.
  std::optional<Value> quantity(Parsed<std::uint64_t> (*parse)(std::string_view), const char* plain) const {
    if (node_.kind != Kind::scalar) return refuse();
    if (is_signed_whole_number(node_.text)) return integer();
    const auto parsed = parse(node_.text);
    return parsed.value ? from_quantity(*parsed.value) : refuse_quantity(parsed.problem, plain);
  }

  std::optional<Value> bytes() const { return quantity(parse_bytes, "bytes"); }
  std::optional<Value> bandwidth() const { return quantity(parse_bandwidth, "bytes a second"); }

  std::optional<Value> cycles() const {
    if (node_.kind != Kind::scalar) return refuse();
    if (is_signed_whole_number(node_.text)) return integer();
    const auto time = parse_time(node_.text);
    if (!time.value) return refuse_quantity(time.problem, "cycles");
    if (clock_.state == CycleLength::State::broken) return std::nullopt;  // has been reported
    if (clock_.state == CycleLength::State::absent) {
      return refuse(": a time with a unit needs the length of a cycle; add 'clock: 1ns' on the top level");
    }
    if (const auto cycles = clock_.clock.cycles_of(*time.value)) return from_quantity(*cycles);
    const std::uint64_t whole = clock_.clock.cycles_within(*time.value);
    return refuse(fmt::format(
        ": with a clock of {} that lies between {} and {} cycles, {} and {}", clock_.clock.text(), whole,
        whole + 1, time_of(static_cast<std::int64_t>(whole)), time_of(static_cast<std::int64_t>(whole) + 1)));
  }

  std::optional<Value> boolean() const {
    if (!is_plain() || (node_.text != "true" && node_.text != "false")) return refuse();
    return node_.text == "true";
  }

  /// A word that is_word() has not found.
  std::optional<Value> choice() const {
    if (node_.kind != Kind::scalar) return refuse();
    if (const auto other = other_name_of_value(path_, node_.text)) return refuse("; " + *other);
    return refuse(did_you_mean(node_.text, key_.choices));
  }

  std::optional<Value> text() const {
    if (node_.kind != Kind::scalar) return refuse();
    if (printable(node_.text) != node_.text)
      return refuse(": it must be one line without control characters");
    return node_.text;
  }

  std::optional<Value> file() const {
    if (node_.kind == Kind::scalar && node_.text.empty()) return refuse();
    return text();
  }

  /// A size alone, or {SIZE: WEIGHT, ...}.
  std::optional<Value> sizes() const {
    if (node_.kind != Kind::map || node_.items.empty()) return bytes();
    MessageSizes result{{}};
    Key size_key{Parameter(key_)};
    size_key.type = ParameterType::bytes;
    const Key weight_key{Parameter::number(key_.name, key_.summary, {0, kMaxWeight})};
    for (const YamlNode& item : node_.items) {
      const YamlNode written{.kind = Kind::scalar, .place = item.key_place, .text = item.key};
      const auto size = read_value(size_key, path_, written, clock_, diagnostics_);
      const auto weight =
          read_value(weight_key, fmt::format("{}.{}", path_, item.key), item, clock_, diagnostics_);
      if (!size || !weight) return std::nullopt;
      const auto bytes = static_cast<std::uint64_t>(std::get<std::int64_t>(*size));
      if (std::get<Decimal>(*weight) == Decimal()) {
        return diagnostics_.add(item.place, "{}.{} must be above 0; leave out a size that never occurs",
                                path_, item.key);
      }
      if (std::ranges::count(result.sizes, bytes, &MessageSizes::Size::bytes) > 0)
        return diagnostics_.add(item.key_place, "{} has a size of {} bytes twice", path_, bytes);
      result.sizes.push_back({bytes, std::get<Decimal>(*weight)});
    }
    std::ranges::sort(result.sizes, {}, &MessageSizes::Size::bytes);
    return FieldValue<MessageSizes>::of(result, key_);
  }

  Key coordinate() const {
    return {
        {.name = key_.name, .summary = key_.summary, .maximum = std::numeric_limits<std::uint32_t>::max()}};
  }

  std::optional<Value> node() const {
    const bool is_written = node_.kind == Kind::scalar ? !node_.text.empty() : !node_.items.empty();
    if (!is_written || node_.kind == Kind::map) return refuse();
    return node_name(node_, path_);
  }

  /// A scalar, such as n0.1, or the coordinates of a node on a grid.
  std::optional<NodeName> node_name(const YamlNode& written, const std::string& path) const {
    if (written.kind == Kind::scalar) return NodeName{written.text};
    Key coordinates = coordinate();
    coordinates.is_list = true;
    const auto value = read_value(coordinates, path, written, clock_, diagnostics_);
    if (!value) return std::nullopt;
    return NodeName{fmt::format("[{}]", fmt::join(std::get<std::vector<std::uint32_t>>(*value), ", "))};
  }

  std::optional<Value> node_set() const {
    if (is_plain() && node_.text == "all") return NodeSet{};
    if (node_.kind == Kind::sequence && !node_.items.empty()) {
      auto nodes = items(std::bind_front(&Reading::node_name, this));
      if (!nodes) return std::nullopt;
      return NodeSet{.kind = NodeSet::Kind::listed, .nodes = *std::move(nodes)};
    }
    if (node_.kind == Kind::map) return drawn_nodes();
    return refuse(node_.kind == Kind::scalar ? did_you_mean(node_.text, std::vector<std::string>{"all"})
                                             : "");
  }

  bool members(const YamlNode& map, const std::string& path, const std::vector<Member>& list) const {
    return read_members(map, path, list, clock_, diagnostics_).values_fit;
  }

  /// {count: S, seed: K} or {fraction: F, seed: K}; without a seed it is 1.
  std::optional<Value> drawn_nodes() const {
    const YamlNode* const count = node_.find("count");
    const YamlNode* const fraction = node_.find("fraction");
    NodeSet set{.kind = count != nullptr ? NodeSet::Kind::count : NodeSet::Kind::fraction, .seed = 1};
    const bool well = members(node_, path_,
                              {member(set.count, {Parameter::integer("count", "", {1})}),
                               member(set.fraction, {Parameter::number("fraction", "", {0, 1})}),
                               member(set.seed, {Parameter::integer("seed", "")})});
    if ((count == nullptr) == (fraction == nullptr)) {
      return diagnostics_.add(node_.place, "{} must have either 'count' or 'fraction'{}", path_,
                              count == nullptr ? "" : ", not both");
    }
    if (!well) return std::nullopt;
    if (fraction == nullptr || set.fraction > 0) return set;
    return diagnostics_.add(fraction->place, "{}.fraction must be above 0: at least one node must be drawn",
                            path_);
  }

  std::optional<Value> integers() const {
    Key element{Parameter(key_)};
    element.type = ParameterType::integer;
    return list(std::move(element));
  }

  /// A list of values, each of which `element` declares and `take` turns into a T.
  template <typename T, typename Take>
  std::optional<Value> list_of(Key element, Take take) const {
    element.is_list = false;
    element.or_list = false;
    return items([&](const YamlNode& item, const std::string& path) {
      const auto value = read_value(element, path, item, clock_, diagnostics_);
      return value ? std::optional<T>(take(*value)) : std::nullopt;
    });
  }

  std::optional<Value> list(Key element) const {
    return list_of<std::uint32_t>(std::move(element), [](const Value& value) {
      return static_cast<std::uint32_t>(std::get<std::int64_t>(value));
    });
  }

  std::optional<Value> numbers() const {
    return list_of<Decimal>(key_, [](const Value& value) { return std::get<Decimal>(value); });
  }

  /// [] is none, such as the first of several machines.
  std::optional<Value> links() const {
    if (node_.kind == Kind::sequence && node_.items.empty()) return std::vector<LinkSetting>();
    return items(std::bind_front(&Reading::link, this));
  }
  std::optional<Value> classes() const { return items(std::bind_front(&Reading::message_class, this)); }

  /// 2, or a list of maps.
  std::optional<Value> networks() const {
    if (node_.kind == Kind::sequence) return items(std::bind_front(&Reading::network, this));
    Key number{Parameter(key_)};
    number.type = ParameterType::integer;
    const auto value = read_value(number, path_, node_, clock_, diagnostics_);
    if (!value) return std::nullopt;
    return std::vector<PhysicalNetwork>(static_cast<std::size_t>(std::get<std::int64_t>(*value)));
  }

  /// {directions: minus, first_dimension: 1}
  std::optional<PhysicalNetwork> network(const YamlNode& item, const std::string& path) const {
    if (item.kind != Kind::map)
      return diagnostics_.add(item.place, "{} must be a map, such as {{directions: plus}}", path);
    PhysicalNetwork setting;
    const bool well =
        members(item, path,
                {member(setting.directions,
                        {Parameter::choice("directions", "", texts_of(kNamesOf<LinkDirections>))}),
                 member(setting.first_dimension,
                        {Parameter::integer("first_dimension", "", {0, kMaxDimensions - 1})})});
    return well ? std::optional(setting) : std::nullopt;
  }

  /// {name: request, vcs: [0, 1], priority: 1}
  std::optional<ClassSetting> message_class(const YamlNode& item, const std::string& path) const {
    if (item.kind != Kind::map || item.find("name") == nullptr || item.find("vcs") == nullptr) {
      return diagnostics_.add(
          item.place, "{} must be a map with 'name' and 'vcs', such as {{name: request, vcs: 2}}", path);
    }
    constexpr std::int64_t kMostVcs = 64;
    constexpr std::int64_t kHighest = 255;
    constexpr std::int64_t kMostNetworks = 8;
    ClassSetting setting;
    setting.counted = item.find("vcs")->kind != Kind::sequence;
    Key vcs{Parameter::integer("vcs", "", {setting.counted ? 1 : 0, kMostVcs})};
    vcs.or_list = true;
    std::uint32_t count = 0;
    const bool well =
        members(item, path,
                {member(setting.name, {Parameter::text("name", "")}),
                 setting.counted ? member(count, vcs) : member(setting.vcs, vcs),
                 member(setting.priority, {Parameter::integer("priority", "", {0, kHighest})}),
                 member(setting.network, {Parameter::integer("network", "", {0, kMostNetworks - 1})})});
    if (setting.counted) setting.vcs = {count};
    return well ? std::optional(setting) : std::nullopt;
  }

  /// {at: '[1, 0]+0', delay: 6, cycles_per_flit: 2, both: true}, or with missing: true instead of delay and
  /// cycles_per_flit; or {kind: global, delay: 20}
  std::optional<LinkSetting> link(const YamlNode& item, const std::string& path) const {
    const bool has_kind = item.kind == Kind::map && item.find("kind") != nullptr;
    if (item.kind != Kind::map || has_kind == (item.find("at") != nullptr)) {
      return diagnostics_.add(
          item.place,
          "{} must be a map with 'at', which names a link, or with 'kind', for all links of a kind, and the "
          "values they have, such as {{at: '[1, 0]+0', delay: 6}}",
          path);
    }
    LinkSetting setting;
    // In YAML [1, 0]+0 without quotes is no text.
    const bool well =
        read_members(
            item, path,
            {member(setting.at, {Parameter::text("at", "")}),
             member(setting.delay, {Parameter::cycles("delay", "", {1, kMaxLinkDelay})}),
             member(setting.cycles_per_flit,
                    {Parameter::of(ParameterType::ratio, "cycles_per_flit", "", {1, kMaxCyclesPerFlit})}),
             member(setting.bandwidth, {Parameter::of(ParameterType::bandwidth, "bandwidth", "", {1})}),
             member(setting.both, {Parameter::boolean("both", "")}),
             member(setting.missing, {Parameter::boolean("missing", "")})},
            clock_, diagnostics_, {"kind"})
            .values_fit;
    const auto kind =
        has_kind ? read_link_kind(*item.find("kind"), path + ".kind", diagnostics_) : std::string();
    if (!well || !kind) return std::nullopt;
    setting.kind = *kind;
    if (has_kind && (setting.both || setting.missing)) {
      return diagnostics_.add(item.place, "{}: 'both' and 'missing' are of a link that 'at' names", path);
    }
    const bool has_time = setting.delay || setting.cycles_per_flit || setting.bandwidth;
    if (has_time != setting.missing) return setting;
    if (setting.missing) {
      return diagnostics_.add(
          item.place, "{}: a missing link has no 'delay', 'cycles_per_flit' or 'bandwidth'; leave them out",
          path);
    }
    return diagnostics_.add(item.place, "{} must say something of the {}", path,
                            has_kind ? "links: 'delay', 'cycles_per_flit' or 'bandwidth'"
                                     : "link: 'delay', 'cycles_per_flit', 'bandwidth', or 'missing: true'");
  }

  /// A list of texts, or of nodes, which become texts such as "[0, 1]". At least one.
  std::optional<Value> texts() const {
    Key element{Parameter(key_)};
    element.choices.clear();
    return items([&](const YamlNode& item, const std::string& path) -> std::optional<std::string> {
      if (item.kind == Kind::scalar) return item.text;
      const auto value = read_value(element, path, item, clock_, diagnostics_);
      return value ? std::optional(std::get<NodeName>(*value).text) : std::nullopt;
    });
  }

  const Key& key_;
  const std::string& path_;
  const YamlNode& node_;
  const CycleLength& clock_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Value> read_value(const Key& key, const std::string& path, const YamlNode& node,
                                const CycleLength& clock, Diagnostics& diagnostics) {
  return Reading(key, path, node, clock, diagnostics).run();
}

std::optional<std::string> read_link_kind(const YamlNode& node, const std::string& path,
                                          Diagnostics& diagnostics) {
  const auto kind = read_value({Parameter::text("kind", "")}, path, node, {}, diagnostics);
  if (!kind) return std::nullopt;
  if (const auto& text = std::get<std::string>(*kind); !text.empty()) return text;
  return diagnostics.add(node.place, "{} is empty; it must be a kind of links, such as dimension 0 or global",
                         path);
}

MembersRead read_members(const YamlNode& map, const std::string& path, const std::vector<Member>& members,
                         const CycleLength& clock, Diagnostics& diagnostics,
                         const std::vector<std::string>& others) {
  MembersRead read;
  std::vector<std::string> known = others;
  for (const auto& [key, put, is_required] : members) {
    const std::string& name = known.emplace_back(key.name);
    const YamlNode* const given = map.find(name);
    const auto value =
        given == nullptr ? std::nullopt : read_value(key, path_of(path, name), *given, clock, diagnostics);
    if (value) put(*value);
    if (given == nullptr && is_required)
      diagnostics.add(map.place, "{} is missing; it must be {}", path_of(path, name), expected(key));
    read.values_fit = read.values_fit && (value || (given == nullptr && !is_required));
  }
  for (const YamlNode& item : map.items) {
    if (std::ranges::count(known, item.key) > 0) continue;
    read.keys_are_known = false;
    const auto other = other_name_of_key(path_of(path.substr(0, path.find('[')), item.key));
    const std::string near = other ? "; " + *other : did_you_mean(item.key, known);
    diagnostics.add(item.key_place, "unknown key {}{}", in_quotes(path_of(path, item.key)),
                    near.empty() ? fmt::format("; possible are {}", fmt::join(known, ", ")) : near);
  }
  return read;
}

std::optional<Value> default_value(const Key& key) {
  Diagnostics diagnostics;
  const SourceLocation origin{"a default"};
  const auto node = parse_yaml(key.fallback, origin, diagnostics);
  if (node && node->kind == Kind::null) return std::nullopt;
  auto value = node ? read_value(key, key.name, *node, {}, diagnostics) : std::nullopt;
  if (!diagnostics.none()) throw std::logic_error(diagnostics.text());
  return value;
}

}  // namespace flitscope
