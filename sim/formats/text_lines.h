// Text files of words: their lines, and their numbers.
#pragma once

#include <charconv>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "params/diagnostics.h"

namespace flitscope {

struct Word {
  std::string_view text;
  SourceLocation place;
};

/// Calls `read` for each line of a text that has words, with blanks between them. `name` names it in places.
void for_each_line(std::string_view text, const std::string& name,
                   const std::function<void(std::vector<Word>)>& read);

/// The whole number that a text is, if it lies within a range.
template <typename Number>
[[nodiscard]] std::optional<Number> whole_number(std::string_view text, Number minimum, Number maximum) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || value < minimum || value > maximum) return std::nullopt;
  return value;
}

/// The text of a file; a diagnostic if it cannot be opened.
[[nodiscard]] std::optional<std::string> text_of_file(const std::filesystem::path& file,
                                                      Diagnostics& diagnostics);

}  // namespace flitscope
