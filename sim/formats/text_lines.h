// Text files of words: their lines.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/numbers.h"
#include "params/diagnostics.h"

namespace flitscope {

struct Word {
  std::string_view text;
  SourceLocation place;
};

/// Calls `read` for each line of a text that has words, with blanks between them, and does not begin with #.
/// `name` names the text in places.
void for_each_line(std::string_view text, const std::string& name,
                   const std::function<void(std::vector<Word>)>& read);

/// The text of a file; a diagnostic if it cannot be opened.
[[nodiscard]] std::optional<std::string> text_of_file(const std::filesystem::path& file,
                                                      Diagnostics& diagnostics);

}  // namespace flitscope
