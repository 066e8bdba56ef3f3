#include "sim/formats/strict_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <span>
#include <unordered_set>

#include "model/error.h"
#include "model/graph.h"
#include "model/text.h"

namespace flitscope {

namespace {

NodeId read_node_of_graph(const JsonValue& value, const Topology& topology) {
  const auto node = value.is_text() ? topology.graph()->router_named(value.text()) : std::nullopt;
  if (node && *node < topology.nodes()) return *node;
  value.fail_wanted("the name of a node of the {}, such as \"{}\"", topology.name(), topology.node_name(0));
}

NodeId read_node_of_grid(const JsonValue& value, const Topology& topology) {
  const unsigned dimensions = topology.dimensions();
  if (value.size() != dimensions) {
    value.fail_wanted("a node of the {}, {}", topology.name(), counted(dimensions, "coordinate"));
  }
  std::array<std::uint32_t, kMaxDimensions> coordinates{};
  for (unsigned k = 0; k < dimensions; ++k) {
    coordinates[k] = value.at(k).whole<std::uint32_t>(0);
  }
  const std::span<const std::uint32_t> given(coordinates.data(), dimensions);
  for (unsigned k = 0; k < dimensions; ++k) {
    if (coordinates[k] < topology.side(k)) continue;
    value.fail("names a node that does not exist: [{}]; on the {}, coordinate {} must be 0 to {}",
               fmt::join(given, ", "), topology.name(), k, topology.side(k) - 1);
  }
  return topology.node(given);
}

using nlohmann::json;

/// At most 120 printable characters of a text.
std::string excerpt(std::string_view text) {
  constexpr std::size_t most = 120;
  std::string result(text.substr(0, most));
  std::ranges::replace_if(
      result,
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e; },
      '?');
  return text.size() > most ? result + "..." : result;
}

/// The parser's reason without its own prefix: what follows "column N: ".
std::string reason_of(const json::exception& error) {
  const std::string_view text = error.what();
  const std::size_t column = text.find("column ");
  const std::size_t reason = column == std::string_view::npos ? text.find("] ") : text.find(": ", column);
  return excerpt(reason == std::string_view::npos ? text : text.substr(reason + 2));
}

/// "file:line:column" of the byte that a text is not valid at; bytes count from 1.
std::string place_of_byte(std::size_t byte, std::string_view text, const SourceLocation& place) {
  SourceLocation at = SourceLocation::in(place.source, text, std::max<std::size_t>(byte, 1) - 1);
  at.line += std::max<std::uint64_t>(place.line, 1) - 1;
  return at.text();
}

/// Finds the number that is too large for the parser.
struct OverflowFinder : nlohmann::detail::json_sax_acceptor<json> {
  /// `end` is the byte of its last digit.
  bool parse_error(std::size_t end, const std::string& token, const nlohmann::detail::exception&) {
    byte = end + 1 - token.size();
    return false;
  }
  std::size_t byte = 0;
};

/// The first byte, counted from 1, of the number that is too large.
std::size_t byte_of_overflow(const std::string& text) {
  OverflowFinder finder;
  static_cast<void>(json::sax_parse(text, &finder));
  return finder.byte;
}

}  // namespace

bool skip_byte_order_mark(std::istream& stream) {
  if (stream.peek() != 0xEF) return true;
  return stream.get() == 0xEF && stream.get() == 0xBB && stream.get() == 0xBF;
}

std::string text_of_stream(std::istream& stream) {
  // A string stream would end where the memory does, and not say so.
  std::string text;
  std::array<char, 65536> part{};
  while (stream.read(part.data(), part.size()), stream.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
  }
  return text;
}

std::unique_ptr<std::istream> open_file(const std::filesystem::path& file, std::string_view kind) {
  std::error_code ignored;
  const std::string name = printable(file.string());
  if (std::filesystem::is_directory(file, ignored))
    throw InputError("{}: is a directory, not a {}", name, kind);
  auto stream = std::make_unique<std::ifstream>(file, std::ios::binary);
  if (!*stream) throw InputError("{}: cannot be opened: {}", name, std::strerror(errno));
  return stream;
}

std::string file_text(const std::filesystem::path& file) {
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  std::string text = stream ? text_of_stream(stream) : std::string();
  if (stream.bad() || !stream.eof()) {
    throw InputError("{}: cannot be read{}{}", printable(file.string()), errno == 0 ? "" : ": ",
                     errno == 0 ? "" : std::strerror(errno));
  }
  return text;
}

