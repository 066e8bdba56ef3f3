// Pages of docs/ whose commands are run: they print what the pages show.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/pages.h"
#include "tests/support/program.h"

namespace flitscope::test::page_commands_test {
namespace {

/// Lines without those of progress, which only a slow computer shows.
std::vector<std::string> lines_of(const std::string& text) {
  static const std::regex progress(
      "[0-9]+ of [0-9]+ runs, .*|flitscope .*: at work for .*|cycle [0-9]+, .* messages arrived, .*");
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (!std::regex_match(line, progress)) lines.push_back(line);
  }
  return lines;
}

/// "..." stands for any lines; at the end of a line for any end.
bool agree(const std::string& page, const std::string& real) {
  if (!page.ends_with("...")) return page == real;
  return real.starts_with(page.substr(0, page.size() - 3));
}

bool agree(const std::vector<std::string>& page, const std::vector<std::string>& real, std::size_t i = 0,
           std::size_t j = 0) {
  if (i == page.size()) return j == real.size();
  if (page[i] == "...") {
    for (std::size_t k = j; k <= real.size(); ++k) {
      if (agree(page, real, i + 1, k)) return true;
    }
    return false;
  }
  return j < real.size() && agree(page[i], real[j]) && agree(page, real, i + 1, j + 1);
}

/// Runs the commands of pages in one directory, page by page, and returns how many there are.
unsigned run_pages(const std::vector<std::string>& pages) {
  const std::filesystem::path source = FLITSCOPE_SOURCE_DIR;
  const TemporaryDirectory directory;
  std::filesystem::create_symlink(source / "configs", directory / "configs");
  std::filesystem::create_symlink(source / "scripts", directory / "scripts");
  std::filesystem::create_symlink(FLITSCOPE_PROGRAM, directory / "flitscope");
  std::string last_code = "0";
  unsigned run = 0;
  std::vector<PageCommand> commands;
  for (const std::string& page : pages) {
    for (PageCommand& command : commands_of(source / page)) commands.push_back(std::move(command));
  }
  for (const PageCommand& command : commands) {
    if (!command.has_prompt) continue;
    SCOPED_TRACE(command.words);
    if (command.words.starts_with("cat ")) {
      std::string text;
      for (const std::string& line : command.says) text += line + "\n";
      static_cast<void>(directory.write(command.words.substr(4), text));
      continue;
    }
    if (command.words == "echo $?") {
      EXPECT_EQ(command.says, std::vector<std::string>{last_code});
      continue;
    }
    ++run;
    const std::string out = (directory / "said").string();
    const std::string line = "cd '" + directory.path().string() + "' && PATH=.:\"$PATH\" " + command.words +
                             " >'" + out + "' 2>&1";
    last_code = std::to_string(WEXITSTATUS(std::system(line.c_str())));
    const std::string said = text_of(out);
    EXPECT_TRUE(agree(command.says, lines_of(said))) << said;
  }
  return run;
}

TEST(DeadlockPage, Commands_PrintWhatThePageShows) {
  if (std::system("python3 -c '' >/dev/null 2>&1") != 0) GTEST_SKIP() << "python3 is not installed";
  EXPECT_GE(run_pages({"docs/deadlock.md"}), 8U);
}

/// The second page uses files of the first one.
TEST(FirstStepsAndConfigurationPages, Commands_PrintWhatThePageShows) {
  EXPECT_GE(run_pages({"docs/first-steps.md", "docs/configuration.md"}), 20U);
}

TEST(ReadmePage, Commands_PrintWhatThePageShows) {
  EXPECT_GE(run_pages({"README.md"}), 4U);
}

TEST(ReadingARunPage, Commands_PrintWhatThePageShows) {
  EXPECT_GE(run_pages({"docs/reading-a-run.md"}), 8U);
}

TEST(UnitsAndEnergyPages, Commands_PrintWhatThePageShows) {
  EXPECT_GE(run_pages({"docs/units.md", "docs/energy.md"}), 3U);
}

TEST(StudiesPage, Commands_PrintWhatThePageShows) {
  EXPECT_GE(run_pages({"docs/studies.md"}), 8U);
}

TEST(ProtocolsPage, Commands_PrintWhatThePageShows) {
  EXPECT_GE(run_pages({"docs/protocols.md"}), 6U);
}

TEST(TenstorrentPage, Commands_PrintWhatThePageShows) {
  EXPECT_GE(run_pages({"docs/silicon/tenstorrent.md"}), 3U);
}

TEST(FormatsPage, Commands_PrintWhatThePageShows) {
  EXPECT_GE(run_pages({"docs/formats.md"}), 9U);
}

}  // namespace
}  // namespace flitscope::test::page_commands_test
