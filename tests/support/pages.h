// Commands that pages of the documents show.
#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace flitscope::test {

/// A line behind a $ and the lines below it, or a line that begins with flitscope.
struct PageCommand {
  std::size_t number = 0;  ///< of the line
  bool has_prompt = false;
  std::string words;
  std::vector<std::string> says;
};

/// A command can go on behind a backslash; a blank line between lines of output belongs to it.
inline std::vector<PageCommand> commands_of(const std::filesystem::path& page) {
  std::vector<PageCommand> commands;
  std::ifstream in(page);
  bool open = false;
  std::size_t blank = 0;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const bool indented = line.starts_with("    ");
    const std::string rest = indented ? line.substr(4) : "";
    if (line.empty()) {
      ++blank;
      continue;
    }
    const bool has_prompt = rest.starts_with("$ ");
    if (has_prompt || (!open && rest.starts_with("flitscope "))) {
      commands.push_back({number, has_prompt, rest.substr(has_prompt ? 2 : 0), {}});
      open = has_prompt || rest.ends_with('\\');
    } else if (!indented) {
      open = false;
    } else if (open && commands.back().words.ends_with('\\')) {
      commands.back().words.pop_back();
      commands.back().words += rest;
      open = commands.back().has_prompt || rest.ends_with('\\');
    } else if (open) {
      commands.back().says.insert(commands.back().says.end(), blank, "");
      commands.back().says.push_back(rest);
    }
    blank = 0;
  }
  return commands;
}

}  // namespace flitscope::test