nlohmann::json parse_strict_json(const std::string& text, const SourceLocation& place) {
  std::vector<std::unordered_set<std::string>> keys;  // of the objects that are open
  // What the parser takes: nesting so deep that a reader would run out of stack, keys that an object has
  // twice.
  const auto refuse = [&](int depth, json::parse_event_t event, const json& parsed) {
    if (depth > kMaxJsonDepth) {
      throw InputError("{}: nested too deep: at most {} lists and objects in one another", place.text(),
                       kMaxJsonDepth);
    }
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
      throw InputError("{}: duplicate key \"{}\"", place.text(), excerpt(parsed.get<std::string>()));
    }
    return true;
  };
  try {
    return json::parse(text, refuse);
  } catch (const json::parse_error& error) {
    throw InputError("{}: not valid JSON: {}", place_of_byte(error.byte, text, place), reason_of(error));
  } catch (const json::out_of_range& error) {
    throw InputError("{}: not valid JSON: {}", place_of_byte(byte_of_overflow(text), text, place),
                     reason_of(error));
  }
}

std::optional<Json> parse_json(std::string_view text) {
  bool too_deep = false;
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kMaxJsonDepth;
    return !too_deep;
  };
  auto parsed = Json::parse(text, watch, false);
  if (too_deep || parsed.is_discarded()) return std::nullopt;
  return parsed;
}

std::string JsonValue::path() const {
  if (parent_ == nullptr) return {};
  const std::string parent = parent_->path();
  if (key_ == nullptr) return fmt::format("{}[{}]", parent, index_);
  return parent.empty() ? key_ : fmt::format("{}.{}", parent, key_);
}

void JsonValue::end_reading(const std::string& text) const {
  const std::string subject = parent_ == nullptr ? "this line" : fmt::format("\"{}\"", path());
  throw InputError("{}: {} {}", place_->text(), subject, text);
}

void JsonValue::refuse(const std::string& wanted) const {
  const std::string found = value_->dump(-1, ' ', true, json::error_handler_t::replace);
  fail("must be {}, not {}", wanted, excerpt(found));
}

void JsonValue::require_keys(std::initializer_list<std::string_view> allowed) const {
  if (!value_->is_object()) fail_wanted("an object, {{\"key\": value, ...}}");
  for (const auto& item : value_->items()) {
    if (std::ranges::find(allowed, item.key()) == allowed.end()) {
      fail("has an unknown key \"{}\"; known here: {}", excerpt(item.key()), fmt::join(allowed, ", "));
    }
  }
}

JsonValue JsonValue::at(const char* key) const& {
  if (!has(key)) fail("lacks the key \"{}\"", key);
  JsonValue result((*value_)[key], *place_);
  result.parent_ = this;
  result.key_ = key;
  return result;
}

std::size_t JsonValue::size() const {
  if (!value_->is_array()) fail_wanted("a list, [...]");
  return value_->size();
}

JsonValue JsonValue::at(std::size_t index) const& {
  JsonValue result((*value_)[index], *place_);
  result.parent_ = this;
  result.index_ = index;
  return result;
}

const std::string& JsonValue::text() const {
  if (!value_->is_string()) fail_wanted("a text in quotes");
  return value_->get_ref<const std::string&>();
}

bool JsonValue::is_whole(std::uint64_t minimum, std::uint64_t maximum) const {
  // -0 is 0, though of a type with a sign.
  const bool fits =
      value_->is_number_unsigned() || (value_->is_number_integer() && value_->get<std::int64_t>() == 0);
  if (!fits) return false;
  const auto number = value_->get<std::uint64_t>();
  return number >= minimum && number <= maximum;
}

int JsonValue::sign() const {
  // Compared within its own type: as signed, 2^64 - 1 would be -1.
  if (value_->is_number_unsigned()) {
    if (value_->get<std::uint64_t>() == 1) return 1;
  } else if (value_->is_number_integer() && value_->get<std::int64_t>() == -1) {
    return -1;
  }
  fail_wanted("a direction, 1 or -1");
}

Json node_json(const Topology& topology, NodeId node) {
  if (topology.is_grid()) return topology.coordinates(node);
  if (topology.has_links()) return topology.node_name(node);
  return node;
}

NodeId read_node(const JsonValue& value, const Topology& topology) {
  if (topology.is_grid()) return read_node_of_grid(value, topology);
  if (topology.has_links()) return read_node_of_graph(value, topology);
  return value.whole<NodeId>(0, topology.nodes() - 1);
}

}  // namespace flitscope
