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

#include "tests/support/pages.h"
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

TEST(Documents, EveryTable_HasAHead) {
  static const std::regex rule("[|: -]*-[|: -]*");
  for (const fs::path& page : pages()) {
    const auto prose = prose_of(page);
    for (const auto& [number, line] : prose) {
      const auto at = [&](std::size_t where) {
        return prose.contains(where) ? prose.at(where) : std::string();
      };
      if (!line.starts_with("|") || at(number - 1).starts_with("|")) continue;
      EXPECT_TRUE(std::regex_match(at(number + 1), rule))
          << page.lexically_relative(kRoot).string() << ":" << number << ": a table without a head\n"
          << line;
    }
  }
}

/// Indented lines of a page, without the indent, by the number of the first one.
std::map<std::size_t, std::vector<std::string>> code_blocks(const fs::path& page) {
  std::map<std::size_t, std::vector<std::string>> blocks;
  std::size_t number = 0;
  bool inside = false;
  std::size_t first = 0;
  for (const std::string& line : lines_of(text_of(page))) {
    ++number;
    const bool is_code = line.starts_with("    ");
    if (is_code && !inside) first = number;
    if (is_code) blocks[first].push_back(line.substr(4));
    inside = is_code;
  }
  return blocks;
}

/// A block of a page that is a configuration or some of its sections, completed to one; empty for any other
/// block, and for one that names files.
std::string configuration_of(const std::vector<std::string>& block) {
  static const std::set<std::string> sections{"flitscope", "clock",   "classes", "links",  "topology",
                                              "router",    "link",    "node",    "memory", "packet",
                                              "workload",  "observe", "energy",  "engine", "limits"};
  static const std::regex key("([a-z]+):( .*)?");
  std::set<std::string> keys;
  std::string text;
  for (const std::string& line : block) {
    std::smatch match;
    if (std::regex_match(line, match, key)) keys.insert(match[1]);
    if (line.find("file:") != std::string::npos) return "";
    text += line + "\n";
  }
  if (std::smatch match; !std::regex_match(block.front(), match, key) || !sections.contains(match[1]))
    return "";
  if (!keys.contains("flitscope")) text = "flitscope: 1\n" + text;
  if (!keys.contains("topology")) text += "topology: {kind: torus, shape: [8, 8]}\n";
  if (!keys.contains("workload")) text += "workload: {algorithm: broadcast-binomial}\n";
  return text;
}

/// The key of adding-a-key.md is registered in a test of its own.
TEST(Documents, ConfigurationsAndTheirSections_AreAccepted) {
  const TemporaryDirectory directory;
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator(kRoot / "docs")) {
    if (entry.path().extension() != ".md" || entry.path().filename() == "adding-a-key.md") continue;
    for (const auto& [number, block] : code_blocks(entry.path())) {
      const std::string text = configuration_of(block);
      if (text.empty()) continue;
      ++seen;
      Arguments arguments{"run", directory.write("config.yaml", text), "--set", "limits.cycles=1", "--quiet"};
      if (text.find("\nsweep:") != std::string::npos) {
        arguments.insert(arguments.end(), {"--set", "sweep=null"});
      }
      const Outcome outcome = run_program(arguments);
      EXPECT_EQ(outcome.exit_code, 5) << entry.path().filename().string() << ":" << number << "\n"
                                      << outcome.err;
    }
  }
  EXPECT_GE(seen, 15U);
}

/// Words of a command; the value of an option --set is one, too, without its key.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::istringstream in(command);
  for (std::string word; in >> word;) {
    std::erase_if(word, [](char c) { return c == '\'' || c == '"'; });
    words.push_back(word.substr(word.rfind('=') + 1));
  }
  return words;
}

/// Names in code within the text of a page, such as `first.yaml`, which it explains.
std::set<std::string> names_in(const fs::path& page) {
  static const std::regex code("`([^`\\s]+)`");
  std::set<std::string> names;
  for (const auto& [number, line] : prose_of(page)) {
    for (std::sregex_iterator at(line.begin(), line.end(), code), end; at != end; ++at)
      names.insert((*at)[1]);
  }
  return names;
}

/// Other files are shipped, or stand for those of a reader (CONFIG, DIR).
TEST(Documents, FilesThatCommandsRead_AreShippedMadeOrNamedOnThePage) {
  static const std::regex file(R"([a-z0-9./_-]+\.(yaml|yml|jsonl|json|csv|sweep|goal|xml|et|txt|bin))");
  static const std::regex elsewhere("(build|recordings)/.*");  // by the build; beside a configuration
  static const std::set<std::string> outputs{"--out", "--plot", "--order", "--routes", "--witness", ">"};
  std::size_t seen = 0;
  for (const fs::path& page : pages()) {
    std::set<std::string> made = names_in(page);
    for (const PageCommand& command : commands_of(page)) {
      const std::vector<std::string> words = words_of(command.words);
      std::set<std::string> writes;
      for (std::size_t i = 1; i < words.size(); ++i) {
        if (outputs.contains(words[i - 1])) writes.insert(words[i]);
        if (words.front() == "cat") made.insert(words[i]);
        if (words[1] == "sweep") made.insert(fs::path(words[i]).stem().string() + ".sweep");
      }
      for (const std::string& word : words) {
        if (!std::regex_match(word, file) || std::regex_match(word, elsewhere) || writes.contains(word))
          continue;
        ++seen;
        const bool is_known = made.contains(word) || fs::exists(kRoot / word) ||
                              fs::exists(page.parent_path() / word) ||
                              std::ranges::any_of(made, [&](const std::string& one) {
                                return word.starts_with(one + "/") || word.starts_with(one + ".");
                              });
        EXPECT_TRUE(is_known) << page.lexically_relative(kRoot).string() << ":" << command.number
                              << ": where does this file come from? " << word;
      }
      made.merge(writes);
    }
  }
  EXPECT_GT(seen, 50U);
}

/// Rows of the table have commands with some of their options: `flitscope run CONFIG [--set PATH=VALUE]...`.
TEST(Documents, TableOfCommands_HasAllCommandsWithOptionsThatTheyHave) {
  static const std::regex row(R"(\| `flitscope ([a-z-]+)( [^`]*)?` \|.*)");
  static const std::regex option("--[a-z-]+");
  std::set<std::string> commands;
  for (const auto& [number, line] : prose_of(kRoot / "docs/first-steps.md")) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    const std::string command = match[1];
    const std::string arguments = match[2];
    commands.insert(command);
    const std::string help = run_program({command, "--help"}).out;
    for (std::sregex_iterator at(arguments.begin(), arguments.end(), option), end; at != end; ++at) {
      EXPECT_TRUE(std::regex_search(help, std::regex(at->str() + "[ =\\[]")))
          << command << " has no " << at->str();
    }
  }
  static const std::regex command_of_help("  ([a-z][a-z-]+) .*");
  for (const std::string& line : lines_of(run_program({"--help"}).out)) {
    std::smatch match;
    if (!std::regex_match(line, match, command_of_help)) continue;
    EXPECT_TRUE(commands.contains(match[1])) << "docs/first-steps.md has no row for " << match[1];
  }
  EXPECT_GE(commands.size(), 17U);
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
