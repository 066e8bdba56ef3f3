// Numbers in texts.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace flitscope {

/// The number that the whole of a text is, in the way of std::from_chars.
template <typename Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
  Number value{};
  const auto [last, error] = std::from_chars(text.begin(), text.end(), value);
  return error == std::errc() && last == text.end() ? std::optional(value) : std::nullopt;
}

/// The same, if it lies within a range.
template <typename Number>
[[nodiscard]] std::optional<Number> whole_number(std::string_view text, Number minimum, Number maximum) {
  const auto value = number_in<Number>(text);
  return value && *value >= minimum && *value <= maximum ? value : std::nullopt;
}

}  // namespace flitscope
