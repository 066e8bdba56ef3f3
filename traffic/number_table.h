// Numbers in a text file, line by line, separated by commas or blanks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flitscope {

/// A line of numbers, and its number in the file, from 1.
struct NumberLine {
  std::size_t line = 0;
  std::vector<double> numbers;
};

/// The lines of a text that are neither empty nor comments (`#`). `file` is its name in messages. Throws
/// InputError ("file:line: ..") for what is no number of at least 0.
[[nodiscard]] std::vector<NumberLine> number_lines(std::string_view text, const std::string& file);

}  // namespace flitscope
