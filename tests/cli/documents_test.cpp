// README.md and docs/: links and anchors exist, generated tables are those of the program, and the names of
// results are documented.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/program.h"

namespace flitscope::test::documents_test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = FLITSCOPE_SOURCE_DIR;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<fs::path> pages() {
  std::vector<fs::path> files;
  for (const char* folder : {"docs", "bench", "examples"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() == ".md") files.push_back(entry.path());
    }
  }
  for (const auto& entry : fs::directory_iterator(kRoot)) {
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

/// The lines outside of code, with their numbers.
std::map<std::size_t, std::string> prose_of(const fs::path& page) {
  std::map<std::size_t, std::string> prose;
  bool in_code = false;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text_of(page))) {
    ++number;
    if (line.starts_with("```")) in_code = !in_code;
    if (!in_code && !line.starts_with("    ")) prose.emplace(number, line);
  }
  return prose;
}

/// The anchor of a heading: lower case, blanks as hyphens, no other punctuation.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-') {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

std::set<std::string> anchors_of(const fs::path& page) {
  std::set<std::string> anchors;
  for (const auto& [number, line] : prose_of(page)) {
    const std::size_t level = line.find_first_not_of('#');
    if (level == 0 || level == std::string::npos || line[level] != ' ') continue;
    anchors.insert(anchor_of(line.substr(level + 1)));
  }
  return anchors;
}

TEST(Documents, EveryRelativeLinkAndAnchor_Exists) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::size_t seen = 0;
  for (const fs::path& page : pages()) {
    for (const auto& [number, line] : prose_of(page)) {
      for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
        const std::string target = (*at)[1];
        if (target.starts_with("http")) continue;
        ++seen;
        const std::size_t hash = target.find('#');
        const std::string path = target.substr(0, hash);
        const fs::path file = path.empty() ? page : page.parent_path() / path;
        SCOPED_TRACE(page.lexically_relative(kRoot).string() + ":" + std::to_string(number) + ": " + target);
        if (!fs::exists(file)) {
          ADD_FAILURE() << "there is no such file";
        } else if (hash != std::string::npos && file.extension() == ".md") {
          EXPECT_TRUE(anchors_of(file).contains(target.substr(hash + 1))) << "there is no such heading";
        }
      }
    }
  }
  EXPECT_GT(seen, 200U);  // the pages were found and read
}

TEST(Documents, EveryPage_IsLinkedFromTheIndex) {
  const std::string index = text_of(kRoot / "docs/README.md");
  for (const auto& entry : fs::directory_iterator(kRoot / "docs")) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".md" || name == "README.md") continue;
    EXPECT_NE(index.find("(" + name), std::string::npos) << "docs/README.md has no link to " << name;
  }
}

/// A table between "<!-- flitscope ARGUMENTS -->" and "<!-- end -->".
struct GeneratedTable {
  std::vector<std::string> arguments;
  std::vector<std::string> lines;
};

std::vector<GeneratedTable> generated_tables(const fs::path& page) {
  static const std::regex marker("<!-- flitscope (.*) -->");
  std::vector<GeneratedTable> tables;
  bool inside = false;
  for (const std::string& line : lines_of(text_of(page))) {
    std::smatch match;
    if (line == "<!-- end -->") inside = false;
    if (inside) tables.back().lines.push_back(line);
    if (!std::regex_match(line, match, marker)) continue;
    inside = true;
    tables.emplace_back();
    std::istringstream words(match[1]);
    for (std::string word; words >> word;) tables.back().arguments.push_back(word);
  }
  return tables;
}

/// The columns of a table before the last one, and that one.
std::pair<std::string, std::string> last_cell_of(const std::string& line) {
  const std::size_t bar = line.size() < 2 ? 0 : line.rfind('|', line.size() - 2);
  return {line.substr(0, bar), line.substr(bar)};
}

