#include "model/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/case_conv.hpp>
#include <boost/locale/utf.hpp>
#include <locale>
#include <ranges>

namespace flitscope {

namespace {

bool is_control(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte < 0x20 || byte == 0x7F;
}

/// Lower case, with '-' for '_'.
std::string plain_form(std::string_view name) {
  std::string result = boost::algorithm::to_lower_copy(std::string(name), std::locale::classic());
  std::ranges::replace(result, '_', '-');
  return result;
}

/// Characters with an effect on terminals: C1 controls, separators of lines and paragraphs, marks of
/// bidirectional text.
bool is_invisible_control(std::uint32_t code) {
  return (code >= 0x80 && code <= 0x9F) || code == 0x61C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

using Utf8 = boost::locale::utf::utf_traits<char>;

/// The bytes of the character at the front of a text, which is not empty, and its code point; one byte and
/// nothing if they are no UTF-8.
std::pair<std::string_view, std::optional<std::uint32_t>> first_character(std::string_view text) {
  const char* behind = text.begin();
  const std::uint32_t code = Utf8::decode(behind, text.end());
  if (!boost::locale::utf::is_valid_codepoint(code)) return {text.substr(0, 1), std::nullopt};
  return {{text.begin(), behind}, code};
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

std::string counted(std::uint64_t number, std::string_view one, std::string_view many) {
  if (number == 1 || !many.empty()) return fmt::format("{} {}", number, number == 1 ? one : many);
  return fmt::format("{} {}s", number, one);
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
    const auto [character, code] = first_character(text.substr(at));
    if (!code || is_control(character.front())) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(character.front()));
    } else if (is_invisible_control(*code)) {
      result += fmt::format("\\u{:04x}", *code);
    } else {
      result += character;
    }
    at += character.size();
  }
  return result;
}

std::string printable_lines(std::string_view text) {
  std::string result;
  for (const auto line : std::views::split(text, '\n')) {
    result += printable({line.begin(), line.end()}) += '\n';
  }
  if (!result.empty()) result.pop_back();
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
  while (end > 0 && Utf8::is_trail(text[end])) --end;
  return fmt::format("'{}...'", printable(text.substr(0, end)));
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

std::optional<std::size_t> first_non_text(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const auto [character, code] = first_character(bytes.substr(at));
    const bool is_blank = character == "\t" || character == "\n" || character == "\r";
    if (!code || (is_control(character.front()) && !is_blank)) return at;
    at += character.size();
  }
  return std::nullopt;
}

}  // namespace flitscope
