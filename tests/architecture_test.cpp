// What CMake's arrows between the folders do not hold: who may use which library of others, that every source
// belongs to a library, and that no files include one another in a cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace flitscope::test {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = FLITSCOPE_SOURCE_DIR;

struct Library {
  std::string header;                ///< headers that begin like this
  std::vector<std::string> folders;  ///< folders, or single files, that may include them
};

const std::vector<Library> kLibraries{
    {"systemc",
     {"routers/modules/", "routers/circuits/", "sim/network/", "sim/adaptors/", "sim/app/main.cpp"}},
    {"tlm", {"sim/adaptors/"}},
    {"yaml-cpp/", {"sim/formats/", "sim/config/"}},
    {"nlohmann/",
     {"sim/observe/", "sim/formats/", "sim/run/", "sim/verify/", "sim/report/", "sim/sweep/", "sim/studies/",
      "sim/claims/", "sim/app/"}},
    {"boost/program_options", {"sim/app/arguments.cpp"}},
    {"pugixml.hpp", {"sim/formats/foreign/"}},
    {"google/protobuf/", {"sim/formats/foreign/"}},
    {"boost/uuid", {"sim/sweep/"}},
    {"SQLiteCpp/", {"sim/sweep/"}},
    {"sqlite3.h", {"sim/sweep/"}},
    {"zlib.h", {"sim/studies/"}},
    {"openssl/", {"sim/formats/", "sim/report/page/"}},
    {"fstream",
     {"params/csv_reader.h", "sim/host/", "sim/observe/", "sim/config/", "sim/formats/", "sim/run/",
      "sim/report/", "sim/sweep/", "sim/studies/", "sim/app/"}},
    {"iostream", {"sim/app/"}},
};

struct Include {
  std::string file;  ///< from the root
  int line = 0;
  std::string header;
  bool is_ours = false;
};

std::vector<Include> includes_of(const fs::path& file) {
  static const std::regex pattern(R"(^\s*#\s*include\s*([<"])([^>"]+)[>"].*)");
  std::vector<Include> includes;
  std::ifstream stream(file);
  std::string text;
  for (int line = 1; std::getline(stream, text); ++line) {
    std::smatch match;
    if (!std::regex_match(text, match, pattern)) continue;
    includes.push_back({file.lexically_relative(kRoot).string(), line, match[2], match[1] == "\""});
  }
  return includes;
}

std::vector<fs::path> sources() {
  std::vector<fs::path> files;
  for (const char* folder : {"model", "params", "algorithms", "networks", "traffic", "routers", "sim"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      const fs::path extension = entry.path().extension();
      if (entry.is_regular_file() && (extension == ".h" || extension == ".cpp"))
        files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

TEST(Architecture, HeaderOfALibrary_IsIncludedOnlyInItsFolders) {
  std::size_t seen = 0;
  for (const fs::path& file : sources()) {
    for (const Include& include : includes_of(file)) {
      for (const Library& library : kLibraries) {
        if (include.is_ours || !include.header.starts_with(library.header)) continue;
        ++seen;
        const auto holds = [&](const std::string& folder) { return include.file.starts_with(folder); };
        EXPECT_TRUE(std::ranges::any_of(library.folders, holds))
            << include.file << ":" << include.line << " may not use <" << include.header << ">";
      }
    }
  }
  EXPECT_GT(seen, 50U);  // the files were found and read
}

TEST(Architecture, EverySource_IsInAFolderThatCMakeBuilds) {
  std::ifstream stream(kRoot / "CMakeLists.txt");
  const std::regex pattern(R"(^flitscope_library\((\S+) .*)");
  std::vector<std::string> folders{"sim/app/"};
  std::smatch match;
  for (std::string line; std::getline(stream, line);) {
    if (std::regex_match(line, match, pattern)) folders.push_back(match[1].str() + "/");
  }
  EXPECT_GT(folders.size(), 10U);
  for (const fs::path& file : sources()) {
    const std::string path = file.lexically_relative(kRoot).string();
    EXPECT_TRUE(std::ranges::any_of(folders, [&](const auto& folder) { return path.starts_with(folder); }))
        << path << ": no flitscope_library of CMakeLists.txt has this folder";
  }
}

/// x.h and x.cpp are one unit: "sim/config/keys".
std::string unit_of(const fs::path& file) {
  return fs::path(file).replace_extension().string();
}

/// Groups of units that include one another, a line each.
std::string include_cycles(const std::map<std::string, std::vector<std::string>>& includes) {
  std::map<std::string, std::size_t> numbers;
  for (const auto& [unit, used] : includes) numbers.emplace(unit, numbers.size());
  boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(numbers.size());
  for (const auto& [unit, used] : includes) {
    for (const std::string& other : used) {
      if (other != unit && numbers.contains(other)) boost::add_edge(numbers[unit], numbers[other], graph);
    }
  }
  std::vector<std::size_t> group_of(numbers.size());
  boost::strong_components(graph, group_of.data());
  std::map<std::size_t, std::vector<std::string>> groups;
  for (const auto& [unit, number] : numbers) groups[group_of[number]].push_back(unit);
  std::string cycles;
  for (const auto& [number, units] : groups) {
    if (units.size() == 1) continue;
    for (const std::string& unit : units) cycles += unit + " ";
    cycles.back() = '\n';
  }
  return cycles;
}

TEST(Architecture, IncludeCycle_IsFoundAlsoThroughImplementationFiles) {
  EXPECT_EQ(include_cycles({{"a", {"b"}}, {"b", {"c"}}, {"c", {}}}), "");
  EXPECT_EQ(include_cycles({{"a", {"b"}}, {"b", {"c", "elsewhere"}}, {"c", {"a", "c"}}, {"d", {"a"}}}),
            "a b c\n");
  EXPECT_EQ(unit_of("sim/config/keys.cpp"), unit_of("sim/config/keys.h"));
}

TEST(Architecture, Sources_HaveNoIncludeCycle) {
  std::map<std::string, std::vector<std::string>> includes;
  for (const fs::path& file : sources()) {
    auto& used = includes[unit_of(file.lexically_relative(kRoot))];
    for (const Include& include : includes_of(file)) {
      if (include.is_ours) used.push_back(unit_of(include.header));
    }
  }
  EXPECT_GT(includes.size(), 100U);  // the files were found
  EXPECT_EQ(include_cycles(includes), "") << "these files include one another";
}

}  // namespace
}  // namespace flitscope::test