/// True if a printed line has all that a line of a page has. If the last column names `owners`, there can be
/// more.
bool has_line(const std::string& printed, const std::string& page, bool owners) {
  if (printed == page || !owners) return printed == page;
  const auto [columns, names] = last_cell_of(page);
  const auto [printed_columns, printed_names] = last_cell_of(printed);
  static const std::regex name("`[^`]+`");
  const std::sregex_iterator end;
  return columns == printed_columns && std::regex_search(names, name) &&
         std::all_of(std::sregex_iterator(names.begin(), names.end(), name), end,
                     [&](const auto& match) { return printed_names.find(match.str()) != std::string::npos; });
}

/// The program may have more: an algorithm, pattern or network of one's own is one file, and no page.
TEST(Documents, GeneratedTables_AreThoseOfTheProgram) {
  std::size_t seen = 0;
  for (const fs::path& page : pages()) {
    for (const GeneratedTable& table : generated_tables(page)) {
      ++seen;
      const Outcome outcome = run_program(table.arguments);
      ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
      const std::vector<std::string> printed = lines_of(outcome.out);
      const bool owners = !table.lines.empty() && table.lines.front().ends_with("| of |");
      auto at = printed.begin();
      for (const std::string& line : table.lines) {
        const auto found = std::find_if(at, printed.end(),
                                        [&](const std::string& one) { return has_line(one, line, owners); });
        if (found == printed.end()) {
          ADD_FAILURE() << page.lexically_relative(kRoot).string()
                        << ": the program does not print this line; run "
                        << "scripts/update_docs.sh\n"
                        << line;
          break;
        }
        at = found + 1;
      }
    }
  }
  EXPECT_GT(seen, 8U);
}

using Json = nlohmann::json;

void collect_names(const Json& json, std::set<std::string>& names) {
  for (const auto& [name, value] : json.items()) {
    if (json.is_object()) names.insert(name);
    if (value.is_structured()) collect_names(value, names);
  }
}

/// Parts of one's own break nothing; many new ones belong into the README.
TEST(Readme, CountsOfParts_AreNotMoreThanTheProgramHasAndNotATenthLess) {
  const Json list = Json::parse(run_program({"list", "--json"}).out);
  const std::string page = text_of(kRoot / "README.md");
  for (const auto& [words, kind] : std::map<std::string, std::string>{{"algorithms", "algorithms"},
                                                                      {"routing functions", "routings"},
                                                                      {"traffic patterns", "traffic"},
                                                                      {"kinds of networks", "topologies"}}) {
    std::smatch match;
    ASSERT_TRUE(std::regex_search(page, match, std::regex("([0-9]+)\\*{0,2} " + words))) << words;
    const std::size_t said = std::stoul(match[1]);
    EXPECT_LE(said, list.at(kind).size()) << words;
    EXPECT_GT(10 * said, 9 * list.at(kind).size()) << words;
  }
}

TEST(Documents, KeysAndColumnsOfResults_AreInTheReference) {
  const std::string page = text_of(kRoot / "docs/results.md");
  const TemporaryDirectory directory;
  std::set<std::string> names;
  for (const std::string config : {"hot-spot.yaml", "deadlock-ring.yaml"}) {
    const std::string out = (directory / config).string();
    static_cast<void>(run_program(
        {"run", shipped_config(config), "--out", out, "--set", "observe.messages=true", "--quiet"}));
    collect_names(Json::parse(text_of(fs::path(out) / "result.json")), names);
    for (const char* file : {"steps.csv", "channels.csv", "messages.csv"}) {
      std::istringstream head(lines_of(text_of(fs::path(out) / file)).at(0));
      for (std::string name; std::getline(head, name, ',');) names.insert(name);
    }
  }
  EXPECT_GT(names.size(), 90U);
  for (const std::string& name : names) {
    const std::regex pattern("[`.\\]{, ]" + name + "[`,} ]");
    EXPECT_TRUE(std::regex_search(page, pattern)) << "docs/results.md does not explain " << name;
  }
}

}  // namespace
}  // namespace flitscope::test::documents_test
