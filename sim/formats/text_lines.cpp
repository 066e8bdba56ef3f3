#include "sim/formats/text_lines.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ranges>
#include <system_error>

#include "model/text.h"
#include "sim/formats/strict_json.h"

namespace flitscope {

void for_each_line(std::string_view text, const std::string& name,
                   const std::function<void(std::vector<Word>)>& read) {
  constexpr std::string_view kBlanks = " \t\r";
  std::uint32_t number = 0;
  for (const auto part : std::views::split(without_byte_order_mark(text), '\n')) {
    const std::string_view line(part.begin(), part.end());
    ++number;
    std::vector<Word> words;
    for (std::size_t at = 0; (at = line.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(kBlanks, at), line.size());
      words.push_back({line.substr(at, end - at), {name, number, static_cast<std::uint32_t>(at + 1)}});
      at = end;
    }
    if (!words.empty() && !words.front().text.starts_with('#')) read(std::move(words));
  }
}

std::optional<std::string> text_of_file(const std::filesystem::path& file, Diagnostics& diagnostics) {
  std::error_code ignored;
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (stream && !std::filesystem::is_directory(file, ignored)) return text_of_stream(stream);
  return diagnostics.add({file.string()}, "cannot be opened: {}", std::strerror(errno == 0 ? EISDIR : errno));
}

}  // namespace flitscope
