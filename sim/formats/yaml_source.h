// YAML text as a tree in which every value has its place. Stricter than YAML: keys are text and occur
// once, there is one document, and anchors, aliases and tags are refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "params/diagnostics.h"

namespace flitscope {

/// A value in YAML text.
struct YamlNode {
  enum class Kind : std::uint8_t {
    null,      ///< nothing, `null` or `~`
    scalar,    ///< a word, number or text
    sequence,  ///< [a, b]
    map,       ///< {a: b}
    refused,   ///< an error has been reported here; readers skip it
  };

  Kind kind = Kind::null;
  SourceLocation place = {};
  /// Of a scalar, without its quotes.
  std::string text = {};
  /// A scalar in quotes (or a block of text): never a number, true or false.
  bool quoted = false;
  /// Elements of a sequence, values of a map.
  std::vector<YamlNode> items = {};
  /// Of a value in a map: its key, and the place of the key.
  std::string key = {};
  SourceLocation key_place = {};

  /// The value of a key of this map, or nullptr.
  [[nodiscard]] const YamlNode* find(std::string_view name) const;
  [[nodiscard]] YamlNode* find(std::string_view name);
};

/// Whether YAML takes a text unchanged: letters and digits for the most part, so that it needs
/// neither quotes nor a parser: "torus", "64", "runs/a.yaml". The others may or may not.
[[nodiscard]] bool is_plain_text(std::string_view text);

/// The text in double quotes, with escapes, so that YAML reads it back wherever it is.
[[nodiscard]] std::string quoted_for_yaml(const std::string& text);

/// A value in one line. With quotes, where they are needed, YAML reads it back.
[[nodiscard]] std::string flow_yaml(const YamlNode& node, bool has_quotes);

/// Reads one YAML document. Adds what is wrong with it to `diagnostics`; returns nothing if it cannot be read
/// at all. Text without a document (empty, comments only) is a null. `origin` names the text in places: a
/// file, whose lines count (origin.line == 1), or an override (line 0).
[[nodiscard]] std::optional<YamlNode> parse_yaml(std::string_view text, const SourceLocation& origin,
                                                 Diagnostics& diagnostics);
/// The map that the whole of a file is. For another value the diagnostic at its place is `otherwise`.
[[nodiscard]] std::optional<YamlNode> parse_yaml_map(std::string_view text, const std::string& file,
                                                     const std::string& otherwise, Diagnostics& diagnostics);

}  // namespace flitscope
