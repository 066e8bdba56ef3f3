// Numbers in texts, and in a row.
#pragma once

#include <charconv>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

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

/// 0 to count - 1.
template <typename Number>
[[nodiscard]] std::vector<Number> numbers_below(std::size_t count) {
  std::vector<Number> numbers(count);
  std::iota(numbers.begin(), numbers.end(), Number{0});
  return numbers;
}

}  // namespace flitscope
