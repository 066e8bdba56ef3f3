#include "model/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace flitscope {

namespace {

bool is_control(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte < 0x20 || byte == 0x7F;
}

bool continues_sequence(char character) {
  return (static_cast<unsigned char>(character) & 0xC0) == 0x80;
}

/// Lower case, with '-' for '_'.
std::string plain_form(std::string_view name) {
  std::string result(name);
  for (char& character : result) {
    if (character >= 'A' && character <= 'Z') character = static_cast<char>(character - 'A' + 'a');
    if (character == '_') character = '-';
  }
  return result;
}

/// Of one well-formed UTF-8 sequence.
std::uint32_t code_point(std::string_view sequence) {
  if (sequence.size() == 1) return static_cast<unsigned char>(sequence.front());
  std::uint32_t code = static_cast<unsigned char>(sequence.front()) & (0xFFU >> (sequence.size() + 1));
  for (const char next : sequence.substr(1)) code = code << 6 | (static_cast<unsigned char>(next) & 0x3FU);
  return code;
}

/// Characters with an effect on terminals: C1 controls, separators of lines and paragraphs, marks of
/// bidirectional text.
bool is_invisible_control(std::uint32_t code) {
  return (code >= 0x80 && code <= 0x9F) || code == 0x61C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

/// Bytes of the UTF-8 sequence that starts at `at`, or 0 if it is broken or overlong.
std::size_t sequence_length(std::string_view bytes, std::size_t at) {
  const auto first = static_cast<unsigned char>(bytes[at]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || at + length > bytes.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!continues_sequence(bytes[at + i])) return 0;
  }
  const std::uint32_t code = code_point(bytes.substr(at, length));
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least[length] || code > 0x10FFFF || surrogate ? 0 : length;
}

}  // namespace

std::size_t edit_distance(std::string_view left, std::string_view right) {
  // Rows of the table of distances between prefixes: two back, one back, current.
  std::vector<std::size_t> before(right.size() + 1);
  std::vector<std::size_t> above(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    std::swap(before, above);
    std::swap(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
  }
  return row[right.size()];
}

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> names) {
  constexpr std::size_t kMaxName = 200;
  constexpr std::size_t kShortestBeginning = 3;
  if (name.empty() || name.size() > kMaxName) return std::nullopt;
  const std::string wanted = plain_form(name);
  std::optional<std::string> nearest;
  std::size_t least = kMaxName;
  for (const std::string& candidate : names) {
    const std::string offered = plain_form(candidate);
    const std::size_t longer = std::max(wanted.size(), offered.size());
    const std::size_t shorter = std::min(wanted.size(), offered.size());
    const std::size_t distance = edit_distance(wanted, offered);
    const bool begins_alike =
        shorter >= kShortestBeginning && wanted.compare(0, shorter, offered, 0, shorter) == 0;
    if (distance < least && (distance <= std::max<std::size_t>(1, longer / 3) || begins_alike)) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> names) {
  const auto nearest = nearest_name(name, names);
  return nearest ? fmt::format("; did you mean '{}'?", *nearest) : std::string();
}

std::string counted(std::uint64_t number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

bool is_word_of(std::string_view text, std::string_view others) {
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != std::string_view::npos;
  });
}

std::string printable(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text, at);
    const std::string_view character = text.substr(at, std::max<std::size_t>(length, 1));
    if (length == 0 || is_control(character.front())) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(character.front()));
    } else if (const std::uint32_t code = code_point(character); is_invisible_control(code)) {
      result += fmt::format("\\u{:04x}", code);
    } else {
      result += character;
    }
    at += character.size();
  }
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    result += printable(text.substr(begin, end - begin));
    if (end < text.size()) result += '\n';
    begin = end + 1;
  }
  return result;
}

std::string printable_json(std::string_view json) {
  std::string text(json);
  for (std::size_t at = 0; (at = text.find('\x7f', at)) != std::string::npos;) text.replace(at, 1, "\\u007f");
  return printable_lines(text);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMaxBytes = 60;
  if (text.size() <= kMaxBytes) return fmt::format("'{}'", printable(text));
  std::size_t end = kMaxBytes;
  while (end > 0 && continues_sequence(text[end])) --end;
  return fmt::format("'{}...'", printable(text.substr(0, end)));
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::optional<std::size_t> first_non_text(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const char character = bytes[at];
    if (is_control(character) && character != '\t' && character != '\n' && character != '\r') return at;
    const std::size_t length = sequence_length(bytes, at);
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

}  // namespace flitscope
