// JSON read strictly: every error names the file, the line and the value, and says what would be right; and
// lists and nodes in JSON.
#pragma once

#include <fmt/core.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <istream>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/topology.h"
#include "params/diagnostics.h"

namespace flitscope {

/// JSON whose objects keep the order of their keys, as all output does.
using Json = nlohmann::ordered_json;

/// Some editors put one in front of UTF-8 text. False: the stream begins with a broken one.
[[nodiscard]] bool skip_byte_order_mark(std::istream& stream);
/// All that is left of a stream.
[[nodiscard]] std::string text_of_stream(std::istream& stream);
/// Opens a file of a kind that errors name. Throws InputError if it is a directory or cannot be opened.
[[nodiscard]] std::unique_ptr<std::istream> open_file(const std::filesystem::path& file,
                                                      std::string_view kind = "file");
/// The text of a file. Throws InputError if it cannot be read.
[[nodiscard]] std::string file_text(const std::filesystem::path& file);

/// Lists and objects in one another, at most. No file of ours has more than 6.
inline constexpr int kMaxJsonDepth = 64;

/// Parses a text, a line or a file, that is one JSON value. Throws InputError ("file:line:column: ...") for
/// anything else, for an object that has a key twice, and for a value nested deeper than kMaxJsonDepth.
[[nodiscard]] nlohmann::json parse_strict_json(const std::string& text, const SourceLocation& place);

/// The value of a text that is JSON, nested no deeper than kMaxJsonDepth; nothing for any other text.
[[nodiscard]] std::optional<Json> parse_json(std::string_view text);

/// A view of a value inside a parsed line, with its place. The line, its place and the view this
/// one was taken from must outlive it.
class JsonValue {
 public:
  JsonValue(const nlohmann::json& line, const SourceLocation& place) : value_(&line), place_(&place) {}

  /// Ends reading: throws InputError, "file:line: "src[1]" " and then fmt::format(format, args...).
  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    end_reading(fmt::format(format, std::forward<Args>(args)...));
  }

  /// Requires an object with no keys but these.
  void require_keys(std::initializer_list<std::string_view> allowed) const;
  [[nodiscard]] bool has(const char* key) const { return value_->contains(key); }
  /// The value of a key. Requires an object; throws InputError if the key is missing.
  [[nodiscard]] JsonValue at(const char* key) const&;
  JsonValue at(const char* key) const&& = delete;

  /// Number of elements. Throws InputError unless it is a list.
  [[nodiscard]] std::size_t size() const;
  /// Requires a list with more than `index` elements.
  [[nodiscard]] JsonValue at(std::size_t index) const&;
  JsonValue at(std::size_t index) const&& = delete;

  [[nodiscard]] bool is_list() const { return value_->is_array(); }
  [[nodiscard]] bool is_text() const { return value_->is_string(); }
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] bool is_whole(std::uint64_t minimum, std::uint64_t maximum) const;
  /// A whole number within a range, both ends included.
  template <std::unsigned_integral Number = std::uint64_t>
  [[nodiscard]] Number whole(std::uint64_t minimum,
                             std::uint64_t maximum = std::numeric_limits<Number>::max()) const {
    if (!is_whole(minimum, maximum)) fail_wanted("a whole number from {} to {}", minimum, maximum);
    return value_->get<Number>();
  }
  /// +1 or -1.
  [[nodiscard]] int sign() const;
  /// The same with "must be `format`, not " and this value.
  template <typename... Args>
  [[noreturn]] void fail_wanted(fmt::format_string<Args...> format, Args&&... args) const {
    refuse(fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  [[nodiscard]] std::string path() const;
  [[noreturn]] void end_reading(const std::string& text) const;
  [[noreturn]] void refuse(const std::string& wanted) const;

  const nlohmann::json* value_;
  const SourceLocation* place_;
  const JsonValue* parent_ = nullptr;
  /// How the parent calls it: by key, or, if that is null, by index.
  const char* key_ = nullptr;
  std::size_t index_ = 0;
};

/// A list of what `of`, a function or a member, makes of the elements of a range.
template <typename Range, typename Of>
[[nodiscard]] Json json_list(const Range& range, const Of& of) {
  Json list = Json::array();
  for (const auto& each : range) list.push_back(std::invoke(of, each));
  return list;
}

// Nodes in JSON: schedules, results and verdicts name them alike.

/// [1, 0] on a grid; the name of a router of a graph, "n0.1"; the number of a node of a complete network.
[[nodiscard]] Json node_json(const Topology& topology, NodeId node);

/// Throws InputError unless the value is a node of the topology.
[[nodiscard]] NodeId read_node(const JsonValue& value, const Topology& topology);

}  // namespace flitscope
